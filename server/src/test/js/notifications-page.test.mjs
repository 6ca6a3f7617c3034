import assert from "node:assert/strict";
import test from "node:test";
import { openPage, settled } from "./page.mjs";
import { show } from "../../main/resources/dashboard/pages/notifications.js";

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
