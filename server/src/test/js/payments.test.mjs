import assert from "node:assert/strict";
import test from "node:test";
import { paymentPath, progress } from "../../main/resources/dashboard/pages/payments.js";

const FEED = { state: "STARTED", read: 10, rejected: 1, repeated: 1, paid: 2, failed: 1, cancelled: 1 };

test("payments that failed or were cancelled have ended, and records that are not paid do not count", () => {
  assert.equal(progress(FEED), 0.5);
});

test("a feed without a payment has ended when it is done", () => {
  assert.equal(progress({ ...FEED, read: 2, state: "STARTING" }), 0);
  assert.equal(progress({ ...FEED, read: 2, state: "DONE" }), 1);
});

test("the list of feeds is not taken for a payment", () => {
  assert.throws(() => paymentPath("feeds"), /address is that of the list of feeds/);
  assert.throws(() => paymentPath(".."), /cannot ask/);
  assert.equal(paymentPath("feeds/1"), "/api/v1/payments/feeds%2F1");
});
