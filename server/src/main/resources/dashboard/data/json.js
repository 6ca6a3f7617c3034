// JSON whose whole numbers stay exact: ids of 64 bits do not fit into the numbers of JavaScript. Pure functions.

const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}[\],:]|true|false|null/g;
const LONG = /\d{16}/;

/** Reads JSON. A whole number that JavaScript would round is read as text. */
export function parseJson(text) {
  const exact = LONG.test(text)
    ? text.replace(TOKENS, (token) => (/^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token))
    : text;
  return JSON.parse(exact);
}

/** Writes an object with a whole number before its other members, digit by digit. */
export function jsonWithNumber(name, digits, others) {
  if (!/^\d+$/.test(digits)) throw new SyntaxError(`${name} must be a whole number, not ${digits}.`);
  const rest = JSON.stringify(others).slice(1);
  return `{${JSON.stringify(name)}:${BigInt(digits)}${rest === "}" ? "" : ","}${rest}`;
}

/** JSON with indents, its numbers and texts as they came; any other text as it is. */
export function indented(text) {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  const tokens = text.match(TOKENS);
  let depth = 0;
  let result = "";
  tokens.forEach((token, i) => {
    if (token === "}" || token === "]") {
      depth -= 1;
      if (tokens[i - 1] !== "{" && tokens[i - 1] !== "[") result += newLine(depth);
      result += token;
    } else if (token === "{" || token === "[") {
      depth += 1;
      result += token;
      if (tokens[i + 1] !== "}" && tokens[i + 1] !== "]") result += newLine(depth);
    } else if (token === ",") result += `,${newLine(depth)}`;
    else result += token === ":" ? ": " : token;
  });
  return result;
}

function newLine(depth) {
  return `\n${"  ".repeat(depth)}`;
}
