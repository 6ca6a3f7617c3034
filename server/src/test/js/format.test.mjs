import assert from "node:assert/strict";
import test from "node:test";
import { clock, duration, exactSpan, inZone, millis, parseDuration, percent, printable, printableId, relative, short, span, zoneText } from "../../main/resources/dashboard/data/format.js";

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

test("writes a length of time that was set so that another one reads otherwise", () => {
  assert.equal(duration("PT1H"), "1 h");
  assert.equal(duration("PT1H30S"), "1 h 30 s");
  assert.equal(duration("PT24H30M"), "1 d 30 min");
  assert.equal(duration("PT1.25S"), "1.25 s");
  assert.equal(duration("PT4.000001S"), "4.000001 s");
  assert.equal(duration("PT0.0015S"), "1.5 ms");
  assert.equal(duration("PT0S"), "0 ms");
  assert.equal(duration("-PT1M"), "−1 min");
  assert.equal(exactSpan(NaN), "–");
});

test("names the zone of its times, and writes those of the server in it", () => {
  const before = process.env.TZ;
  try {
    process.env.TZ = "Asia/Kolkata";
    assert.equal(zoneText(0, "Asia/Kolkata"), "Asia/Kolkata (UTC+05:30)");
    assert.equal(inZone("free at 2026-06-01T20:00:00.250Z, or not"), "free at 2026-06-02 01:30:00, or not");
    process.env.TZ = "America/St_Johns";
    assert.equal(zoneText(Date.parse("2026-01-01T00:00:00Z"), "America/St_Johns"), "America/St_Johns (UTC−03:30)");
    process.env.TZ = "UTC";
    assert.equal(zoneText(0, "UTC"), "UTC");
    assert.equal(zoneText(0, ""), "UTC");
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
});

test("keeps the digits that matter", () => {
  assert.equal(millis(0.123), "0.12 ms");
  assert.equal(millis(3.14), "3.1 ms");
  assert.equal(millis(1234), "1.2 s");
  assert.equal(millis(12_345), "12.3 s");
  assert.equal(percent(0.1234), "12.3 %");
  assert.equal(percent(0), "0 %");
  assert.equal(percent(1), "100 %");
  assert.equal(percent(1.25), "125 %");
  assert.equal(short(1_234_567), "1.2M");
  assert.equal(short(999), "999");
  assert.equal(short(undefined), "–");
});

test("a share is not written as nothing or all if it is not", () => {
  assert.equal(percent(400 / 1_000_000), "< 0.1 %");
  assert.equal(percent(999_999 / 1_000_000), "> 99.9 %");
  assert.equal(percent(1_000_001 / 1_000_000), "> 100 %");
  assert.equal(percent(0.0005), "0.1 %");
  assert.equal(percent(0.9994), "99.9 %");
});

test("says how far away a time is", () => {
  assert.equal(relative(10_000, 4000), "in 6 s");
  assert.equal(relative(4000, 64_000), "1 min ago");
  assert.equal(relative(4000, 4500), "now");
});

test("shows what could pass one id off as another", () => {
  assert.equal(printable("pay-\u202e321"), "pay-\\u202e321");
  assert.equal(printable("a\u2066b\u2069\u200f\u061c"), "a\\u2066b\\u2069\\u200f\\u061c");
  assert.equal(printable("zero\u200bwidth\ufeff\u0000\u001b"), "zero\\u200bwidth\\ufeff\\u0000\\u001b");
  for (const plain of ["שלום", "日本", "a\tb\nc", "\u00a0", "👩‍💻", "❤️ 👍🏽", "pay-1", "क\u094dष"]) assert.equal(printable(plain), plain);
});

test("shows what is ignored by default, whatever its plane", () => {
  assert.equal(printable("a\u00adb\u034fc\u115fd\u3164e\u180ef"), "a\\u00adb\\u034fc\\u115fd\\u3164e\\u180ef");
  assert.equal(printable("pay\u200d1\ufe0f"), "pay\\u200d1\\ufe0f");
  assert.equal(printable("x\u{e0041}"), "x\\udb40\\udc41");
  assert.equal(printable("lone\ud800"), "lone\\ud800");
  assert.equal(printable("👍\u200bx"), "👍\\u200bx");
});

test("shows the breaks and spaces of an id", () => {
  assert.equal(printableId(" a  b\tc\nd\u00a0e "), "\\u0020a \\u0020b\\u0009c\\u000ad\\u00a0e\\u0020");
  assert.equal(printableId("pay 1"), "pay 1");
  assert.equal(printableId(7), "7");
});

test("a day of another year has its year", () => {
  const now = new Date(2026, 5, 1, 12).getTime();
  assert.equal(clock(new Date(2026, 11, 24, 9, 30), now), "24 Dec 09:30");
  assert.equal(clock(new Date(2027, 5, 1, 9, 30), now), "1 Jun 2027 09:30");
  assert.equal(clock(new Date(2099, 5, 1, 9, 30), now), "1 Jun 2099");
});
