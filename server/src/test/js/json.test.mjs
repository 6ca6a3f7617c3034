import assert from "node:assert/strict";
import test from "node:test";
import { indented, jsonWithNumber, parseJson } from "../../main/resources/dashboard/data/json.js";

const LAST = "9223372036854775807";

test("reads ids of 64 bits without rounding them", () => {
  assert.deepEqual(parseJson(`{"users":[{"userId":${LAST},"rateLimit":5},{"userId":9007199254740993}],"next":-9007199254740993}`), {
    users: [{ userId: LAST, rateLimit: 5 }, { userId: "9007199254740993" }],
    next: "-9007199254740993",
  });
  assert.equal(parseJson("9007199254740991"), 9007199254740991);
  assert.deepEqual(parseJson('{"a":0.12345678901234567,"b":1e300}'), { a: 0.12345678901234567, b: 1e300 });
});

test("takes no digits inside of a text for a number", () => {
  const text = { message: `{\\"userId":${LAST},` + '"', [LAST]: "\\", last: `${LAST}` };
  assert.deepEqual(parseJson(JSON.stringify(text)), text);
  assert.throws(() => parseJson(`{${LAST}`), SyntaxError);
});

test("writes ids of 64 bits without rounding them", () => {
  assert.equal(jsonWithNumber("userId", LAST, { rateLimit: 5 }), `{"userId":${LAST},"rateLimit":5}`);
  assert.equal(jsonWithNumber("userId", "007", {}), '{"userId":7}');
  for (const wrong of ["", "-1", "1e3", "1.5", '1,"a":2']) assert.throws(() => jsonWithNumber("userId", wrong, {}), /whole number/);
});

test("indents as JSON.stringify does, and leaves digits as they are", () => {
  for (const value of [{ a: 1, b: [], c: {}, d: [1, [2, { e: null }], "x,{\"y\":[1]}"] }, [], "text", true, -1.5]) {
    assert.equal(indented(JSON.stringify(value)), JSON.stringify(value, null, 2));
  }
  assert.equal(indented(`{"userId":${LAST},"rate":1.0}`), `{\n  "userId": ${LAST},\n  "rate": 1.0\n}`);
  assert.equal(indented("no JSON"), "no JSON");
});
