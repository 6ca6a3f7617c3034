import assert from "node:assert/strict";
import test from "node:test";
import { curlLine, parseHead, parseRequest } from "../../main/resources/dashboard/data/curl.js";
import { quoted, words } from "../../main/resources/dashboard/data/shell.js";

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

const read = (line) => parseRequest(line);

test("reads quotes with escapes, as browsers copy them", () => {
  assert.equal(read(String.raw`curl h/a -H $'X-Api-Key: it\'s \u0021\x41\303\244\n'`).headers["X-Api-Key"], "it's !A\u00e4");
  assert.deepEqual(words(String.raw`$'a\tb' $"c" $'\U0001f600' $'\q' $(date -u)x`), ["a\tb", "c", "\u{1f600}", "\\q", "$(date -u)x"]);
  assert.throws(() => words("$'a"), /not closed/);
});

test("stops where the shell begins another command", () => {
  for (const end of ["| jq .", "&& echo -H x", "; echo http://other/", "> out.txt", "2>/dev/null", "2>&1", "&>out", "# http://other/", "< in", ")", "\necho http://other/"]) {
    assert.deepEqual(read(`curl h/a -X PUT ${end}`), { method: "PUT", path: "/a", headers: {} }, end);
  }
  assert.equal(read("curl > out h/a#part -X PUT").method, "PUT");
  assert.equal(read("curl h/a\n  -X PUT").method, "PUT");
  assert.equal(read("curl 'h/a?x=1&y=2' -X PUT").path, "/a?x=1&y=2");
});

test("reads short options that stand together, and skips the values of others", () => {
  assert.deepEqual(read("curl -sSLXPUT -H'A: b' h/a"), { method: "PUT", path: "/a", headers: { A: "b" } });
  assert.deepEqual(read("curl -sSkH 'A: b' --retry-delay 3 --max-redirs 5 --connect-to ::h:1 h/a -w '%{http_code}'"), { method: "GET", path: "/a", headers: { A: "b" } });
  assert.equal(read("A=1 B=2 /usr/bin/curl h/a").path, "/a");
  assert.equal(read("curl h/a h/b").path, "/a");
  assert.equal(read("curl h/a --next -X PUT h/b").method, "GET");
  assert.equal(read("curl -- h/a").path, "/a");
});

test("knows the method of an upload and of forms", () => {
  assert.deepEqual(read("curl -T dir/file.txt h/a/?x=1"), { method: "PUT", path: "/a/file.txt?x=1", headers: {} });
  assert.equal(read("curl -T file h/a").path, "/a");
  assert.equal(read("curl --form-string a=b h/a").method, "POST");
  assert.equal(read("curl -F a=b h/a").headers["Content-Type"], "multipart/form-data");
  assert.deepEqual(read("curl --json '{}' h/a"), { method: "POST", path: "/a", headers: { "Content-Type": "application/json", Accept: "application/json" } });
});

test("sends header fields as curl does", () => {
  assert.deepEqual(read("curl h/a -b a=1 -b b=2 -b jar.txt").headers, { Cookie: "a=1;b=2" });
  assert.deepEqual(read("curl h/a -H 'x-key: a' -H 'X-Key: b'"), { method: "GET", path: "/a", headers: { "x-key": "a, b" }, repeated: ["x-key"] });
  assert.deepEqual(read("curl h/a -d x -H 'content-type:' -H 'X-Key:' -A me -H 'User-Agent: other' -H 'E;'").headers, { "User-Agent": "other", E: "" });
  assert.deepEqual(read("curl h/a --oauth2-bearer tok -r 0-9 -e ';auto'").headers, { Authorization: "Bearer tok", Range: "bytes=0-9" });
  assert.deepEqual(Object.entries(read("curl h/a -H '__proto__: x'").headers), [["__proto__", "x"]]);
});

test("writes data into the query as curl does", () => {
  assert.equal(read("curl -G h/a --data-urlencode 'q=a b&c!' --data-urlencode '=d e' --data-urlencode f+g --data-urlencode n@file -d x=1").path, "/a?q=a+b%26c%21&d+e&f%2Bg&x=1");
  assert.equal(read("curl 'h/a?y=1' --url-query 'q=a b' --url-query +z").path, "/a?y=1&q=a+b&z");
  assert.equal(read("curl h/api/../b/./c").path, "/b/c");
  assert.equal(read("curl --path-as-is h/api/../b").path, "/api/../b");
  assert.equal(read("curl 'h/{a,b}/[1-3]'").path, "/a/1");
  assert.equal(read("curl -g 'h/{a,b}'").path, "/{a,b}");
});

test("reads heads of HTTP/2, of curl -v, and folded lines", () => {
  const expected = { method: "POST", path: "/api/o?x=1", headers: { Host: "e.org", "x-key": "k" } };
  assert.deepEqual(read(":authority: e.org\n:method: POST\n:path: /api/o?x=1\n:scheme: https\nx-key: k"), expected);
  assert.deepEqual(read("* Connected to e.org\n> POST /api/o?x=1 HTTP/1.1\n> Host: e.org\n> x-key: k\n> \n< HTTP/1.1 200 OK\n< Other: x"), expected);
  assert.deepEqual(read("POST /api/o?x=1\nHost: e.org\nx-key: k"), expected);
  assert.deepEqual(parseHead("GET /a\nX-Long: a\n b: c\n\td").headers, { "X-Long": "a", b: "c d" });
  assert.equal(parseHead("GET /a\nX-Long: a\n and more").headers["X-Long"], "a and more");
});

test("the curl line of a path with steps keeps them", () => {
  assert.match(curlLine({ method: "GET", url: "http://h/api/v1/slots/.." }), /--path-as-is/);
  assert.doesNotMatch(curlLine({ method: "GET", url: "http://h/api/v1/slots/..a" }), /--path-as-is/);
});
