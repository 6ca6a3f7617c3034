import assert from "node:assert/strict";
import test from "node:test";
import { openPage, settled } from "./page.mjs";
import { leakedSlots } from "../../main/resources/dashboard/pages/slots/leaked.js";
import { takeDraft } from "../../main/resources/dashboard/data/draft.js";
import { pauseNotice } from "../../main/resources/dashboard/pages/slots.js";
import { verdictText, whatIf } from "../../main/resources/dashboard/pages/slots/what-if.js";

const SIGNAL = new AbortController().signal;
const CONFIGURATION = { configName: "bank", version: 1, maxPerWindow: 10, windowSize: "PT4S", spread: "even", notBefore: "requested" };

function forecast(backlog) {
  const side = { taken: [], capacity: [], endsAt: new Date(Date.now() + 60_000).toISOString(), unplaced: 0 };
  return { backlog, peakPerSecond: backlog, from: "2026-06-01T12:00:00Z", to: "2026-06-01T13:00:00Z", cellSecs: 4, maxPerWindow: 10, completeUntil: "2026-06-01T13:00:00Z", current: side, changed: side };
}

test("a forecast follows what comes meanwhile, unless its policy is not valid", async () => {
  const asked = [];
  let problem = null;
  const body = openPage((method, path, sent) => {
    asked.push(sent);
    return problem ?? forecast(asked.length);
  });
  const panel = whatIf({ signal: SIGNAL });
  body.append(panel.element);
  panel.use(CONFIGURATION);
  panel.follow(); // while the first one is being asked
  await settled();
  const first = asked.length;
  assert.match(body.textContent, new RegExp(`At most ${first} in any second`));
  panel.follow();
  await settled();
  assert.equal(asked.length, first + 1);
  assert.match(body.textContent, new RegExp(`At most ${first + 1} in any second`));
  problem = { status: 400, errors: [{ field: "policy.maxPerWindow", message: "must be from 1 to 1048576" }] };
  panel.refresh();
  await settled();
  panel.follow();
  await settled();
  assert.equal(asked.length, first + 2);
});

test("what was entered in a forecast stays on top of another version, and all else is as there", async () => {
  const asked = [];
  const body = openPage((method, path, sent) => {
    asked.push(sent);
    return forecast(1);
  });
  const panel = whatIf({ signal: SIGNAL });
  body.append(panel.element);
  panel.use(CONFIGURATION);
  await settled();
  const delay = body.control("Max delay");
  delay.value = "1 h";
  delay.fire("input");
  panel.renew({ ...CONFIGURATION, version: 2, maxPerWindow: 20 });
  await settled();
  assert.deepEqual([body.control("Max per window").value, delay.value], ["20", "1 h"]);
  assert.deepEqual([asked.at(-1).policy.maxPerWindow, asked.at(-1).policy.maxDelay], [20, "PT3600S"]);
});

test("a field of a forecast that has the focus stays when another version comes, and shows it", async () => {
  const body = openPage(() => forecast(1));
  const panel = whatIf({ signal: SIGNAL });
  body.append(panel.element);
  panel.use(CONFIGURATION);
  await settled();
  const max = body.control("Max per window");
  max.focus();
  panel.renew({ ...CONFIGURATION, version: 2, maxPerWindow: 20 });
  await settled();
  assert.equal(document.activeElement, max);
  assert.equal(max.value, "20");
});

test("leaked slots follow, stay as they are drawn while nothing changes, and those of all configurations can be reclaimed", async () => {
  let slots = [];
  const body = openPage(() => ({ slots }));
  const panel = leakedSlots({ parts: {}, signal: SIGNAL, changed: () => {} });
  body.append(panel.element);
  await panel.use("bank");
  const buttons = () => body.all((one) => one.nodeName === "BUTTON");
  assert.match(body.textContent, /No slot of this configuration is leaked/);
  assert.deepEqual(buttons().map((one) => [one.textContent, one.disabled]), [["Reclaim", false]]);
  slots = [{ eventId: "pay-1", state: "assigned", scheduledTime: "2026-06-01T12:00:00Z" }];
  await panel.use("bank");
  const [, cancel] = buttons();
  assert.match(body.textContent, /pay-1/);
  await panel.use("bank");
  assert.equal(buttons()[1], cancel);
});

test("what was tried under What if? is edited, once and only for its configuration", async () => {
  const body = openPage(() => forecast(1));
  const panel = whatIf({ signal: SIGNAL });
  body.append(panel.element);
  panel.use(CONFIGURATION);
  await settled();
  const edit = body.all((one) => one.nodeName === "A" && one.textContent === "Edit the configuration")[0];
  edit.fire("click");
  assert.equal(takeDraft("bank"), undefined, "nothing was tried");
  const max = body.control("Max per window");
  max.value = "25";
  max.fire("input");
  await settled();
  edit.fire("click");
  assert.equal(takeDraft("other"), undefined);
  edit.fire("click");
  assert.equal(takeDraft("bank").maxPerWindow, 25);
  assert.equal(takeDraft("bank"), undefined);
});

test("a paused configuration is called paused, as long as it is", () => {
  const now = Date.parse("2026-06-01T12:00:00Z");
  assert.match(pauseNotice("2026-06-01T13:00:00Z", now), /^Paused until .* \(in 1 h\)/);
  assert.equal(pauseNotice("2026-06-01T11:00:00Z", now), "");
  assert.equal(pauseNotice(undefined, now), "");
});

test("a forecast does not say of events beyond its reach that nothing waits", () => {
  const nothing = { backlog: 0, peakPerSecond: 5, current: {}, changed: {} };
  assert.equal(verdictText({ ...nothing, complete: true }), "Nothing waits. At most 5 in any second.");
  assert.equal(verdictText({ ...nothing, complete: false }), "Nothing waits in the next 400 days. At most 5 in any second.");
  assert.match(verdictText({ ...forecast(5), complete: true }), /^The backlog would end at /);
  assert.match(verdictText({ ...forecast(5), complete: false }), /^Of the backlog, what was read would end at /);
});
