import assert from "node:assert/strict";
import test from "node:test";
import { duration, millis, parseDuration, percent, relative, short, span } from "../../main/resources/dashboard/format.js";

test("writes lengths of time in at most two units", () => {
  assert.equal(span(0), "0 ms");
  assert.equal(span(250), "250 ms");
  assert.equal(span(4000), "4 s");
  assert.equal(span(90_000), "1 min 30 s");
  assert.equal(span(3_600_000), "1 h");
  assert.equal(span(90_061_000), "1 d 1 h");
  assert.equal(span(-1500), "−1.5 s");
  assert.equal(span(NaN), "–");
});

test("reads ISO-8601 durations and nothing else", () => {
  assert.equal(parseDuration("PT4S"), 4000);
  assert.equal(parseDuration("P1DT2H3M4.5S"), 93_784_500);
  assert.equal(parseDuration("-PT1M"), -60_000);
  for (const wrong of ["", "P", "PT", "P1DT", "4 s", "PT1.5M"]) assert.ok(Number.isNaN(parseDuration(wrong)), wrong);
  assert.equal(duration("PT24H"), "1 d");
  assert.equal(duration("soon"), "soon");
});

test("keeps the digits that matter", () => {
  assert.equal(millis(0.123), "0.12 ms");
  assert.equal(millis(3.14), "3.1 ms");
  assert.equal(millis(1234), "1.2 s");
  assert.equal(millis(12_345), "12.3 s");
  assert.equal(percent(0.1234), "12.3 %");
  assert.equal(short(1_234_567), "1.2M");
  assert.equal(short(999), "999");
  assert.equal(short(undefined), "–");
});

test("says how far away a time is", () => {
  assert.equal(relative(10_000, 4000), "in 6 s");
  assert.equal(relative(4000, 64_000), "1 min ago");
  assert.equal(relative(4000, 4500), "now");
});
