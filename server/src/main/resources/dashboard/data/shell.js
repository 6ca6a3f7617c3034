// Command lines of a shell: reads the words of the first command, and quotes words. Pure functions.

const ESCAPES = { a: "\x07", b: "\b", e: "\x1b", E: "\x1b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

/** The bytes of \x and octal escapes one after the other, a character by its number, a control, or a single character. */
const ESCAPE = /((?:\\x[\da-fA-F]{1,2}|\\[0-7]{1,3})+)|\\u([\da-fA-F]{1,4})|\\U([\da-fA-F]{1,8})|\\c(.)|\\(.)/gs;

/** Characters that mean nothing to a shell. */
const PLAIN = /[^\s'"\\$#<>&|;()]+/y;

/** Replaces the escapes of a word in $'…'. */
function unescaped(text) {
  return text.replace(ESCAPE, (all, bytes, short, long, control, single) => {
    if (bytes) {
      const values = bytes.match(/\\x[\da-fA-F]+|\\[0-7]+/g).map((one) => (one[1] === "x" ? parseInt(one.slice(2), 16) : parseInt(one.slice(1), 8) & 0xff));
      return new TextDecoder().decode(Uint8Array.from(values));
    }
    if (short || long) {
      const point = parseInt(short ?? long, 16);
      return point <= 0x10ffff ? String.fromCodePoint(point) : "\ufffd";
    }
    if (control) return String.fromCharCode(control.charCodeAt(0) & 0x1f);
    return ESCAPES[single] ?? ("\\'\"?".includes(single) ? single : all);
  });
}

/**
 * Splits the first command of a line as a shell does: quotes, backslashes, line continuations. What comes after
 * an operator such as `|` or `;`, redirections and comments are left out. Variables stay as they are written.
 */
export function words(line) {
  const result = [];
  let word = null;
  let dropsNext = false; // the target of a redirection
  let i = 0;

  const end = () => {
    if (word !== null && !dropsNext) result.push(word);
    if (word !== null) dropsNext = false;
    word = null;
  };
  /** Index of the end of a quote that begins before `from`; `escapes` tells whether a backslash hides it. */
  const closing = (quote, from, escapes) => {
    for (let at = from; at < line.length; at++) {
      if (escapes && line[at] === "\\") at += 1;
      else if (line[at] === quote) return at;
    }
    throw new SyntaxError(`A quote ${quote} is not closed.`);
  };

  for (; i < line.length; i++) {
    const c = line[i];
    const next = line[i + 1];
    if (c === "$" && next === "'") {
      const close = closing("'", i + 2, true);
      word = (word ?? "") + unescaped(line.slice(i + 2, close));
      i = close;
    } else if (c === "'") {
      const close = closing("'", i + 1, false);
      word = (word ?? "") + line.slice(i + 1, close);
      i = close;
    } else if (c === '"' || (c === "$" && next === '"')) {
      const begin = c === "$" ? i + 2 : i + 1;
      const close = closing('"', begin, true);
      word = (word ?? "") + line.slice(begin, close).replace(/\\(["\\$`]|\r?\n)/g, (all, one) => (/\n/.test(one) ? "" : one));
      i = close;
    } else if (c === "$" && next === "(") {
      const close = closing(")", i + 2, true);
      word = (word ?? "") + line.slice(i, close + 1);
      i = close;
    } else if (c === "\\" && i + 1 < line.length) {
      i += 1;
      if (line[i] === "\r" && line[i + 1] === "\n") i += 1;
      else if (line[i] !== "\n") word = (word ?? "") + line[i];
    } else if (c === "\n") {
      end();
      // A line that begins with an option is meant to go on, though its backslash is missing.
      if (result.length > 0 && !/^\s*-/.test(line.slice(i + 1, i + 200))) break;
    } else if (/\s/.test(c)) {
      end();
    } else if (c === "#" && word === null) {
      const lineEnd = line.indexOf("\n", i);
      i = (lineEnd < 0 ? line.length : lineEnd) - 1;
    } else if (c === "<" || c === ">" || (c === "&" && next === ">")) {
      if (word !== null && /^\d+$/.test(word)) word = null; // the number of what is redirected
      end();
      while ("<>&|".includes(line[i + 1] ?? " ")) i += 1;
      dropsNext = true;
    } else if ("|&;()".includes(c)) {
      break;
    } else {
      PLAIN.lastIndex = i;
      const run = PLAIN.exec(line)?.[0] ?? c;
      word = (word ?? "") + run;
      i += run.length - 1;
    }
  }
  end();
  return result;
}

/** Quotes a word for a POSIX shell. */
export function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
