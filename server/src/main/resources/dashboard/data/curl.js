// Reads a pasted request, and writes curl lines. Pure functions.

import { quoted, words } from "./shell.js";

/** Options of curl that take a value; others take none. */
const SHORT_WITH_VALUE = "AbcCdDeEFHKmoPQrtTuUwxXyYz";
const LONG_WITH_VALUE = new Set((
  "abstract-unix-socket alt-svc aws-sigv4 cacert capath cert cert-type ciphers config connect-timeout connect-to continue-at "
  + "cookie cookie-jar create-file-mode crlfile curves data data-ascii data-binary data-raw data-urlencode delegation "
  + "dns-interface dns-ipv4-addr dns-ipv6-addr dns-servers doh-url dump-header ech egd-file engine etag-compare etag-save "
  + "expect100-timeout form form-string ftp-account ftp-alternative-to-user ftp-method ftp-port ftp-ssl-ccc-mode "
  + "happy-eyeballs-timeout-ms haproxy-clientip header hostpubmd5 hostpubsha256 hsts interface ip-tos ipfs-gateway json "
  + "keepalive-cnt keepalive-time key key-type krb libcurl limit-rate local-port login-options mail-auth mail-from mail-rcpt "
  + "max-filesize max-redirs max-time netrc-file noproxy oauth2-bearer output output-dir parallel-max pass pinnedpubkey "
  + "preproxy proto proto-default proto-redir proxy proxy-cacert proxy-capath proxy-cert proxy-cert-type proxy-ciphers "
  + "proxy-crlfile proxy-header proxy-key proxy-key-type proxy-pass proxy-pinnedpubkey proxy-service-name proxy-tls13-ciphers "
  + "proxy-tlsauthtype proxy-tlspassword proxy-tlsuser proxy-user proxy1.0 pubkey quote random-file range rate referer request "
  + "request-target resolve retry retry-delay retry-max-time sasl-authzid service-name socks4 socks4a socks5 "
  + "socks5-gssapi-service socks5-hostname speed-limit speed-time stderr telnet-option tftp-blksize time-cond tls-max "
  + "tls13-ciphers tlsauthtype tlspassword tlsuser trace trace-ascii trace-config unix-socket upload-file url url-query user "
  + "user-agent variable vlan-priority write-out").split(" "));
const LONG_NAMES = {
  A: "user-agent", b: "cookie", d: "data", e: "referer", F: "form", G: "get", g: "globoff", H: "header", I: "head", r: "range", T: "upload-file",
  u: "user", X: "request", ":": "next",
};

/** Options of a curl command up to the next request, as `[name, value]`; a URL has the name "url". */
function options(rest) {
  const found = [];
  const left = [...rest];
  const take = (option) => {
    if (left.length === 0) throw new SyntaxError(`${option} has no value.`);
    return left.shift();
  };
  while (left.length > 0) {
    const word = left.shift();
    if (word === "--") return [...found, ...left.map((url) => ["url", url])];
    if (word.startsWith("--")) {
      const [, name, joined] = /^--([^=]*)(?:=(.*))?$/s.exec(word);
      if (name === "next") return found;
      if (LONG_WITH_VALUE.has(name)) found.push([name, joined ?? take(`--${name}`)]);
      else found.push([name, ""]);
    } else if (word.startsWith("-") && word !== "-") {
      for (let i = 1; i < word.length; i++) {
        const name = LONG_NAMES[word[i]] ?? word[i];
        if (name === "next") return found;
        if (SHORT_WITH_VALUE.includes(word[i])) {
          found.push([name, word.slice(i + 1) || take(`-${word[i]}`)]);
          break;
        }
        found.push([name, ""]);
      }
    } else {
      found.push(["url", word]);
    }
  }
  return found;
}

/** Header fields by name, whose case does not matter. */
class Fields {
  #entries = new Map(); // by the name in lower case, the name as written and the value
  #repeated = new Set();

  /** A field that is there more than once is one whose values stand in a list. */
  add(name, value, separator = ", ") {
    const known = this.#entries.get(name.toLowerCase());
    if (known) this.#repeated.add(known[0]);
    this.#entries.set(name.toLowerCase(), known ? [known[0], `${known[1]}${separator}${value}`] : [name, value]);
  }

  setIfAbsent(name, value) {
    if (!this.has(name)) this.add(name, value);
  }

  has(name) {
    return this.#entries.has(name.toLowerCase());
  }

