import assert from "node:assert/strict";
import test from "node:test";
import { open } from "../../../../../server/src/test/js/followed-page.mjs";
import { openPage, settled } from "../../../../../server/src/test/js/page.mjs";
import { show } from "../../main/resources/dashboard-pages/notifications.js";

const EMPTY = { users: [], messages: [] };

/**
 * Opens the page, with the panel of the limit of a user. `stored` are the limits that were sent; they are answered when
 * `storing` is done.
 */
function limitForm({ storing } = {}) {
  const stored = [];
  const body = openPage(async (method, path, sent) => {
    if (path.startsWith("/api/config/")) return { status: 404 };
    if (method !== "POST") return EMPTY;
    stored.push(sent);
    await storing;
    return { currentCount: 0, ...sent };
  });
  const { signal } = new AbortController();
  show(body, { parts: {}, rest: [], signal, reload: () => {} });
  const [panel] = body.all((one) => one.nodeName === "SECTION" && one.textContent.startsWith("Limit of a user"));
  const enter = (label, text) => {
    const control = panel.control(label);
    control.value = text;
    control.fire("input");
  };
  return { panel, stored, enter, save: () => panel.querySelectorAll("form")[0].fire("submit") };
}

/** Waits until a limit was sent, and not until it is answered. */
async function sent(stored) {
  for (let turn = 0; turn < 50 && stored.length === 0; turn++) await Promise.resolve();
  assert.equal(stored.length, 1);
}

test("what is entered while a limit is being stored stays, and is stored by the next save", async () => {
  const { panel, stored, enter, save } = limitForm();
  await settled();
  panel.control("User").value = "7";
  enter("Messages", "20");
  save();
  await sent(stored);
  enter("Window in minutes", "5");
  enter("Messages", "21");
  await settled();
  assert.deepEqual([panel.control("Messages").value, panel.control("Window in minutes").value], ["21", "5"]);
  save();
  await settled();
  assert.deepEqual(stored.map((one) => [one.rateLimit, one.timeWindow]), [[20, 60], [21, 5]]);
});

test("the answer about one user does not fill the form of another", async () => {
  let answer;
  const storing = new Promise((resolve) => {
    answer = resolve;
  });
  const { panel, stored, enter, save } = limitForm({ storing });
  await settled();
  panel.control("User").value = "7";
  enter("Messages", "20");
  save();
  await sent(stored);
  panel.control("User").value = "8";
  panel.control("User").fire("change");
  await settled();
  answer();
  await settled();
  assert.doesNotMatch(panel.textContent, /In force: up to 20/);
});

function message(id, state) {
  return { messageId: id, userId: 7, state, parts: 1, createdAt: "2026-06-01T12:00:00Z", changedAt: "2026-06-01T12:00:00Z" };
}

function user(used) {
  return { userId: 7, rateLimit: 9, timeWindow: 5, currentCount: used, lastRefreshTime: "2026-06-01T12:00:00Z", algorithm: "FIXED_WINDOW", cost: "MESSAGE" };
}

test("limits of users and messages follow what is sent, and what has the focus keeps it", async (context) => {
  const node = { used: 1, messages: [message("m-1", "accepted")] };
  const page = await open(context, show, (method, path) => {
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
  const page = await open(context, show, (method, path) => (path.startsWith("/api/config") ? { users: [] } : { messages: [] }));
  assert.match(page.body.textContent, /There is no message yet/);
  page.body.control("State").value = "failed";
  page.button("List").parent.parent.fire("submit");
  await settled();
  assert.match(page.body.textContent, /There is no such message/);
});
