// Rules in words, and from and to a form. Pure functions.

import { count, exactSpan, span } from "./format.js";
import { appliesTo, RULE_FIELDS } from "./rule-fields.js";

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
  return Object.fromEntries(RULE_FIELDS.map(({ name, kind, byDefault }) => {
    const value = rule[name] ?? byDefault;
    if (kind === "flag") return [name, value];
    return [name, Array.isArray(value) ? value.join(", ") : String(value ?? "")];
  }));
}

/** What fields of limits depend on. */
export const ALGORITHM_SWITCH = {
  name: "algorithm",
  uses: ({ algorithm }) => RULE_FIELDS.filter((field) => field.only && appliesTo(field, algorithm)).map(({ name }) => name),
};

/** What a field for numbers accepts, which writes small ones with an exponent. */
const NUMBER = /^-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/**
 * The rule of the values of a form, without fields of other algorithms, because the server refuses them. A field of
 * `rule` that the form does not have stays as it is: the page may be older than the server.
 */
export function specFrom(values, rule = {}) {
  const spec = specOf(rule);
  for (const field of RULE_FIELDS) {
    delete spec[field.name];
    const value = appliesTo(field, values.algorithm) ? sent(field.kind, values[field.name]) : undefined;
    if (value !== undefined) spec[field.name] = value;
  }
  return spec;
}

/** What is sent for what a form has; undefined for nothing. */
function sent(kind, value) {
  if (kind === "flag") return value;
  const text = value.trim();
  if (kind === "list") {
    const list = text.split(",").map((one) => one.trim()).filter((one) => one !== "");
    return list.length > 0 ? list : undefined;
  }
  if (text === "") return undefined;
  return kind === "number" && NUMBER.test(text) ? Number(text) : text;
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

