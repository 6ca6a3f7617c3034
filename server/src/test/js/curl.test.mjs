import assert from "node:assert/strict";
import test from "node:test";
import { curlLine, parseHead, parseRequest, quoted, words } from "../../main/resources/dashboard/curl.js";

test("splits words as a shell does", () => {
  assert.deepEqual(words(`a 'b c' "d \\"e\\"" f\\ g \\\n h''`), ["a", "b c", 'd "e"', "f g", "h"]);
  assert.deepEqual(words(""), []);
  assert.throws(() => words("a 'b"), /not closed/);
});

test("reads a curl line with method, header fields and query", () => {
  assert.deepEqual(parseRequest(`$ curl -sS -X PUT 'https://example.org:8443/api/orders/7?x=1#top' -H 'X-Api-Key: a:b' -H "Accept: */*" -o /dev/null`), {
    method: "PUT",
    path: "/api/orders/7?x=1",
    headers: { "X-Api-Key": "a:b", Accept: "*/*" },
  });
});

test("takes data as a reason for POST, and -G as one for a query", () => {
  assert.equal(parseRequest("curl example.org/a -d x=1").method, "POST");
  assert.deepEqual(parseRequest("curl -G example.org/a -d x=1 -d y=2"), { method: "GET", path: "/a?x=1&y=2", headers: {} });
  assert.equal(parseRequest("curl -I example.org").method, "HEAD");
  assert.equal(parseRequest("curl -XDELETE example.org").method, "DELETE");
  assert.equal(parseRequest("curl --request=PATCH example.org?q=1").path, "/?q=1");
});

test("reads credentials as curl sends them", () => {
  assert.equal(parseRequest("curl -u aladdin:opensesame example.org").headers.Authorization, "Basic YWxhZGRpbjpvcGVuc2VzYW1l");
});

test("says what is wrong with a line", () => {
  assert.throws(() => parseRequest("curl -H"), /-H has no value/);
  assert.throws(() => parseRequest("curl -s"), /no URL/);
  assert.throws(() => parseRequest("  "), /nothing to read/);
  assert.throws(() => parseRequest("GET /a\nnonsense"), /no header field: nonsense/);
});

test("reads the head of a request up to its body", () => {
  assert.deepEqual(parseHead("post /api/orders HTTP/1.1\r\nHost: example.org\r\nX-Api-Key: abc\r\n\r\nbody: no"), {
    method: "POST",
    path: "/api/orders",
    headers: { Host: "example.org", "X-Api-Key": "abc" },
  });
  assert.deepEqual(parseHead("X-Api-Key: abc"), { method: "GET", path: "", headers: { "X-Api-Key": "abc" } });
});

test("a quoted word comes back as it was", () => {
  for (const word of ["plain", "it's", 'a "b" $c `d` \\', "", "line\nbreak"]) {
    assert.deepEqual(words(quoted(word)), [word]);
  }
});

test("writes a curl line that reads back as the same request", () => {
  const line = curlLine({ method: "PUT", url: "http://127.0.0.1:8080/api/a?b=c", headers: { "X-Key": "it's" }, body: '{"a":1}', authorized: true });
  assert.match(line, /Bearer \$WEIR_ADMIN_TOKEN/);
  const read = parseRequest(line);
  assert.equal(read.method, "PUT");
  assert.equal(read.path, "/api/a?b=c");
  assert.equal(read.headers["X-Key"], "it's");
});
