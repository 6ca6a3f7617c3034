import assert from "node:assert/strict";
import test from "node:test";
import { limitToStore, openText } from "../../main/resources/dashboard-pages/notifications/user-limit.js";

const HOURS = { timeZone: "Europe/Berlin", hours: { monday: ["09:00-12:00", "13:00-17:00"] }, closedDates: ["2026-12-25"] };
const FOUND = { userId: 7, rateLimit: 5, timeWindow: 30, currentCount: 2, lastRefreshTime: "2026-06-01T12:00:00Z", algorithm: "SLIDING_WINDOW", cost: "PARTS", openHours: HOURS };

test("a change of the limit keeps the opening hours, and what a message costs", () => {
  assert.deepEqual(limitToStore(FOUND, { rateLimit: 6 }), { rateLimit: 6, timeWindow: 30, algorithm: "SLIDING_WINDOW", cost: "PARTS", openHours: HOURS });
  assert.equal(limitToStore(FOUND, { cost: "MESSAGE" }).cost, "MESSAGE");
});

test("a new user gets what the form shows", () => {
  assert.deepEqual(limitToStore(null, { rateLimit: 6 }), { rateLimit: 6, timeWindow: 60, algorithm: "FIXED_WINDOW", cost: "MESSAGE" });
});

test("says when messages may be sent", () => {
  assert.equal(openText(null), "always");
  assert.equal(openText(FOUND), "Monday 09:00-12:00, 13:00-17:00 (Europe/Berlin), not on 2026-12-25");
  assert.equal(openText({ openHours: { timeZone: "UTC", hours: {} } }), "never (UTC)");
});
