import assert from "node:assert/strict";
import test from "node:test";
import { merged, mergedBySwitch } from "../../main/resources/dashboard/data/merge.js";
import { CALENDAR_SWITCH, policyFrom, valuesOf, withSeconds } from "../../main/resources/dashboard/data/policy.js";
import { ALGORITHM_SWITCH, specFrom, valuesOf as ruleValues } from "../../main/resources/dashboard/data/rule-text.js";

test("what I did not change is theirs", () => {
  const base = { a: "1", b: "1", c: "1", on: false, hours: { monday: "9-12", tuesday: "9-12" } };
  const mine = { ...base, a: "2", hours: { monday: "10-12", tuesday: "9-12" } };
  const theirs = { ...base, b: "3", on: true, hours: { monday: "9-12", tuesday: "" } };
  assert.deepEqual(merged(base, mine, theirs), {
    values: { a: "2", b: "3", c: "1", on: true, hours: { monday: "10-12", tuesday: "" } },
    conflicts: [],
  });
});

test("names what both changed, unless they agree", () => {
  const base = { a: "1", b: "1", hours: { monday: "" } };
  assert.deepEqual(merged(base, { a: "2", b: "2", hours: { monday: "9-12" } }, { a: "3", b: "2", hours: { monday: "8-12" } }), {
    values: { a: "2", b: "2", hours: { monday: "9-12" } },
    conflicts: ["a", "hours.monday"],
  });
});

test("a policy keeps the pause that came while another field was edited", () => {
  const base = { maxPerWindow: 100, windowSize: "PT4S", spread: "even", notBefore: "requested" };
  const theirs = { ...base, pausedUntil: "2033-10-30T01:30:00.123Z", maxDelay: "PT1H" };
  const mine = { ...valuesOf(base), maxPerWindow: "50" };
  const { values, conflicts } = merged(valuesOf(base), mine, valuesOf(theirs));
  assert.deepEqual(policyFrom(values, theirs), { ...theirs, maxPerWindow: 50, maxDelay: "PT3600S" });
  assert.deepEqual(conflicts, []);
});

test("a rule keeps the mode that came while its limit was edited", () => {
  const base = { name: "orders", algorithm: "FIXED_WINDOW", allowedRequests: 100, windowSeconds: 60, keyBy: ["ip"], mode: "enforce" };
  const mine = { ...ruleValues(base), allowedRequests: "50" };
  const { values } = merged(ruleValues(base), mine, ruleValues({ ...base, mode: "shadow", priority: 3 }));
  const spec = specFrom(values);
  assert.deepEqual([spec.allowedRequests, spec.mode, spec.priority], [50, "shadow", 3]);
});

const BASE = { maxPerWindow: 100, windowSize: "PT4S", spread: "even", notBefore: "requested" };
const HOURS = { timeZone: "Europe/Berlin", hours: { monday: ["09:00-12:00"], tuesday: ["09:00-12:00"] } };

function mergedPolicy(base, change, theirs) {
  const values = valuesOf(base);
  const result = mergedBySwitch(values, change(values), valuesOf(theirs), CALENDAR_SWITCH);
  return { policy: policyFrom(result.values, theirs), conflicts: result.conflicts };
}

test("hours that I changed and the other switched off stay, all of them, and are named", () => {
  const { policy, conflicts } = mergedPolicy({ ...BASE, calendar: HOURS }, (values) => ({ ...values, hours: { ...values.hours, monday: "10:00-12:00" } }), { ...BASE, maxPerWindow: 7 });
  assert.deepEqual(policy, { ...BASE, maxPerWindow: 7, calendar: { ...HOURS, hours: { ...HOURS.hours, monday: ["10:00-12:00"] } } });
  assert.deepEqual(conflicts, ["hasCalendar"]);
});

test("hours that the other changed and I switched off are named", () => {
  const later = { ...HOURS, hours: { monday: ["10:00-12:00"] } };
  const { policy, conflicts } = mergedPolicy({ ...BASE, calendar: HOURS }, (values) => ({ ...values, hasCalendar: false }), { ...BASE, calendar: later });
  assert.deepEqual(policy, BASE);
  assert.deepEqual(conflicts, ["hasCalendar"]);
});

