// What is known about the stores of a node, in words. Pure functions.

const MODES = {
  store: "the store",
  fallback: "the fallback store",
  local: "each node's share in memory",
  open: "nowhere: everything passes",
  closed: "nowhere: everything is refused",
};

/** The state of a node, `[text, detail, tone]`. What it said last says nothing about one that does not answer. */
export function nodeState(state, isLost) {
  if (isLost) return ["Unknown", "the node does not answer", "danger"];
  if (!state) return ["–", "\u00a0", ""];
  if (!state.ready) return ["Not ready", state.reason, "danger"];
  if (state.mode !== "store" || state.storesGone.length > 0) return ["Degraded", `mode ${state.mode}`, "warning"];
  return ["Ready", state.modes.length > 0 ? "stores answer" : "no decision lately", "good"];
}

/** The state of the store of slots, `[text, tone]`: whether the node is ready is asked of it. */
export function slotStoreState(state) {
  return state.ready ? ["up", "good"] : ["down", "danger"];
}

/** The state of the store of limits, `[text, tone]`. Only decisions ask it, so without any it may not be known. */
export function limitStoreState(parts, state) {
  const { storesGone, modes } = state;
  if (storesGone.includes(parts.limitStore) || (storesGone.length > 0 && !modes.includes("store"))) return ["gone", "danger"];
  if (modes.some((mode) => mode !== "store")) return ["degraded", "warning"];
  if (modes.length > 0) return ["up", "good"];
  if (parts.limitStore === "memory") return ["up", "good"];
  return parts.limitStore === parts.slotStore ? slotStoreState(state) : ["not asked lately", ""];
}

/** Where recent decisions come from. */
export function modesText(modes) {
  if (modes.length === 0) return "no decision in the last 10 s";
  const texts = modes.map((mode) => MODES[mode] ?? mode);
  return texts.length === 1 ? texts[0] : texts.map((text) => `some from ${text}`.replace("from nowhere", "nowhere")).join("; ");
}
