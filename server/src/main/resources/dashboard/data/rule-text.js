// Rules in words, and from and to a form. Pure functions.

import { count, exactSpan, span } from "./format.js";

export const ALGORITHMS = [
  ["FIXED_WINDOW", "fixed window"],
  ["SLIDING_WINDOW", "sliding window"],
  ["TOKEN_BUCKET", "token bucket"],
  ["CONCURRENCY", "concurrency"],
];

const READ_ONLY = ["id", "version", "createdAt", "updatedAt", "changedBy", "removed"];

/** The part of a rule that can be changed. An answer has no methods for all of them; a request leaves them out. */
export function specOf(rule) {
  return Object.fromEntries(Object.entries(rule).filter(([name, value]) => !READ_ONLY.includes(name) && !(name === "methods" && value.length === 0)));
}

/** The limit of a rule in a few words: 100 per 1 min. */
export function limitText(rule) {
  switch (rule.algorithm) {
    case "TOKEN_BUCKET":
      return `${count(rule.capacity)} tokens, ${rule.refillRate} per s`;
    case "CONCURRENCY":
      return `${count(rule.maxConcurrent)} at the same time`;
    default:
      return `${count(rule.allowedRequests)} per ${exactSpan(rule.windowSeconds * 1000)}`;
  }
}

/** The covered requests in a few words. */
export function coverText(rule) {
  if (!rule.pathPattern) return "by name only";
  return `${rule.methods?.length > 0 ? `${rule.methods.join(", ")} ` : ""}${rule.pathPattern}`;
}

export function queueText(rule) {
  if (!rule.queueEnabled) return "none";
  return `${count(rule.maxQueueSize)}, ${exactSpan(rule.delayPerRequestMs)} each`;
}

/** Whether a rule has the words of a search in its name, path, methods, key, mode or algorithm. */
export function matches(rule, search) {
  const text = [rule.name, rule.pathPattern, rule.methods, rule.keyBy, rule.mode, rule.algorithm, rule.active ? "active" : "inactive"]
    .flat().join(" ").toLowerCase();
  return search.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

/** The values of a form for a rule. */
export function valuesOf(rule) {
  return {
    name: rule.name ?? "",
    algorithm: rule.algorithm ?? "FIXED_WINDOW",
    pathPattern: rule.pathPattern ?? "",
    methods: (rule.methods ?? []).join(", "),
    keyBy: (rule.keyBy ?? ["ip"]).join(", "),
    allowedRequests: String(rule.allowedRequests ?? ""),
    windowSeconds: String(rule.windowSeconds ?? ""),
    aligned: rule.aligned ?? false,
    capacity: String(rule.capacity ?? ""),
    refillRate: String(rule.refillRate ?? ""),
    maxConcurrent: String(rule.maxConcurrent ?? ""),
    leaseTtl: rule.leaseTtl ?? "",
    queueEnabled: rule.queueEnabled ?? false,
    maxQueueSize: String(rule.maxQueueSize ?? ""),
    delayPerRequestMs: String(rule.delayPerRequestMs ?? ""),
    priority: String(rule.priority ?? 0),
    mode: rule.mode ?? "enforce",
    active: rule.active ?? true,
    onStoreFailure: rule.onStoreFailure ?? "closed",
  };
}

/** Fields that an algorithm has; those of others are not sent, because the server refuses them. */
export const FIELDS = {
  FIXED_WINDOW: ["allowedRequests", "windowSeconds", "aligned", "queueEnabled", "maxQueueSize", "delayPerRequestMs"],
  SLIDING_WINDOW: ["allowedRequests", "windowSeconds", "queueEnabled", "maxQueueSize", "delayPerRequestMs"],
  TOKEN_BUCKET: ["capacity", "refillRate", "queueEnabled", "maxQueueSize", "delayPerRequestMs"],
  CONCURRENCY: ["maxConcurrent", "leaseTtl"],
};

/** What fields of limits depend on. */
export const ALGORITHM_SWITCH = { name: "algorithm", uses: (values) => FIELDS[values.algorithm] };

const ALL_LIMIT_FIELDS = [...new Set(Object.values(FIELDS).flat())];
const NUMBERS = ["allowedRequests", "windowSeconds", "capacity", "refillRate", "maxConcurrent", "maxQueueSize", "delayPerRequestMs", "priority"];

/** What a field for numbers accepts, which writes small ones with an exponent. */
const NUMBER = /^-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** The rule of the values of a form. */
export function specFrom(values) {
  const spec = {};
  for (const [name, value] of Object.entries(values)) {
    if (ALL_LIMIT_FIELDS.includes(name) && !FIELDS[values.algorithm].includes(name)) continue;
    if (typeof value === "boolean") spec[name] = value;
    else if (name === "methods" || name === "keyBy") {
      const list = value.split(",").map((one) => one.trim()).filter((one) => one !== "");
      if (list.length > 0) spec[name] = list;
    } else if (value.trim() !== "") {
      spec[name] = NUMBERS.includes(name) && NUMBER.test(value.trim()) ? Number(value) : value.trim();
    }
  }
  return spec;
}

/** What a rule did, of the counts of the last 15 minutes; null if it is not counted by itself. */
export function countsOf(refusals, name) {
  return refusals.rules.find((row) => row.rule === name) ?? null;
}

/** What a rule in shadow did not let pass, in a word: with a queue it would delay some of it. */
export function shadowText(rule) {
  return rule.queueEnabled ? "Would have refused or delayed" : "Would have refused";
}

/** Rows of rules that refused something, the most first. The row without a name is of the others together. */
export function mostRefused(refusals) {
  return [...refusals.rules, ...(refusals.otherRules ? [refusals.otherRules] : [])]
    .filter((row) => row.refused > 0)
    .sort((one, other) => other.refused - one.refused);
}

/** What differs between two versions of a rule: `field: old → new`. */
export function changes(before, after) {
  const [old, young] = [specOf(before ?? {}), specOf(after)];
  return [...new Set([...Object.keys(old), ...Object.keys(young)])]
    .filter((name) => JSON.stringify(old[name]) !== JSON.stringify(young[name]))
    .map((name) => `${name}: ${text(name, old[name])} → ${text(name, young[name])}`);
}

function text(name, value) {
  if (value === undefined) return name === "methods" ? "all" : "none";
  return Array.isArray(value) ? value.join(", ") : String(value);
}

/** How one rule decides a described request, in a sentence. */
export function decisionText(result) {
  if (result.outcome === "refused") return `refuses; ask again in ${span((result.retryAfter ?? 0) * 1000)}`;
  if (result.outcome === "queued") return `lets it wait ${span(result.delayMs)}`;
  return `allows it, ${count(result.remaining)} left${result.reset ? `, more in ${span(result.reset * 1000)}` : ""}`;
}

