// Calls the service. The token of the administrator lives in this module's memory only.

import { parseJson } from "./json.js";

let token = "";
const tokenListeners = new Set();
let answers = true;

/** A connection that was cut silently never answers. A node whose database hangs takes its time. */
const MAX_ANSWER_MS = 30_000;

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
function authorization() {
  return token ? { Authorization: `Bearer ${token}` } : {};
}

/** Sends a request and returns the response as it is, whatever its status. */
export async function send(method, path, { body, headers = {}, signal } = {}) {
  const sent = { Accept: "application/json, application/problem+json", ...authorization(), ...headers };
  if (body !== undefined && !Object.keys(sent).some((name) => name.toLowerCase() === "content-type")) {
    sent["Content-Type"] = "application/json";
  }
  const fields = headerFields(sent);
  try {
    const response = await fetch(path, {
      method,
      headers: fields,
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
    throw unanswered();
  }
}

/** What a browser refuses to send says nothing about the node. */
function headerFields(sent) {
  const fields = new Headers();
  for (const [name, value] of Object.entries(sent)) {
    try {
      fields.set(name, value);
    } catch {
      throw new Problem(400, { detail: `The header field ${name} has characters that cannot be sent.` });
    }
  }
  return fields;
}

/** What is wrong with a text that is to be a token; empty if nothing is. */
export function wrongToken(text) {
  if (text === "") return "Enter a token.";
  return /^[\x21-\x7e]+$/.test(text) ? "" : "A token has only letters, digits and signs of ASCII, and no space.";
}

function unanswered() {
  return new Problem(0, { detail: "The service does not answer." });
}

/** Tells the document when the node stops answering, and when it answers again. */
function heard(answered) {
  if (answers === answered) return;
  answers = answered;
  document.dispatchEvent(new CustomEvent("nodelink", { detail: answered }));
}

async function parsed(response) {
  const text = await response.text().catch((cause) => {
    throw cause.name === "AbortError" ? cause : unanswered();
  });
  try {
    return text === "" ? {} : parseJson(text);
  } catch {
    return { detail: text.slice(0, 300) };
  }
}

/**
 * Sends a request and returns its JSON, or throws a {@link Problem}. What only reads is given up after a while:
 * pages that ask again and again wait for an answer first.
 */
export async function call(method, path, { signal, reads = method === "GET", ...options } = {}) {
  const used = token;
  const bounds = [signal, reads && AbortSignal.timeout(MAX_ANSWER_MS)].filter(Boolean);
  const response = await send(method, path, { ...options, signal: bounds.length > 0 ? AbortSignal.any(bounds) : undefined });
  const body = await parsed(response);
  if (response.ok) return body;
  throw refused(new Problem(response.status, body), used);
}

/** Asks for a token if that is what a request lacked, which was sent with `used`. Returns the problem. */
function refused(problem, used) {
  // About a token that was replaced meanwhile, nothing needs to be said.
  if (problem.needsToken && used === token) document.dispatchEvent(new CustomEvent("tokenneeded", { detail: problem }));
  return problem;
}

/** Begins a stream of events, or throws a {@link Problem}. */
export async function begin(path, { signal }) {
  const used = token;
  const response = await send("GET", path, { headers: { Accept: "text/event-stream" }, signal });
  if (!response.ok) throw refused(new Problem(response.status, await parsed(response)), used);
  return response;
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

/** A segment of a path. One or two dots are a step to a browser, in every way of writing them. */
export function segment(text) {
  if (text === "." || text === "..") {
    throw new Problem(400, { detail: `A browser cannot ask for the id “${text}”. Use another client, such as curl --path-as-is.` });
  }
  return encodeURIComponent(text);
}
