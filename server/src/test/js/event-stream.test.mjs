import assert from "node:assert/strict";
import test from "node:test";
import { eventParser } from "../../main/resources/dashboard/data/event-stream.js";

function parsed(...pieces) {
  const events = [];
  const parse = eventParser((name, data) => events.push([name, data]));
  for (const piece of pieces) parse(piece);
  return events;
}

test("reads events with names, several lines of data and comments", () => {
  assert.deepEqual(parsed(": hello\n\nevent: sample\ndata: {\"a\":1}\n\ndata: x\ndata:y\n\n"), [
    ["sample", '{"a":1}'],
    ["message", "x\ny"],
  ]);
});

test("an event may be cut anywhere", () => {
  const whole = "id: 1\r\nevent: sample\r\ndata: abc\r\n\r\nevent: end\r\ndata: {}\r\n\r\n";
  for (let cut = 0; cut <= whole.length; cut++) {
    assert.deepEqual(parsed(whole.slice(0, cut), whole.slice(cut)), [["sample", "abc"], ["end", "{}"]], `cut at ${cut}`);
  }
});

test("an event without its empty line is not complete", () => {
  assert.deepEqual(parsed("data: x\n"), []);
});
