import assert from "node:assert/strict";
import test from "node:test";
import { openPage, settled } from "./page.mjs";
import { show } from "../../main/resources/dashboard/pages/rules.js";

function rule(id, fields = {}) {
  return { id, name: `rule-${id}`, algorithm: "FIXED_WINDOW", allowedRequests: 5, windowSeconds: 60, keyBy: ["ip"], queueEnabled: false, priority: 0, mode: "enforce",
    active: true, onStoreFailure: "closed", version: 1, updatedAt: "2026-06-01T12:00:00Z", changedBy: "admin", ...fields };
}

function counts(refused) {
  const row = { rule: "rule-2", allowed: 1, refused, queued: 0, replayed: 0, shadowAllowed: 0, shadowRefused: 0, shadowUndecided: 0 };
  return { rules: [row], otherRules: null, keys: [], shadowKeys: [], sampled: false };
}

/** The page of the rule 2, on a node whose answers can be changed. `next()` is the next round of the page. */
async function open(context, node) {
  context.mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
  const body = openPage((method, path) => {
    if (path.endsWith("/versions")) return [rule(2)];
    return path === "/api/admin/rules" ? node.rules : counts(node.refused);
  });
  const ended = new AbortController();
  show(body, { parts: {}, rest: ["2"], signal: ended.signal, reload: () => {} });
  await settled();
  return {
    body,
    links: () => body.all((one) => one.nodeName === "A" && one.href?.startsWith("#/rules/")),
    button: (text) => body.all((one) => one.nodeName === "BUTTON" && one.textContent === text)[0],
    async next() {
      context.mock.timers.tick(5000);
      await settled();
    },
    end: () => ended.abort(),
  };
}

test("the counts of the details and of the list follow", async (context) => {
  const node = { rules: [rule(1), rule(2)], refused: 3 };
  const page = await open(context, node);
  assert.match(page.body.textContent, /3 of 4 in 15 min/);
  node.refused = 8;
  await page.next();
  assert.match(page.body.textContent, /8 of 9 in 15 min/);
  page.end();
});

test("a link that has the focus keeps it, and the page goes on", async (context) => {
  const node = { rules: [rule(1), rule(2)], refused: 3 };
  const page = await open(context, node);
  const [, link] = page.links();
  link.focus();
  node.rules = [rule(0), rule(1), rule(2, { version: 2, allowedRequests: 77 })];
  await page.next();
  assert.equal(document.activeElement, link);
  assert.deepEqual(page.links().map((one) => one.textContent), ["rule-0", "rule-1", "rule-2"]);
  assert.equal(page.links()[2], link);
  assert.equal(page.body.textContent.match(/77 per 1 min/g).length, 2, "in the list and in the details");
  page.end();
});

test("details that were not drawn in one round are drawn in the next", async (context) => {
  const node = { rules: [rule(1), rule(2)], refused: 3 };
  const page = await open(context, node);
  page.button("Edit").focus();
  node.rules = [rule(2, { version: 2, allowedRequests: 77 })];
  await page.next();
  document.body.focus();
  await page.next();
  assert.match(page.body.textContent, /Version 2, since/);
  assert.equal(page.body.textContent.match(/77 per 1 min/g).length, 2);
  page.end();
});
