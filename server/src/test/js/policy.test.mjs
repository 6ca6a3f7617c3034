import assert from "node:assert/strict";
import test from "node:test";
import { parseDuration } from "../../main/resources/dashboard/data/format.js";
import { differences, formField, hoursOf, isoDuration, policyFrom, policyOf, policyText, precondition, valuesOf, flattened } from "../../main/resources/dashboard/data/policy.js";

const CONFIGURATION = {
  configName: "statements", version: 3, active: true, maxPerWindow: 600, windowSize: "PT1M", windowSizeSecs: 60, spread: "even", notBefore: "now",
  maxDelay: "PT24H", peakPerSecond: 12, createdAt: "2026-06-01T11:02:58Z",
  calendar: { timeZone: "Europe/Berlin", hours: { monday: ["09:00-12:00", "13:00-17:00"] }, closedDates: ["2026-12-25"] },
};

test("a policy survives its form", () => {
  const policy = policyOf(CONFIGURATION);
  const values = valuesOf(policy);
  assert.equal(values.windowSize, "1 min");
  assert.deepEqual(policyFrom(values), { ...policy, windowSize: "PT60S", maxDelay: "PT86400S" });
  assert.equal(valuesOf({ windowSize: "PT1H1M1S" }).windowSize, "1 h 1 min 1 s");
  for (const windowSize of ["PT1H1M1S", "PT0.001S", "PT4.000001S", "PT743H59M59.999999S"]) {
    const { windowSize: sent } = policyFrom(valuesOf({ windowSize }));
    assert.equal(parseDuration(sent), parseDuration(windowSize), windowSize);
  }
});

test("fields that are empty are left out", () => {
  const values = { ...valuesOf({ maxPerWindow: 1, windowSize: "PT1S" }), maxDelay: " ", pausedUntil: "" };
  assert.deepEqual(policyFrom(values), { maxPerWindow: 1, windowSize: "PT1S", spread: "even", notBefore: "requested" });
});

test("what is no number reaches the server, which says what is wrong", () => {
  assert.equal(policyFrom({ ...valuesOf({}), maxPerWindow: "1e3" }).maxPerWindow, "1e3");
});

test("reads durations as people write them", () => {
  assert.equal(isoDuration("4"), "PT4S");
  assert.equal(isoDuration("4 s"), "PT4S");
  assert.equal(isoDuration("500ms"), "PT0.5S");
  assert.equal(isoDuration("1h 30min"), "PT5400S");
  assert.equal(isoDuration("pt4s"), "PT4S");
  assert.equal(isoDuration("soon"), "soon");
  assert.equal(isoDuration("4 sausages"), "4 sausages");
});

test("reads hours with any dash", () => {
  assert.deepEqual(hoursOf("09:00 – 12:00, 13:00-17:00;"), ["09:00-12:00", "13:00-17:00"]);
});

test("errors of the API belong to fields of the form", () => {
  assert.equal(formField("policy.maxPerWindow"), "maxPerWindow");
  assert.equal(formField("windowSizeSecs"), "windowSize");
  assert.equal(formField("policy.calendar.hours.monday[0]"), "hours.monday");
  assert.equal(formField("calendar.closedDates[1]"), "closedDates");
  assert.equal(formField("calendar.timeZone"), "timeZone");
  assert.equal(formField("nonsense"), "");
});

test("differences name what changed, and nothing else", () => {
  const later = { ...CONFIGURATION, version: 4, maxPerWindow: 300, calendar: { ...CONFIGURATION.calendar, hours: {} } };
  assert.deepEqual(differences(CONFIGURATION, later), [
    { name: "maxPerWindow", label: "Max per window", before: "600", after: "300" },
    { name: "calendar.hours.monday", label: "Monday", before: "09:00-12:00, 13:00-17:00", after: "closed" },
  ]);
  assert.deepEqual(differences(CONFIGURATION, { ...CONFIGURATION, version: 9 }), []);
  assert.equal(policyText(CONFIGURATION), "600 per 1 min");
});

test("windows and delays that differ by a little are different, and read so", () => {
  const longer = { ...CONFIGURATION, windowSize: "PT1M0.04S", maxDelay: "PT24H30S" };
  assert.deepEqual(differences(CONFIGURATION, longer).map((row) => [row.before, row.after]), [["1 min", "1 min 0.04 s"], ["1 d", "1 d 30 s"]]);
  assert.equal(policyText({ maxPerWindow: 1, windowSize: "PT1H30S" }), "1 per 1 h 30 s");
});

test("a pause that is not edited stays as it was, to the microsecond", () => {
  const policy = { maxPerWindow: 1, windowSize: "PT1S", pausedUntil: "2033-10-30T01:30:00.123456Z" };
  const values = valuesOf(policy);
  assert.equal(policyFrom(values, policy).pausedUntil, policy.pausedUntil);
  assert.equal(policyFrom({ ...values, pausedUntil: "" }, policy).pausedUntil, undefined);
  const later = valuesOf({ pausedUntil: "2033-12-01T00:00:00Z" }).pausedUntil;
  assert.equal(policyFrom({ ...values, pausedUntil: later }, policy).pausedUntil, "2033-12-01T00:00:00.000Z");
});

test("a pause up to the last second that there is survives its form in every zone", () => {
  const before = process.env.TZ;
  try {
    for (const zone of ["UTC", "Asia/Kolkata", "Pacific/Kiritimati", "America/New_York"]) {
      process.env.TZ = zone;
      for (const pausedUntil of ["9999-12-31T23:59:59Z", "9999-12-31T12:00:00.5Z", "2033-10-30T01:30:00.123456Z", "0099-01-01T12:00:00Z"]) {
        const values = valuesOf({ pausedUntil });
        assert.match(values.pausedUntil, /^\d{4,5}-\d\d-\d\dT\d\d:\d\d:\d\d$/, `${pausedUntil} in ${zone}`);
        assert.equal(policyFrom(values, { pausedUntil }).pausedUntil, pausedUntil, zone);
        assert.equal(policyFrom({ ...values, pausedUntil: values.pausedUntil.replace(/:00$/, "") }, { pausedUntil }).pausedUntil, pausedUntil, zone);
      }
      const late = valuesOf({ pausedUntil: "9999-12-31T23:59:59Z" });
      assert.equal(Date.parse(policyFrom(late).pausedUntil), Date.parse("9999-12-31T23:59:59Z"), zone);
    }
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
  assert.equal(policyFrom({ ...valuesOf({}), pausedUntil: "tomorrow" }).pausedUntil, "tomorrow");
});

test("only the configuration that was read is overwritten", () => {
  assert.deepEqual(precondition({ configName: "ca", version: 3, createdAt: "2026-06-01T12:00:00Z" }, "ca"), { "If-Match": '"3-2026-06-01T12:00:00Z"' });
  assert.deepEqual(precondition({ configName: "ca", version: 3 }, "cb"), { "If-None-Match": "*" });
  assert.deepEqual(precondition(null, "cb"), { "If-None-Match": "*" });
});

test("a pause is shown in the zone of the browser, with the fraction by which two may differ", () => {
  const before = process.env.TZ;
  try {
    process.env.TZ = "Asia/Kolkata";
    assert.equal(flattened({ pausedUntil: "2033-10-30T01:30:00Z" }).pausedUntil, "2033-10-30 07:00:00");
    assert.equal(flattened({ pausedUntil: "2033-10-30T01:30:00.25Z" }).pausedUntil, "2033-10-30 07:00:00.25");
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
});
