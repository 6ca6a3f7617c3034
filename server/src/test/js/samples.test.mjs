import assert from "node:assert/strict";
import test from "node:test";
import { MAX_SECONDS, Samples, waitingTexts } from "../../main/resources/dashboard/data/samples.js";

function loaded() {
  const samples = new Samples();
  samples.load({ seconds: [1, 2, 3], series: { allowed: [10, 20, 30], slotP99Ms: [null, 5, null] } });
  return samples;
}

test("appends newer samples only", () => {
  const samples = loaded();
  assert.equal(samples.add({ second: 3, allowed: 99 }), false);
  assert.equal(samples.add({ second: 4, allowed: 40 }), true);
  assert.deepEqual(samples.columns(["allowed", "slotP99Ms"]), [[1, 2, 3, 4], [10, 20, 30, 40], [null, 5, null, null]]);
});

test("a series that is new has nulls before its first value", () => {
  const samples = loaded();
  samples.add({ second: 4, fresh: 7 });
  assert.deepEqual(samples.columns(["fresh", "unknown"]), [[1, 2, 3, 4], [null, null, null, 7], [null, null, null, null]]);
});

test("keeps 15 minutes and no more", () => {
  const samples = new Samples();
  for (let second = 1; second <= MAX_SECONDS + 10; second++) samples.add({ second, allowed: 1 });
  assert.equal(samples.seconds.length, MAX_SECONDS);
  assert.equal(samples.series.allowed.length, MAX_SECONDS);
  assert.equal(samples.seconds[0], 11);
});

test("figures leave out what was not measured", () => {
  const samples = loaded();
  assert.equal(samples.mean("allowed", 2), 25);
  assert.equal(samples.sum("allowed"), 60);
  assert.equal(samples.max("slotP99Ms"), 5);
  assert.equal(samples.latest("slotP99Ms"), 5);
  assert.ok(Number.isNaN(samples.latest("slotP99Ms", 1)));
  assert.ok(Number.isNaN(samples.mean("none", 5)));
  assert.equal(samples.isQuiet(["none"]), true);
  assert.equal(samples.isQuiet(["none", "allowed"]), false);
});

test("a gap of the server is a gap of the shown time", () => {
  const samples = loaded();
  samples.add({ second: 100, allowed: 1 });
  assert.deepEqual(samples.columns(["allowed"], 60), [[100], [1]]);
});

test("what waits is in queues or for slots", () => {
  const samples = new Samples();
  samples.load({ seconds: [1, 2], series: { waiting: [1, 3], slotsWaiting: [0, 40] } });
  assert.deepEqual(waitingTexts(samples), ["43", "3 in queues, 40 for slots"]);
  assert.deepEqual(waitingTexts(new Samples()), ["0", "0 in queues, 0 for slots"]);
});
