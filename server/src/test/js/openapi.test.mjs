import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { load } from "../../main/resources/dashboard/vendor/js-yaml-5.5.0/js-yaml.esm.min.mjs";
import { byTag, exampleOf, operations, requestOf } from "../../main/resources/dashboard/data/openapi.js";

const document = load(await readFile(new URL("../../main/resources/openapi.yaml", import.meta.url), "utf8"));

test("every operation of the document has a form", () => {
  const all = operations(document);
  const expected = Object.values(document.paths).flatMap((item) => Object.keys(item)).filter((name) => name !== "parameters").length;
  assert.equal(all.length, expected);
  assert.equal(new Set(all.map((one) => one.id)).size, all.length);
  for (const one of all) {
    for (const parameter of one.parameters) {
      assert.ok(parameter.name && parameter.in, `${one.id} has a parameter without a name`);
      assert.ok(!parameter.schema.$ref, `${one.id}.${parameter.name}`);
    }
    for (const { type, examples } of one.bodies) {
      if (type === "application/json") for (const example of examples) JSON.parse(example.text);
    }
  }
  assert.equal(byTag(document, all).flatMap(([, members]) => members).length, all.length);
});

test("parameters of a path belong to all its methods", () => {
  const cancel = operations(document).find((one) => one.id === "cancel");
  assert.deepEqual(cancel.parameters.map((one) => one.name), ["eventId"]);
  assert.equal(exampleOf(cancel.parameters[0]), "pay-123");
});

test("values reach the path, the query and the header fields", () => {
  const operation = { path: "/a/{id}", parameters: [{ name: "id", in: "path" }, { name: "limit", in: "query" }, { name: "q", in: "query" }, { name: "If-Match", in: "header" }] };
  assert.deepEqual(requestOf(operation, { "path.id": "a/b ü", "query.limit": "5", "header.If-Match": '"3"' }), {
    url: "/a/a%2Fb%20%C3%BC?limit=5",
    headers: { "If-Match": '"3"' },
  });
});
