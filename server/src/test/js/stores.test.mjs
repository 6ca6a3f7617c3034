import assert from "node:assert/strict";
import test from "node:test";
import { limitStoreState, modesText, slotStoreState, nodeState } from "../../main/resources/dashboard/data/stores.js";

const PARTS = { slotStore: "postgresql", limitStore: "redis" };
const GOOD = { ready: true, storesGone: [], modes: ["store"] };

test("each store has a state of its own", () => {
  const withoutRedis = { ready: true, storesGone: ["redis"], modes: ["fallback"] };
  assert.equal(slotStoreState(withoutRedis)[0], "up");
  assert.equal(limitStoreState(PARTS, withoutRedis)[0], "gone");
  const withoutDatabase = { ...GOOD, ready: false };
  assert.equal(slotStoreState(withoutDatabase)[0], "down");
  assert.equal(limitStoreState(PARTS, withoutDatabase)[0], "up");
  assert.equal(limitStoreState(PARTS, { ...GOOD, modes: ["local", "store"] })[0], "degraded");
});

test("a store that nothing asked is not called up", () => {
  const quiet = { ...GOOD, modes: [] };
  assert.equal(limitStoreState(PARTS, quiet)[0], "not asked lately");
  assert.equal(limitStoreState({ ...PARTS, limitStore: "memory" }, quiet)[0], "up");
  assert.equal(limitStoreState({ ...PARTS, limitStore: "postgresql" }, { ...quiet, ready: false })[0], "down");
});

test("says where decisions come from, also if that differs", () => {
  assert.equal(modesText([]), "no decision in the last 10 s");
  assert.equal(modesText(["fallback"]), "the fallback store");
  assert.equal(modesText(["closed", "store"]), "some nowhere: everything is refused; some from the store");
});

test("what a node said last says nothing about one that does not answer", () => {
  const ready = { ready: true, mode: "store", modes: ["store"], storesGone: [] };
  assert.deepEqual(nodeState(ready, false), ["Ready", "stores answer", "good"]);
  assert.deepEqual(nodeState(ready, true), ["Unknown", "the node does not answer", "danger"]);
  assert.equal(nodeState({ ...ready, ready: false, reason: "draining" }, false)[0], "Not ready");
  assert.equal(nodeState({ ...ready, storesGone: ["redis"] }, false)[0], "Degraded");
  assert.equal(nodeState(null, false)[0], "–");
});
