// Reads a pasted request, and writes curl lines. Pure functions.

/** Splits a command line as a POSIX shell does: quotes, backslashes, line continuations. */
export function words(line) {
  const result = [];
  let word = null;
  let quote = "";
  for (let i = 0; i < line.length; i++) {
    const c = line[i];
    if (quote === "'") {
      if (c === "'") quote = "";
      else word += c;
    } else if (quote === '"') {
      if (c === '"') quote = "";
      else if (c === "\\" && '"\\$`\n'.includes(line[i + 1] ?? "")) {
        i += 1;
        if (line[i] !== "\n") word += line[i];
      } else word += c;
    } else if (c === "'" || c === '"') {
      quote = c;
      word ??= "";
    } else if (c === "\\" && i + 1 < line.length) {
      i += 1;
      if (line[i] === "\r" && line[i + 1] === "\n") i += 1;
      else if (line[i] !== "\n") word = (word ?? "") + line[i];
    } else if (/\s/.test(c)) {
      if (word !== null) result.push(word);
      word = null;
    } else {
      word = (word ?? "") + c;
    }
  }
  if (quote) throw new SyntaxError(`A quote ${quote} is not closed.`);
  if (word !== null) result.push(word);
  return result;
}

// Options of curl that take a value which does not matter for rules.
const SKIPPED = new Set(
  ("-o --output -w --write-out -m --max-time --connect-timeout -x --proxy --cacert -E --cert --key " +
    "--retry --resolve -c --cookie-jar -T --upload-file --limit-rate -D --dump-header --interface").split(" "),
);
const DATA = new Set(
  "-d --data --data-raw --data-binary --data-ascii --data-urlencode --json -F --form".split(" "),
);

/** Reads a curl line into `{method, path, headers}`. */
export function parseCurl(line) {
  const [command, ...rest] = words(line.trim().replace(/^\$\s+/, ""));
  if (command !== "curl") throw new SyntaxError("The line does not begin with curl.");
  let method = "";
  let address = "";
  let hasData = false;
  let asQuery = false;
  const data = [];
  const headers = {};
  const take = (option) => {
    if (rest.length === 0) throw new SyntaxError(`${option} has no value.`);
    return rest.shift();
  };
  while (rest.length > 0) {
    let option = rest.shift();
    const joined = /^(--[\w-]+)=(.*)$/s.exec(option);
    const glued = /^(-[XHdAbeuI])(.+)$/s.exec(option);
    if (joined) {
      option = joined[1];
      rest.unshift(joined[2]);
    } else if (glued && glued[1] !== "-I") {
      option = glued[1];
      rest.unshift(glued[2]);
    }
    if (option === "-X" || option === "--request") method = take(option);
    else if (option === "-H" || option === "--header") addHeader(headers, take(option));
    else if (option === "-A" || option === "--user-agent") headers["User-Agent"] = take(option);
    else if (option === "-e" || option === "--referer") headers.Referer = take(option);
    else if (option === "-b" || option === "--cookie") headers.Cookie = take(option);
    else if (option === "-u" || option === "--user") headers.Authorization = `Basic ${base64(take(option))}`;
    else if (option === "-I" || option === "--head") method ||= "HEAD";
    else if (option === "-G" || option === "--get") asQuery = true;
    else if (option === "--url") address = take(option);
    else if (DATA.has(option)) {
      hasData = true;
      data.push(take(option));
      if (option === "--json") headers["Content-Type"] ??= "application/json";
    } else if (SKIPPED.has(option)) take(option);
    else if (!option.startsWith("-")) address = option;
  }
  if (address === "") throw new SyntaxError("The line has no URL.");
  let path = pathOf(address);
  if (asQuery && data.length > 0) path += (path.includes("?") ? "&" : "?") + data.join("&");
  return { method: method || (hasData && !asQuery ? "POST" : "GET"), path, headers };
}

/** Reads the head of an HTTP request: a request line, or only header fields, into the same shape. */
export function parseHead(text) {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const headers = {};
  let method = "GET";
  let path = "";
  for (const [index, line] of lines.entries()) {
    if (line === "") {
      if (index > 0) break;
      continue;
    }
    const request = /^([A-Za-z]+)\s+(\S+)(\s+HTTP\/[\d.]+)?$/.exec(line);
    if (path === "" && request && !line.includes(": ")) {
      method = request[1].toUpperCase();
      path = pathOf(request[2]);
    } else {
      addHeader(headers, line);
    }
  }
  return { method, path, headers };
}

/** Reads a curl line, the head of a request, or header fields only. */
export function parseRequest(text) {
  const trimmed = text.trim();
  if (trimmed === "") throw new SyntaxError("There is nothing to read.");
  return /^(\$\s+)?curl(\s|$)/.test(trimmed) ? parseCurl(trimmed) : parseHead(trimmed);
}

function addHeader(headers, line) {
  const colon = line.indexOf(":", 1);
  if (colon < 0) {
    // curl's way to send a field without a value is a semicolon.
    if (line.endsWith(";")) headers[line.slice(0, -1).trim()] = "";
    else throw new SyntaxError(`This is no header field: ${line.slice(0, 60)}`);
    return;
  }
  headers[line.slice(0, colon).trim()] = line.slice(colon + 1).trim();
}

function pathOf(address) {
  if (address.startsWith("/")) return address;
  const match = /^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/?#]*([^#]*)/i.exec(address);
  const path = match[1] === "" ? "/" : match[1];
  return path.startsWith("?") ? `/${path}` : path;
}

function base64(text) {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

/** Quotes a word for a POSIX shell. */
export function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Writes the curl line of a request; `token` is shown as a variable, never itself. */
export function curlLine({ method, url, headers = {}, body, authorized = false }) {
  const parts = ["curl"];
  if (method !== "GET" && !(method === "POST" && body)) parts.push("-X", method);
  parts.push(quoted(url));
  if (authorized) parts.push('-H "Authorization: Bearer $WEIR_ADMIN_TOKEN"');
  for (const [name, value] of Object.entries(headers)) parts.push("-H", quoted(`${name}: ${value}`));
  // Unlike -d, it takes a leading @ as it is.
  if (body) parts.push("--data-raw", quoted(body));
  return parts.join(" ");
}
