// Calls the service. The token of the administrator lives in this module's memory only.

let token = "";
const tokenListeners = new Set();
let answers = true;

/** An answer that is not 2xx: what the service says about it. */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail || body.title || `The service answered ${status}.`);
    this.status = status;
    this.type = String(body.type ?? "").replace(/^urn:weir:problem:/, "");
    this.errors = Array.isArray(body.errors) ? body.errors : [];
    this.body = body;
  }

  get needsToken() {
    return this.status === 401 || (this.status === 403 && this.type === "not-allowed");
  }

  /** Whether the same request may succeed later: the node or its store does not answer. */
  get passes() {
    return this.status === 0 || this.status >= 500;
  }
}

export function setToken(value) {
  token = value;
  for (const listener of tokenListeners) listener(value !== "");
}

export function hasToken() {
  return token !== "";
}

/** Calls `listener` when a token was entered or removed. */
export function onToken(listener) {
  tokenListeners.add(listener);
}

/** Header fields that prove who calls. */
export function authorization() {
  return token ? { Authorization: `Bearer ${token}` } : {};
}

/** Sends a request and returns the response as it is, whatever its status. */
export async function send(method, path, { body, headers = {}, signal } = {}) {
  const sent = { Accept: "application/json, application/problem+json", ...authorization(), ...headers };
  if (body !== undefined && !Object.keys(sent).some((name) => name.toLowerCase() === "content-type")) {
    sent["Content-Type"] = "application/json";
  }
  try {
    const response = await fetch(path, {
      method,
      headers: sent,
      body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
      signal,
      cache: "no-store",
      credentials: "omit",
    });
    heard(true);
    return response;
  } catch (cause) {
    if (cause.name === "AbortError") throw cause;
    heard(false);
    throw new Problem(0, { detail: "The service does not answer." });
  }
}

/** Tells the document when the node stops answering, and when it answers again. */
function heard(answered) {
  if (answers === answered) return;
  answers = answered;
  document.dispatchEvent(new CustomEvent("nodelink", { detail: answered }));
}

async function parsed(response) {
  const text = await response.text();
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    return { detail: text.slice(0, 300) };
  }
}

/** Sends a request and returns its JSON, or throws a {@link Problem}. */
export async function call(method, path, options = {}) {
  const response = await send(method, path, options);
  const body = await parsed(response);
  if (response.ok) return body;
  const problem = new Problem(response.status, body);
  if (problem.needsToken) document.dispatchEvent(new CustomEvent("tokenneeded", { detail: problem }));
  throw problem;
}

export const get = (path, options) => call("GET", path, options);
export const post = (path, body, options) => call("POST", path, { ...options, body });

/** A path with a query, without the parameters that are empty. */
export function withQuery(path, parameters) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== null && value !== "") query.set(name, String(value));
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

/** A segment of a path. Dots alone would be taken for a step up. */
export function segment(text) {
  return encodeURIComponent(text).replace(/^\.+$/, (dots) => dots.replaceAll(".", "%2E"));
}
