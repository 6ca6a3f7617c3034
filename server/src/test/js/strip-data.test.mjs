import assert from "node:assert/strict";
import test from "node:test";
import { axisTicks, cellAt, cells, cellText, DAY, defaultZoom, hidesNothing, HOUR, MINUTE, mixed, moved, ZOOMS, zoomInto, zoomToEnd } from "../../main/resources/dashboard/data/strip-data.js";

const STRIP = {
  from: "2026-06-01T12:00:00Z", to: "2026-06-01T12:00:20Z", cellSecs: 4, windowsPerCell: 1, maxPerWindow: 200,
  taken: [200, 50, 0, 0, 250], capacity: [200, 200, 200, 0, 200], fullest: [200, 50, 0, 0, 250], completeUntil: "2026-06-01T12:00:16Z",
};

test("cells have their time, their share and what is special about them", () => {
  const [full, quarter, free, closed, over] = cells(STRIP);
  assert.equal(full.start, Date.parse("2026-06-01T12:00:00Z"));
  assert.equal(quarter.start, full.end);
  assert.deepEqual([full.share, quarter.share, free.share, closed.share, over.share], [1, 0.25, 0, 0, 1]);
  assert.deepEqual([full.over, closed.closed, over.over], [false, true, true]);
  assert.deepEqual([full.complete, over.complete], [true, false]);
});

test("a cell of several windows is over its limit if one window is", () => {
  const [cell] = cells({ ...STRIP, taken: [210], capacity: [400], fullest: [205] });
  assert.equal(cell.over, true);
});

test("texts say the numbers", () => {
  const [full, , , closed, over] = cells(STRIP);
  assert.match(cellText(full), /200 of 200 taken, 100 %$/);
  assert.match(cellText(closed), /: closed$/);
  assert.match(cellText(over), /not counted, zoom in$/);
  assert.match(cellText({ ...over, complete: true }), /250 of 200 taken, 125 %, over its limit$/);
});

test("keys move within the strip", () => {
  assert.equal(moved("ArrowRight", 4, 5), 4);
  assert.equal(moved("ArrowLeft", 0, 5), 0);
  assert.equal(moved("PageDown", 0, 50), 10);
  assert.equal(moved("End", 0, 50), 49);
  assert.equal(moved("x", 0, 50), undefined);
  assert.equal(cellAt(0.999, 5), 4);
  assert.equal(cellAt(1.2, 5), 4);
  assert.equal(cellAt(-1, 5), 0);
});

test("an axis has round times, and not too many of them", () => {
  for (const [length] of ZOOMS) {
    const from = Date.parse("2026-06-01T12:00:03Z");
    const ticks = axisTicks(from, from + length, 8);
    assert.ok(ticks.length >= 1 && ticks.length <= 9, `${length}: ${ticks.length}`);
    for (const tick of ticks) {
      assert.ok(tick.share >= 0 && tick.share < 1);
      assert.equal(tick.at % 1000, 0);
    }
  }
});

test("zooming into a cell shows all of it, in less time than before", () => {
  assert.equal(zoomInto({ start: 0, end: 40 * MINUTE }, 7 * DAY), HOUR);
  assert.equal(zoomInto({ start: 0, end: 4000 }, HOUR), MINUTE);
  assert.equal(zoomInto({ start: 0, end: 4000 }, MINUTE), MINUTE);
});

test("the first zoom shows several windows", () => {
  assert.equal(defaultZoom(4000), MINUTE);
  assert.equal(defaultZoom(MINUTE), 15 * MINUTE);
  assert.equal(defaultZoom(DAY), 7 * DAY);
});

test("a long backlog is shown to its end", () => {
  assert.equal(zoomToEnd(15 * MINUTE, 40 * MINUTE), HOUR);
  assert.equal(zoomToEnd(15 * MINUTE, MINUTE), 15 * MINUTE);
  assert.equal(zoomToEnd(15 * MINUTE, 99 * DAY), 15 * MINUTE, "no strip reaches its end");
  assert.equal(zoomToEnd(15 * MINUTE, NaN), 15 * MINUTE);
});

test("a wider strip must show as many cells with events, and count them all", () => {
  const strip = (...taken) => taken.map((one) => ({ taken: one, complete: true }));
  assert.equal(hidesNothing(strip(1, 1, 0), strip(2, 2, 2)), true);
  assert.equal(hidesNothing(strip(1, 1, 1), strip(3, 0, 1)), false);
  assert.equal(hidesNothing(strip(0, 0, 0), strip(0, 0, 1)), true);
  assert.equal(hidesNothing(strip(1, 0, 0), [...strip(1, 1), { taken: 0, complete: false }]), false);
});

test("mixes colours", () => {
  assert.equal(mixed("#000000", "#ffffff", 0.5), "#808080");
  assert.equal(mixed("#0b6784", "#ffffff", 0), "#0b6784");
});

test("the ticks of an axis are round times on both sides of a change of summer time", () => {
  const before = process.env.TZ;
  try {
    process.env.TZ = "Europe/Berlin";
    for (const change of ["2026-10-25T01:00:00Z", "2026-03-29T01:00:00Z"]) {
      for (const length of [7 * DAY, 2 * DAY]) {
        const from = Date.parse(change) - length / 2;
        const ticks = axisTicks(from, from + length, 8, 0);
        assert.ok(ticks.length >= 6, `${ticks.length}`);
        for (const { at, text } of ticks) assert.equal(new Date(at).getHours() % 6, 0, `${text} ${new Date(at)}`);
      }
    }
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
});
