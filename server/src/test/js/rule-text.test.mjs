import assert from "node:assert/strict";
import test from "node:test";
import { changes, countsOf, decisionText, limitText, matches, mostRefused, shadowText, specFrom, specOf, valuesOf } from "../../main/resources/dashboard/data/rule-text.js";

const RULE = {
  id: 7, name: "orders", algorithm: "FIXED_WINDOW", pathPattern: "/api/orders/**", methods: ["POST"], keyBy: ["header:X-Api-Key", "ip"], allowedRequests: 3,
  windowSeconds: 10, aligned: false, queueEnabled: true, maxQueueSize: 2, delayPerRequestMs: 500, priority: 0, mode: "enforce", active: true,
  onStoreFailure: "closed", version: 2, createdAt: "2026-06-01T11:00:00Z", updatedAt: "2026-06-01T11:00:00Z",
};

test("a rule survives its form", () => {
  assert.deepEqual(specFrom(valuesOf(RULE)), specOf(RULE));
});

test("a rule for all methods has none in its form, and is sent without them", () => {
  assert.ok(!("methods" in specOf({ ...RULE, methods: [] })));
  assert.deepEqual(specFrom(valuesOf({ ...RULE, methods: [] })), specOf({ ...RULE, methods: [] }));
});

test("fields of other algorithms are not sent", () => {
  const spec = specFrom({ ...valuesOf(RULE), algorithm: "CONCURRENCY", maxConcurrent: "5" });
  assert.equal(spec.maxConcurrent, 5);
  for (const name of ["allowedRequests", "windowSeconds", "queueEnabled", "aligned"]) assert.ok(!(name in spec), name);
});

test("a field that the form does not have stays as it is", () => {
  const rule = { ...RULE, note: "for partners" };
  assert.deepEqual(specFrom({ ...valuesOf(rule), allowedRequests: "4" }, rule), { ...specOf(rule), allowedRequests: 4 });
  assert.ok(!("pathPattern" in specFrom({ ...valuesOf(rule), pathPattern: "" }, rule)));
});

test("describes each kind of limit", () => {
  assert.equal(limitText(RULE), "3 per 10 s");
  assert.equal(limitText({ ...RULE, windowSeconds: 3630 }), "3 per 1 h 30 s");
  assert.equal(limitText({ algorithm: "TOKEN_BUCKET", capacity: 1000, refillRate: 2.5 }), "1,000 tokens, 2.5 per s");
  assert.equal(limitText({ algorithm: "CONCURRENCY", maxConcurrent: 5 }), "5 at the same time");
});

test("a search finds rules that have all its words", () => {
  assert.ok(matches(RULE, "ORDERS post"));
  assert.ok(matches(RULE, ""));
  assert.ok(!matches(RULE, "orders shadow"));
});

test("small numbers with an exponent are numbers", () => {
  const bucket = { ...RULE, algorithm: "TOKEN_BUCKET", capacity: 1, refillRate: 1e-7 };
  assert.equal(valuesOf(bucket).refillRate, "1e-7");
  assert.equal(specFrom(valuesOf(bucket)).refillRate, 1e-7);
  assert.equal(specFrom({ ...valuesOf(bucket), capacity: "1E3" }).capacity, 1000);
  assert.equal(specFrom({ ...valuesOf(bucket), capacity: "1e" }).capacity, "1e");
});

test("a rule that is not counted by itself has no counts", () => {
  assert.equal(countsOf({ rules: [] }, "orders"), null);
  assert.equal(countsOf({ rules: [{ rule: "orders", refused: 4 }] }, "orders").refused, 4);
});

test("the others together are among those that refused most, and no rule has their name", () => {
  const refusals = { rules: [{ rule: "a", refused: 5 }, { rule: "b", refused: 0 }, { rule: "c", refused: 1 }], otherRules: { refused: 3 } };
  assert.deepEqual(mostRefused(refusals).map((row) => row.rule), ["a", undefined, "c"]);
  assert.deepEqual(mostRefused({ ...refusals, otherRules: { refused: 0 } }).map((row) => row.rule), ["a", "c"]);
});

test("versions differ by fields, not by version and time", () => {
  assert.deepEqual(changes(RULE, { ...RULE, version: 3, updatedAt: "x", mode: "shadow", methods: [] }), ["methods: POST → all", "mode: enforce → shadow"]);
});

test("says what a rule decides", () => {
  assert.equal(decisionText({ outcome: "refused", retryAfter: 1.5 }), "refuses; ask again in 1.5 s");
  assert.equal(decisionText({ outcome: "queued", delayMs: 500 }), "lets it wait 500 ms");
  assert.equal(decisionText({ outcome: "allowed", remaining: 2, reset: 10 }), "allows it, 2 left, more in 10 s");
});

test("what a rule in shadow would only delay is not said to be refused", () => {
  assert.equal(shadowText({ ...RULE, queueEnabled: true }), "Would have refused or delayed");
  assert.equal(shadowText({ ...RULE, queueEnabled: false }), "Would have refused");
});
