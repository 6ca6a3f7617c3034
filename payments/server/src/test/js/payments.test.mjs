import assert from "node:assert/strict";
import test from "node:test";
import { open } from "../../../../../server/src/test/js/followed-page.mjs";
import { paymentPath, progress, show } from "../../main/resources/dashboard-pages/payments.js";

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

test("a feed that is held says so, until it has ended", async (context) => {
  const feed = { feedId: "june", configName: "default", state: "STARTED", held: true, heldReason: "the database was restored", read: 2, repeated: 0, rejected: 0,
    assigned: 2, started: 2, paid: 0, failed: 0, cancelled: 0 };
  const page = await open(context, show, (method, path) => (path.includes("/feeds?") ? { feeds: [feed] } : feed), ["june"]);
  const held = () => page.body.all((one) => one.nodeName === "SPAN" && one.textContent === "held").length;
  assert.equal(held(), 2, "in the list and in the details");
  assert.match(page.body.textContent, /no call of its payments is begun.*the database was restored/);
  feed.state = "DONE";
  await page.next();
  assert.equal(held(), 0);
});
