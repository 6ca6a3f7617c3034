import assert from "node:assert/strict";
import test from "node:test";
import { forecastTexts } from "../../main/resources/dashboard/data/forecast-texts.js";

const NOW = new Date(2026, 5, 1, 12, 0, 0).getTime();
const AT = new Date(NOW + 60_000).toISOString();

test("what could not be asked is not known, instead of full or empty", () => {
  assert.deepEqual(forecastTexts(null, null, null, NOW), {
    backlog: ["–", "not known"], end: ["–", "not known"], free: ["–", "not known"], thousand: ["–", "not known"],
  });
});

test("tells an empty backlog and full windows from each other", () => {
  assert.deepEqual(forecastTexts({ backlog: 0, complete: true, current: {} }, {}, {}, NOW), {
    backlog: ["0", "events ahead"], end: ["–", "nothing waits"], free: ["–", "none within max delay"], thousand: ["–", "no place for all"],
  });
});

test("says where the backlog ends, or that it reaches further", () => {
  const known = forecastTexts({ backlog: 7, complete: true, current: { endsAt: AT } }, { through: AT }, { through: AT }, NOW);
  assert.deepEqual(known, { backlog: ["7", "events ahead"], end: ["12:01:00", "in 1 min"], free: ["12:01:00", "in 1 min"], thousand: ["12:01:00", "done in 1 min"] });
  assert.deepEqual(forecastTexts({ backlog: 7, complete: false, current: { endsAt: AT } }, null, null, NOW).backlog, ["7+", "events ahead"]);
  assert.deepEqual(forecastTexts({ backlog: 7, complete: false, current: { endsAt: AT } }, null, null, NOW).end, ["after 12:01:00", "and more later"]);
  const far = forecastTexts({ backlog: 0, complete: false, current: {} }, null, null, NOW);
  assert.deepEqual([far.backlog, far.end], [["0", "in the next 400 days"], ["later", "in more than 400 days"]]);
});
