import assert from "node:assert/strict";
import test from "node:test";
import { openPage, settled } from "./page.mjs";

test("the pages that a node has beside those of every node are before the last one, as it lists them", async () => {
  const pages = [{ name: "one-more", title: "One more" }, { name: "another", title: "Another" }];
  const body = openPage((method, path) => (path.startsWith("/api/v1/dashboard/parts") ? { version: "1", pages } : {}));
  document.hidden = true; // nobody asks whether the node is ready
  location.hash = "#/third";
  const [main, nav] = [document.getElementById("content"), document.getElementById("nav")];
  body.append(main, nav);
  await import("../../main/resources/dashboard/app.js");
  await settled();
  const links = nav.all((one) => one.nodeName === "A");
  assert.deepEqual(links.map((link) => link.textContent), ["Now", "Slots", "Configurations", "Rules", "One more", "Another", "Try it"]);
  assert.deepEqual(links.slice(4, 6).map((link) => link.href), ["#/one-more", "#/another"]);
  assert.match(main.textContent, /There is no such page/);
});
