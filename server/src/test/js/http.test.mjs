import assert from "node:assert/strict";
import test from "node:test";
import { get, segment, setToken, withQuery, wrongToken } from "../../main/resources/dashboard/data/http.js";

test.beforeEach(() => {
  globalThis.document = new EventTarget();
});

test("a token that cannot be sent is told apart from a node that does not answer", async () => {
  let asked = 0;
  let lost = 0;
  document.addEventListener("nodelink", () => { lost += 1; });
  globalThis.fetch = async () => {
    asked += 1;
    return Response.json({});
  };
  setToken("geheim\u2026");
  try {
    await assert.rejects(get("/a"), (problem) => !problem.passes && /Authorization has characters/.test(problem.message));
  } finally {
    setToken("");
  }
  assert.deepEqual([asked, lost], [0, 0]);
  assert.deepEqual(await get("/a"), {});
});

test("only a token that can be sent is taken", () => {
  assert.equal(wrongToken("eyJhbGciOi.x-_~+/=="), "");
  for (const wrong of ["", "a b", "ge\u00e4heim", "to\u200bken", "token\u2026", "a\nb"]) assert.notEqual(wrongToken(wrong), "", wrong);
});

test("keeps ids of 64 bits exact", async () => {
  globalThis.fetch = async () => new Response('{"userId":9007199254740993}');
  const { userId } = await get("/api/config/9007199254740993");
  assert.equal(withQuery("/api/config", { after: userId }), "/api/config?after=9007199254740993");
});

test("an id that a browser takes for a step is refused, and others are written as one segment", () => {
  for (const steps of [".", ".."]) assert.throws(() => segment(steps), /cannot ask for the id/);
  assert.equal(segment("..."), "...");
  assert.equal(segment("a/../b?#%"), "a%2F..%2Fb%3F%23%25");
  for (const id of ["...", ".a", "a/.."]) assert.equal(new URL(`/api/v1/slots/${segment(id)}`, "http://h").pathname, `/api/v1/slots/${segment(id)}`);
});
