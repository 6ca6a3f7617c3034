// Says on every page whether the node answers and is ready, while somebody looks.

import { setText } from "./dom.js";
import { send } from "../data/http.js";

const BEAT_MS = 5000;
const AGAIN_MS = 2000;

/** A connection that was cut silently never answers. */
const MAX_ANSWER_MS = 10_000;

/**
 * Asks the node how it is, and shows in `place` what is wrong. Calls `onChange(state)` when that
 * becomes another one of "ready", "unready" and "lost". Asks nothing while the page is hidden.
 */
export function watch(place, onChange) {
  let state = "ready";
  let timer = 0;
  let turn = 0;

  async function beat() {
    clearTimeout(timer);
    if (document.hidden) return;
    const own = ++turn;
    const found = await health();
    if (own !== turn) return;
    setText(place, found.text);
    place.hidden = found.state === "ready";
    place.dataset.tone = found.state === "lost" ? "danger" : "warning";
    const before = state;
    state = found.state;
    clearTimeout(timer);
    timer = setTimeout(beat, state === "ready" ? BEAT_MS : AGAIN_MS);
    if (state !== before) onChange(state);
  }

  document.addEventListener("visibilitychange", beat);
  // Another request found out that the node is gone, or that it is back.
  document.addEventListener("nodelink", ({ detail: answers }) => {
    if (answers !== (state !== "lost")) beat();
  });
  beat();
}

async function health() {
  let response;
  try {
    response = await send("GET", "/health/ready", { signal: AbortSignal.timeout(MAX_ANSWER_MS) });
  } catch {
    return { state: "lost", text: "The node does not answer. What you see may be out of date; this page goes on when it is back." };
  }
  if (response.ok) return { state: "ready", text: "" };
  const { reason } = await response.json().catch(() => ({}));
  return { state: "unready", text: `The node is not ready: ${reason ?? `it answered ${response.status}`}. This page goes on when it is.` };
}
