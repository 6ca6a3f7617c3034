import assert from "node:assert/strict";
import test from "node:test";
import { openPage } from "./page.mjs";
import { hasNoData, leakingConfiguration } from "../../main/resources/dashboard/data/known-data.js";

const SIGNAL = new AbortController().signal;

/** A node with these configurations, each with the states of its slots. */
function node(configurations, rules = []) {
  const asked = [];
  openPage((method, path) => {
    const url = new URL(path, "http://node");
    asked.push(path);
    if (url.pathname === "/admin/rate-limit/configs") return Object.keys(configurations).map((configName) => ({ configName }));
    if (url.pathname === "/api/admin/rules") return rules;
    const states = configurations[url.searchParams.get("configName")];
    const state = url.searchParams.get("state");
    return { slots: states.filter((one) => state === null || one === state).slice(0, 1).map((one) => ({ state: one })) };
  });
  return asked;
}

test("the warning about leaked slots leads to a configuration that has some", async () => {
  node({ default: ["confirmed"], bank: ["leaked", "confirmed"], other: ["leaked", "confirmed"] });
  assert.equal(await leakingConfiguration("default", SIGNAL), "bank");
  assert.equal(await leakingConfiguration("other", SIGNAL), "other");
});

test("where no slot was ever confirmed, none is leaked", async () => {
  node({ default: ["leaked", "leaked"], bank: ["assigned"] });
  assert.equal(await leakingConfiguration("default", SIGNAL), null);
});

test("of many configurations a bounded number is asked", async () => {
  const asked = node(Object.fromEntries([...Array(400).keys()].map((i) => [`c${i}`, []])));
  assert.equal(await leakingConfiguration("c7", SIGNAL), "");
  assert.ok(asked.length <= 101, `${asked.length}`);
});

test("sample data is for a node without data only", async () => {
  node({ default: [] });
  assert.equal(await hasNoData(SIGNAL), true);
  node({});
  assert.equal(await hasNoData(SIGNAL), true);
  node({ default: ["confirmed"] });
  assert.equal(await hasNoData(SIGNAL), false);
  node({ default: [] }, [{ id: 1 }]);
  assert.equal(await hasNoData(SIGNAL), false);
  node({ default: [], bank: [] });
  assert.equal(await hasNoData(SIGNAL), false);
});