  /** A request with these fields. `repeated` names those that are there more than once. */
  request(method, path) {
    const request = { method, path, headers: Object.fromEntries(this.#entries.values()) };
    return this.#repeated.size > 0 ? { ...request, repeated: [...this.#repeated] } : request;
  }
}

const FORM_TYPE = "application/x-www-form-urlencoded";

/** Reads a curl line into `{method, path, headers}` of its first request, with `repeated` if fields are. */
export function parseCurl(line) {
  const all = words(line.trim().replace(PROMPT, ""));
  const begin = all.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  if (!/^(.*[/\\])?curl(\.exe)?$/.test(all[begin] ?? "")) throw new SyntaxError("The line does not begin with curl.");
  const given = options(all.slice(begin + 1));
  const last = (name) => given.findLast(([option]) => option === name)?.[1];
  const has = (name) => last(name) !== undefined;
  const address = given.find(([option]) => option === "url")?.[1];
  if (address === undefined) throw new SyntaxError("The line has no URL.");
  const data = given.filter(([option]) => DATA.has(option));
  const asQuery = has("get");
  const sendsData = data.length > 0 && !asQuery;

  let path = has("request-target") ? last("request-target") : pathOf(address, { globs: !has("globoff"), dots: has("path-as-is") });
  if (has("upload-file")) path = withFile(path, last("upload-file"));
  for (const [option, value] of given) {
    const piece = asQuery && DATA.has(option) ? dataText(option, value) : option === "url-query" ? queryText(value) : "";
    if (piece !== "") path += (path.includes("?") ? "&" : "?") + piece;
  }
  const method = last("request") ?? (has("head") ? "HEAD" : has("upload-file") ? "PUT" : sendsData || has("form") || has("form-string") ? "POST" : "GET");
  return fieldsOf(given, last, sendsData ? data : []).request(method, path);
}

const DATA = new Set(["data", "data-ascii", "data-binary", "data-raw", "data-urlencode", "json"]);

/** The header fields that curl would send, apart from those that it sends always. */
function fieldsOf(given, last, data) {
  const fields = new Fields();
  const removed = new Set();
  for (const [, value] of given.filter(([option]) => option === "header")) {
    const empty = /^([^:;]+):\s*$/.exec(value);
    if (empty) removed.add(empty[1].trim().toLowerCase());
    else if (!value.startsWith("@")) addHeader(fields, value); // @ names a file
  }
  const own = (name, value) => value && !removed.has(name.toLowerCase()) && fields.setIfAbsent(name, value);
  own("User-Agent", last("user-agent"));
  own("Referer", last("referer")?.replace(/;auto$/, ""));
  // Without = it names a file.
  own("Cookie", given.filter(([option, value]) => option === "cookie" && value.includes("=")).map(([, value]) => value).join(";"));
  if (last("oauth2-bearer")) own("Authorization", `Bearer ${last("oauth2-bearer")}`);
  if (last("user") !== undefined) own("Authorization", `Basic ${base64(last("user"))}`);
  if (last("range")) own("Range", `bytes=${last("range")}`);
  if (data.some(([option]) => option === "json")) {
    own("Content-Type", "application/json");
    own("Accept", "application/json");
  } else if (data.length > 0) own("Content-Type", FORM_TYPE);
  else if (last("form") !== undefined || last("form-string") !== undefined) own("Content-Type", "multipart/form-data");
  return fields;
}

/** What an option for data adds to a query; nothing if that is in a file. */
function dataText(option, value) {
  if (option === "data-raw") return value;
  if (option !== "data-urlencode") return value.startsWith("@") ? "" : value;
  const [, name, mark, content] = /^([^=@]*)([=@]?)(.*)$/s.exec(value);
  if (mark === "@") return "";
  return mark === "" ? encoded(name) : `${name === "" ? "" : `${name}=`}${encoded(content)}`;
}

function queryText(value) {
  return value.startsWith("+") ? value.slice(1) : dataText("data-urlencode", value);
}

function encoded(text) {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`).replaceAll("%20", "+");
}

/** A file goes below an address that ends with a slash. */
function withFile(path, file) {
  const [, place, query] = /^([^?]*)(.*)$/s.exec(path);
  return place.endsWith("/") && file !== "-" && file !== "." ? `${place}${encodeURIComponent(file.split("/").at(-1))}${query}` : path;
}

/**
 * Reads the head of an HTTP request: a request line, or only header fields, into the same shape. The output of
 * `curl -v` and the fields of HTTP/2 that begin with a colon are taken as well.
 */
export function parseHead(text) {
  const fields = new Fields();
  let method = "GET";
  let path = "";
  let isBegun = false;
  for (const line of headLines(text)) {
    if (line.trim() === "") {
      if (isBegun) break;
      continue;
    }
    const request = /^\s*([A-Za-z-]+)\s+(\S+)(\s+HTTP\/[\d.]+)?\s*$/.exec(line);
    const pseudo = /^:(method|path|authority|scheme):\s*(.*?)\s*$/.exec(line);
    if (pseudo) {
      if (pseudo[1] === "method") method = pseudo[2];
      else if (pseudo[1] === "path") path = pathOf(pseudo[2]);
      else if (pseudo[1] === "authority") fields.setIfAbsent("Host", pseudo[2]);
    } else if (path === "" && request && !line.includes(": ")) {
      method = request[1].toUpperCase();
      path = pathOf(request[2]);
    } else {
      addHeader(fields, line.trim());
    }
    isBegun = true;
  }
  return fields.request(method, path);
}

/** The lines of a head, without what curl -v says besides, and with folded lines put together. */
function headLines(text) {
  const all = text.split(/\r?\n/);
  const begin = all.findIndex((line) => /^> \S+ \S+ HTTP\/[\d.]+\s*$/.test(line));
  if (begin >= 0) {
    const sent = all.slice(begin).filter((line) => line.startsWith(">")).map((line) => line.replace(/^> ?/, ""));
    const end = sent.findIndex((line) => line.trim() === "");
    return end < 0 ? sent : sent.slice(0, end);
  }
  const lines = [];
  for (const line of all) {
    const isFolded = /^[ \t]+[^\s:]/.test(line) && !/^\s+[\w-]+:/.test(line) && lines.length > 0 && /^\s*[^\s:]+:/.test(lines.at(-1));
    if (isFolded) lines.push(`${lines.pop()} ${line.trim()}`);
    else lines.push(line);
  }
  return lines;
}

const PROMPT = /^[$%]\s+/;

/** Reads a curl line, the head of a request, or header fields only. */
export function parseRequest(text) {
  const trimmed = text.trim();
  if (trimmed === "") throw new SyntaxError("There is nothing to read.");
  return /^([$%]\s+)?([A-Za-z_]\w*=\S*\s+)*(\S*[/\\])?curl(\.exe)?(\s|$)/.test(trimmed) ? parseCurl(trimmed) : parseHead(trimmed);
}

function addHeader(fields, line) {
  const colon = line.indexOf(":");
  if (colon > 0) fields.add(line.slice(0, colon).trim(), line.slice(colon + 1).trim(), /^cookie$/i.test(line.slice(0, colon).trim()) ? "; " : ", ");
  // curl's way to send a field without a value is a semicolon.
  else if (colon < 0 && line.endsWith(";")) fields.add(line.slice(0, -1).trim(), "");
  else throw new SyntaxError(`This is no header field: ${line.slice(0, 60)}`);
}

/** The path and query of an address. As curl does, takes the first of several addresses, and steps out of the way. */
function pathOf(address, { globs = false, dots = false } = {}) {
  const match = address.startsWith("/") ? [address, address.replace(/#.*$/s, "")] : /^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/?#]*([^#]*)/i.exec(address);
  const path = match[1].startsWith("/") ? match[1] : `/${match[1]}`;
  const one = globs ? path.replace(/\{([^{},]*)(?:,[^{}]*)*\}/g, "$1").replace(/\[(\w+)-\w+(?::\d+)?\]/g, "$1") : path;
  return globs && !dots ? withoutSteps(one) : one;
}

/** A path without the segments . and .. */
function withoutSteps(path) {
  const [, place, query] = /^([^?]*)(.*)$/s.exec(path);
  const kept = [];
  const segments = place.slice(1).split("/");
  segments.forEach((segment, i) => {
    const isStep = segment === "." || segment === "..";
    if (segment === "..") kept.pop();
    if (!isStep) kept.push(segment);
    else if (i === segments.length - 1) kept.push("");
  });
  return `/${kept.join("/")}${query}`;
}

function base64(text) {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

/** Writes the curl line of a request; `token` is shown as a variable, never itself. */
export function curlLine({ method, url, headers = {}, body, authorized = false }) {
  const parts = ["curl"];
  if (method !== "GET" && !(method === "POST" && body)) parts.push("-X", method);
  // Like a browser, curl takes dots for steps.
  if (/\/\.\.?(?=[/?]|$)/.test(url)) parts.push("--path-as-is");
  parts.push(quoted(url));
  if (authorized) parts.push('-H "Authorization: Bearer $WEIR_ADMIN_TOKEN"');
  for (const [name, value] of Object.entries(headers)) parts.push("-H", quoted(`${name}: ${value}`));
  // Unlike -d, it takes a leading @ as it is.
  if (body) parts.push("--data-raw", quoted(body));
  return parts.join(" ");
}
