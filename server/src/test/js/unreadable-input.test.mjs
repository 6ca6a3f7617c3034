import assert from "node:assert/strict";
import test from "node:test";
import { openPage, settled } from "./page.mjs";
import { policyForm } from "../../main/resources/dashboard/pages/configurations/policy-form.js";
import { ruleEditor } from "../../main/resources/dashboard/pages/rules/rule-editor.js";

/** A browser gives an empty value for what it cannot read. */
function enterHalf(control) {
  control.value = "";
  control.validity = { badInput: true };
}

test("half a time is no policy without a pause", () => {
  const body = openPage();
  const form = policyForm({ maxPerWindow: 1, windowSize: "PT1S", pausedUntil: "2033-10-30T01:30:00Z" });
  body.append(form.element);
  enterHalf(body.control("Paused until"));
  assert.equal(form.policy().pausedUntil, "?");
});

test("what is no number is not stored as the default of its field", async () => {
  let stored;
  const body = openPage((method, path, sent) => (stored = sent));
  body.append(ruleEditor(null, { signal: new AbortController().signal, done: () => {} }));
  enterHalf(body.control("Priority"));
  body.all((one) => one.nodeName === "FORM")[0].fire("submit");
  await settled();
  assert.equal(stored.priority, "?");
});
