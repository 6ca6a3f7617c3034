import assert from "node:assert/strict";
import test from "node:test";
import { debounced, lastOnly, loading } from "../../main/resources/dashboard/ui/widgets.js";

globalThis.Node = class {};
globalThis.document = { createTextNode: (text) => text };

/** As much of an element as `loading` needs. */
function place() {
  const attributes = new Set();
  const shown = [];
  return {
    shown,
    setAttribute: (name) => attributes.add(name),
    removeAttribute: (name) => attributes.delete(name),
    isBusy: () => attributes.has("aria-busy"),
    hasChildNodes: () => true,
    replaceChildren: () => shown.splice(0),
    append: (node) => shown.push(node),
  };
}

test("knows the last of several requests", () => {
  const asking = lastOnly();
  const first = asking();
  assert.ok(first());
  const second = asking();
  assert.ok(!first());
  assert.ok(second());
});

test("a place shows what was asked last, whichever answer is later", async () => {
  const here = place();
  const answers = [];
  const asked = () => new Promise((resolve, reject) => answers.push({ resolve, reject }));
  const older = loading(here, asked);
  const newer = loading(here, asked);
  answers[1].resolve("newer");
  await newer;
  assert.ok(!here.isBusy());
  answers[0].resolve("older");
  await older;
  assert.deepEqual(here.shown, ["newer"]);
});

test("a failure that arrives late is not shown either", async () => {
  const here = place();
  const answers = [];
  const asked = () => new Promise((resolve, reject) => answers.push({ resolve, reject }));
  const older = loading(here, asked);
  const newer = loading(here, asked);
  answers[0].reject(new Error("too late"));
  await older;
  assert.ok(here.isBusy());
  answers[1].resolve("newer");
  await newer;
  assert.deepEqual(here.shown, ["newer"]);
});

test("what was to happen soon can be called off", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const seen = [];
  const soon = debounced(100, (value) => seen.push(value));
  soon(1);
  soon(2);
  t.mock.timers.tick(100);
  soon(3);
  soon.cancel();
  t.mock.timers.tick(100);
  assert.deepEqual(seen, [2]);
});
