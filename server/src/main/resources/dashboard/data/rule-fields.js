// The fields of a rule as a form shows them: one entry for each.

export const ALGORITHMS = [
  ["FIXED_WINDOW", "fixed window"],
  ["SLIDING_WINDOW", "sliding window"],
  ["TOKEN_BUCKET", "token bucket"],
  ["CONCURRENCY", "concurrency"],
];

const MODES = [["enforce", "enforce"], ["shadow", "shadow: count, refuse nothing"]];
const FAILURES = [["closed", "refuse"], ["fallback", "use the next store"], ["local", "each node its share"], ["open", "let everything pass"]];

const WINDOWS = ["FIXED_WINDOW", "SLIDING_WINDOW"];
const RATES = [...WINDOWS, "TOKEN_BUCKET"];

/** The parts of the form. */
export const GROUPS = ["covers", "limit", "queue", "effect"];

/**
 * In the order of the form. `kind` is text, list, number, choice or flag; `only` are the algorithms that have the field,
 * if not all do; `byDefault` is its value in a rule that has none.
 */
export const RULE_FIELDS = [
  { name: "name", group: "covers", kind: "text", label: "Name", attributes: { maxlength: "100", required: true, placeholder: "orders" } },
  { name: "pathPattern", group: "covers", kind: "text", label: "Path", hint: "* is a segment, ** any number. Empty: by name only", attributes: { maxlength: "1000", placeholder: "/api/orders/**", class: "mono" } },
  { name: "methods", group: "covers", kind: "list", label: "Methods", hint: "Such as POST, PUT", attributes: { placeholder: "all" } },
  { name: "keyBy", group: "covers", kind: "list", label: "Counted by", hint: "ip, path, global, header:Name", byDefault: ["ip"], attributes: { placeholder: "ip" } },
  { name: "algorithm", group: "limit", kind: "choice", label: "Algorithm", options: ALGORITHMS, byDefault: "FIXED_WINDOW" },
  { name: "allowedRequests", group: "limit", kind: "number", label: "Requests", only: WINDOWS, attributes: { min: "1" } },
  { name: "windowSeconds", group: "limit", kind: "number", label: "Window in seconds", only: WINDOWS, attributes: { min: "0.001" } },
  { name: "capacity", group: "limit", kind: "number", label: "Tokens", only: ["TOKEN_BUCKET"], attributes: { min: "1" } },
  { name: "refillRate", group: "limit", kind: "number", label: "Tokens per second", only: ["TOKEN_BUCKET"], attributes: { min: "0" } },
  { name: "maxConcurrent", group: "limit", kind: "number", label: "At the same time", only: ["CONCURRENCY"], attributes: { min: "1" } },
  { name: "leaseTtl", group: "limit", kind: "text", label: "Lease", only: ["CONCURRENCY"], attributes: { placeholder: "PT1M" } },
  { name: "aligned", group: "limit", kind: "flag", label: "Windows aligned to the clock", only: ["FIXED_WINDOW"], byDefault: false },
  { name: "queueEnabled", group: "queue", kind: "flag", label: "Let requests wait in a queue", only: RATES, byDefault: false, wide: true },
  { name: "maxQueueSize", group: "queue", kind: "number", label: "Max waiting", only: RATES, attributes: { min: "0", max: "100000" } },
  { name: "delayPerRequestMs", group: "queue", kind: "number", label: "Delay for each, ms", only: RATES, attributes: { min: "1", max: "30000", placeholder: "100" } },
  { name: "mode", group: "effect", kind: "choice", label: "Mode", options: MODES, byDefault: "enforce" },
  { name: "priority", group: "effect", kind: "number", label: "Priority", byDefault: 0, attributes: { min: "-1000000", max: "1000000" } },
  { name: "onStoreFailure", group: "effect", kind: "choice", label: "If the store is gone", options: FAILURES, byDefault: "closed" },
  { name: "active", group: "effect", kind: "flag", label: "Active", byDefault: true },
];

/** Whether rules with an algorithm have a field. */
export function appliesTo({ only }, algorithm) {
  return !only || only.includes(algorithm);
}
