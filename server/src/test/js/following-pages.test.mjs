import assert from "node:assert/strict";
import test from "node:test";
import { openPage, settled } from "./page.mjs";
import { update } from "../../main/resources/dashboard/ui/dom.js";
import { bar } from "../../main/resources/dashboard/ui/widgets.js";
import { show as showConfigurations } from "../../main/resources/dashboard/pages/configurations.js";
import { show as showNotifications } from "../../main/resources/dashboard/pages/notifications.js";
import { show as showPayments } from "../../main/resources/dashboard/pages/payments.js";
import { refusalPanels } from "../../main/resources/dashboard/pages/rules/refusals.js";

/** A page whose next round can be awaited, until the test ends. */
async function open(context, show, answer, rest = []) {
  context.mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
  const body = openPage(answer);
  const ended = new AbortController();
  context.after(() => ended.abort());
  show(body, { parts: {}, rest, signal: ended.signal, reload: () => {} });
  await settled();
  return {
    body,
    button: (text) => body.all((one) => one.nodeName === "BUTTON" && one.textContent === text)[0],
    async next() {
      context.mock.timers.tick(5000);
      await settled();
    },
  };
}

function message(id, state) {
  return { messageId: id, userId: 7, state, parts: 1, createdAt: "2026-06-01T12:00:00Z", changedAt: "2026-06-01T12:00:00Z" };
}

function user(used) {
  return { userId: 7, rateLimit: 9, timeWindow: 5, currentCount: used, lastRefreshTime: "2026-06-01T12:00:00Z", algorithm: "FIXED_WINDOW", cost: "MESSAGE" };
}

test("limits of users and messages follow what is sent, and what has the focus keeps it", async (context) => {
  const node = { used: 1, messages: [message("m-1", "accepted")] };
  const page = await open(context, showNotifications, (method, path) => {
    if (path.startsWith("/api/config")) return { users: [user(node.used)] };
    return path.startsWith("/api/messages?") ? { messages: node.messages } : node.messages.find((one) => path.endsWith(one.messageId));
  });
  const shown = page.button("Show");
  shown.fire("click");
  shown.focus();
  await settled();
  assert.equal(page.body.textContent.match(/accepted/g).length, 3, "in the list, in its detail and as a choice of the form");
  Object.assign(node, { used: 2, messages: [message("m-2", "sent"), message("m-1", "sent")] });
  await page.next();
  assert.match(page.body.textContent, /2 of 9/);
  assert.equal(page.body.textContent.match(/accepted/g).length, 1);
  assert.equal(document.activeElement, shown);
});

test("an unfiltered list without messages does not speak of a certain one", async (context) => {
  const page = await open(context, showNotifications, (method, path) => (path.startsWith("/api/config") ? { users: [] } : { messages: [] }));
  assert.match(page.body.textContent, /There is no message yet/);
  page.body.control("State").value = "failed";
  page.button("List").parent.parent.fire("submit");
  await settled();
  assert.match(page.body.textContent, /There is no such message/);
});

test("configurations follow versions that others store", async (context) => {
  const node = { version: 1, max: 10 };
  const one = () => ({ configName: "bank", version: node.version, active: true, maxPerWindow: node.max, windowSize: "PT4S", windowSizeSecs: 4, spread: "even",
    notBefore: "requested", peakPerSecond: 5, createdAt: "2026-06-01T12:00:00Z" });
  const page = await open(context, showConfigurations, () => [one()], ["bank"]);
  assert.equal(page.body.textContent.match(/10 per 4 s/g).length, 2, "in the list and in the history");
  Object.assign(node, { version: 2, max: 20 });
  await page.next();
  assert.equal(page.body.textContent.match(/20 per 4 s/g).length, 2);
});

test("a bar that is drawn again in its place has its new length", () => {
  const body = openPage();
  update(body, bar(0.25));
  const [filled] = body.all((one) => one.nodeName === "SPAN");
  update(body, bar(0.5));
  assert.equal(filled.isConnected, true);
  assert.equal(filled.style.width, "50%");
});

test("a table of refusals that has the focus keeps it", () => {
  const body = openPage();
  const panels = refusalPanels();
  body.append(panels.element);
  const refused = (count) => ({ rules: [], otherRules: null, keys: [{ key: "anna", rule: "api", refused: count, error: 0 }], shadowKeys: [], sampled: false });
  panels.update(refused(1));
  const [table] = body.all((one) => one.getAttribute("role") === "group");
  table.focus();
  panels.update(refused(2));
  assert.equal(document.activeElement, table);
  assert.match(table.textContent, /2$/);
});

test("a feed that is held says so, until it has ended", async (context) => {
  const feed = { feedId: "june", configName: "default", state: "STARTED", held: true, heldReason: "the database was restored", read: 2, repeated: 0, rejected: 0,
    assigned: 2, started: 2, paid: 0, failed: 0, cancelled: 0 };
  const page = await open(context, showPayments, (method, path) => (path.includes("/feeds?") ? { feeds: [feed] } : feed), ["june"]);
  const held = () => page.body.all((one) => one.nodeName === "SPAN" && one.textContent === "held").length;
  assert.equal(held(), 2, "in the list and in the details");
  assert.match(page.body.textContent, /no call of its payments is begun.*the database was restored/);
  feed.state = "DONE";
  await page.next();
  assert.equal(held(), 0);
});
