// Follows the samples of the node while a page looks at them.

import { begin, get, Problem, withQuery } from "./http.js";
import { eventParser } from "./event-stream.js";

const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 15_000;

/** There is a sample each second: a connection without one is dead, whatever the system says about it. */
const MAX_SILENCE_MS = 5000;

/** A node that is stuck accepts connections and answers none; one whose store hangs takes its time. */
const MAX_ANSWER_MS = 15_000;

/**
 * Loads the last 15 minutes into `samples` and follows. Calls `onChange` after each change and
 * `onState(state)` with what the node says about itself; `onLink("live" | "lost", problem)` when the connection
 * comes and goes. Ends when `signal` is aborted, and holds no connection while the page is hidden.
 */
export async function follow(samples, { onChange, onState, onLink, signal }) {
  let pause = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    await visible(signal);
    if (signal.aborted) return;
    const round = new AbortController();
    const stop = () => round.abort();
    const hide = () => document.hidden && round.abort();
    signal.addEventListener("abort", stop);
    document.addEventListener("visibilitychange", hide);
    let late = setTimeout(stop, MAX_ANSWER_MS);
    let problem;
    try {
      const now = await get("/api/v1/dashboard/now", { signal: round.signal });
      samples.load(now);
      onState(now.state);
      onChange();
      const begun = () => {
        clearTimeout(late);
        pause = FIRST_PAUSE_MS;
      };
      // The node ends each stream after a while, so that nobody keeps a place without reading.
      while (await read(samples.last(), samples, { onChange, onState, onLink, signal: round.signal }, begun)) {
        clearTimeout(late);
        late = setTimeout(stop, MAX_ANSWER_MS);
      }
    } catch (caught) {
      if (caught.name !== "AbortError") problem = caught;
    } finally {
      clearTimeout(late);
      signal.removeEventListener("abort", stop);
      document.removeEventListener("visibilitychange", hide);
    }
    if (signal.aborted) return;
    onLink("lost", problem);
    if (problem instanceof Problem && problem.needsToken) return;
    await delay(pause, signal);
    pause = Math.min(pause * 2, MAX_PAUSE_MS);
  }
}

/** Reads a stream to its end. Returns whether the node asks to begin the next one at once. */
async function read(after, samples, { onChange, onState, onLink, signal }, connected) {
  const response = await begin(withQuery("/api/v1/dashboard/stream", { after }), { signal });
  onLink("live");
  connected();
  let goesOn = false;
  let received = 0;
  const parse = eventParser((name, data) => {
    if (name === "sample") {
      received += 1;
      if (samples.add(JSON.parse(data))) onChange();
    } else if (name === "state") onState(JSON.parse(data));
    else if (name === "end") goesOn = received > 0 && JSON.parse(data).reason === "renew";
  });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let piece = await soon(reader); !piece.done; piece = await soon(reader)) parse(piece.value);
  return goesOn;
}

/** Reads the next piece, or gives the connection up. */
async function soon(reader) {
  const timer = setTimeout(() => reader.cancel().catch(() => {}), MAX_SILENCE_MS);
  try {
    return await reader.read();
  } finally {
    clearTimeout(timer);
  }
}

function visible(signal) {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener("visibilitychange", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    document.addEventListener("visibilitychange", done);
    signal.addEventListener("abort", done);
  });
}

/** Waits, but not longer than until the node answers again. */
function delay(ms, signal) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      document.removeEventListener("nodelink", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
    document.addEventListener("nodelink", done);
  });
}

/** The state of the connection in words. */
export function linkText(link, problem) {
  if (link === "live") return "Live";
  if (problem?.needsToken) return "No access";
  return problem?.type === "too-many-viewers" ? "Too many viewers, trying again" : "Reconnecting";
}
