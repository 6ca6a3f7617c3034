import assert from "node:assert/strict";
import test from "node:test";
import { openPage } from "./page.mjs";
import { open } from "./followed-page.mjs";
import { update } from "../../main/resources/dashboard/ui/dom.js";
import { bar } from "../../main/resources/dashboard/ui/widgets.js";
import { show as showConfigurations } from "../../main/resources/dashboard/pages/configurations.js";
import { refusalPanels } from "../../main/resources/dashboard/pages/rules/refusals.js";

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