test("what only one of us switches is no conflict", () => {
  const calendar = { ...BASE, calendar: HOURS };
  assert.deepEqual(mergedPolicy(calendar, (values) => ({ ...values, maxPerWindow: "7" }), BASE), { policy: { ...BASE, maxPerWindow: 7 }, conflicts: [] });
  assert.deepEqual(mergedPolicy(calendar, (values) => ({ ...values, hasCalendar: false }), { ...calendar, maxPerWindow: 7 }), { policy: { ...BASE, maxPerWindow: 7 }, conflicts: [] });
  assert.deepEqual(mergedPolicy(BASE, (values) => ({ ...values, ...valuesOf(calendar) }), { ...BASE, maxPerWindow: 7 }), { policy: { ...calendar, maxPerWindow: 7 }, conflicts: [] });
});

test("a zone that both chose differently is a conflict, whatever the zone of the browser", () => {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const mine = { ...HOURS, timeZone: zone };
  const theirs = { ...BASE, calendar: { ...HOURS, timeZone: "Pacific/Apia" } };
  const { policy, conflicts } = mergedPolicy(BASE, () => valuesOf({ ...BASE, calendar: mine }), theirs);
  assert.equal(policy.calendar.timeZone, zone);
  assert.deepEqual(conflicts, ["timeZone"]);
});

test("a pause that a control writes without its seconds is not taken for another one", () => {
  const base = { ...BASE, pausedUntil: "2033-10-30T01:30:00Z" };
  const read = valuesOf(base);
  const written = { ...read, pausedUntil: withSeconds(read.pausedUntil.replace(/:00$/, "")) };
  assert.deepEqual(mergedBySwitch(written, { ...written, pausedUntil: "" }, read, CALENDAR_SWITCH).conflicts, []);
  assert.equal(withSeconds("2033-10-30T01:30:04"), "2033-10-30T01:30:04");
  assert.equal(withSeconds(""), "");
});

test("a limit that I changed keeps the algorithm that the other switched away", () => {
  const base = { name: "orders", algorithm: "FIXED_WINDOW", allowedRequests: 100, windowSeconds: 60, queueEnabled: true, maxQueueSize: 3, keyBy: ["ip"] };
  const theirs = { name: "orders", algorithm: "TOKEN_BUCKET", capacity: 5, refillRate: 1, queueEnabled: true, maxQueueSize: 9, keyBy: ["ip"] };
  const values = ruleValues(base);
  const { values: both, conflicts } = mergedBySwitch(values, { ...values, windowSeconds: "30" }, ruleValues(theirs), ALGORITHM_SWITCH);
  const spec = specFrom(both);
  assert.deepEqual([spec.algorithm, spec.allowedRequests, spec.windowSeconds, spec.maxQueueSize, spec.capacity], ["FIXED_WINDOW", 100, 30, 9, undefined]);
  assert.deepEqual(conflicts, ["algorithm"]);
});

test("a limit that the other changed and I switched away is named", () => {
  const base = { name: "orders", algorithm: "FIXED_WINDOW", allowedRequests: 100, windowSeconds: 60, keyBy: ["ip"] };
  const values = ruleValues(base);
  const mine = { ...values, algorithm: "TOKEN_BUCKET", capacity: "5", refillRate: "1" };
  const changed = mergedBySwitch(values, mine, ruleValues({ ...base, allowedRequests: 50 }), ALGORITHM_SWITCH);
  assert.deepEqual(changed.conflicts, ["algorithm"]);
  assert.deepEqual([specFrom(changed.values).algorithm, specFrom(changed.values).capacity], ["TOKEN_BUCKET", 5]);
  assert.deepEqual(mergedBySwitch(values, mine, ruleValues({ ...base, priority: 3 }), ALGORITHM_SWITCH).conflicts, []);
  assert.deepEqual(mergedBySwitch(values, { ...values, allowedRequests: "7" }, ruleValues({ ...base, algorithm: "SLIDING_WINDOW" }), ALGORITHM_SWITCH).conflicts, []);
});
