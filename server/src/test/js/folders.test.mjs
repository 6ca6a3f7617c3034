import { test } from "node:test";
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../main/resources/dashboard", import.meta.url));

/** The folders that the modules of a folder may use, besides their own. */
const MAY_USE = { data: [], ui: ["data"], pages: ["data", "ui", "vendor"] };

const FIRST = /^[^/]+/;

/** Where the products have their pages. */
const PAGES_OF_PRODUCTS = ["notifications", "payments"].map((product) => join(ROOT, "../../../../..", product, "server/src/main/resources/dashboard-pages"));

function imports(folder, root = ROOT) {
  return readdirSync(join(root, folder), { recursive: true })
    .filter((name) => name.endsWith(".js"))
    .flatMap((name) => {
      const file = join(root, folder, name);
      return [...readFileSync(file, "utf8").matchAll(/(?:from |import\()"([./][^"]+)"/g)]
        .map(([, path]) => [join(folder, name), path.startsWith("/") ? path : relative(root, join(dirname(file), path))]);
    });
}

test("data knows nothing of elements, and what pages are built of knows no page", () => {
  for (const [folder, others] of Object.entries(MAY_USE)) {
    const found = imports(folder);
    assert.ok(found.length > 0, folder);
    for (const [from, to] of found) {
      assert.ok([folder, ...others].includes(FIRST.exec(to)[0]), `${from} imports ${to}`);
    }
  }
});

test("pages do not use each other", () => {
  const page = (path) => path.split("/")[1].replace(".js", "");
  // The form of a policy is also that of a what-if.
  const shared = "pages/configurations/policy-form.js";
  for (const [from, to] of imports("pages").filter(([, path]) => path.startsWith("pages/"))) {
    assert.ok(page(from) === page(to) || to === shared, `${from} imports ${to}`);
  }
});

test("pages of products use what pages are built of, and their own parts", () => {
  for (const root of PAGES_OF_PRODUCTS) {
    const found = imports(".", root);
    assert.ok(found.length > 0, root);
    for (const [from, to] of found) {
      const own = `${FIRST.exec(from)[0].replace(".js", "")}/`;
      assert.ok(/^\/ui\/(data|ui)\//.test(to) || to.startsWith(own), `${from} imports ${to}`);
    }
  }
});
