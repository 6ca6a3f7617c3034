import assert from "node:assert/strict";
import test from "node:test";
import { openPage, settled } from "./page.mjs";

const CONFIGURATION = { configName: "bank", version: 1, maxPerWindow: 10, windowSize: "PT4S", spread: "even", notBefore: "requested", createdAt: "2026-06-01T12:00:00Z", active: true };

const until = async (isTrue) => {
  for (let turn = 0; turn < 12_000 && !isTrue(); turn++) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok(isTrue());
};

test("a token that expires is replaced, said once, and what was entered stays", async () => {
  let valid = "first";
  const body = openPage((method, path, sent, headers) => {
    if (headers.get("Authorization") !== `Bearer ${valid}`) return { status: 401, title: "The token has expired." };
    if (path.startsWith("/api/v1/dashboard/parts")) return { version: "1", pages: [] };
    return path.startsWith("/api/v1/dashboard/what-if") ? { peakPerSecond: 1, backlog: 0 } : [CONFIGURATION];
  });
  document.hidden = true; // nobody asks whether the node is ready
  location.hash = "#/configurations/+new";
  const [main, access] = [document.getElementById("content"), document.getElementById("access")];
  access.hidden = true;
  const toasts = document.getElementById("toasts");
  body.append(main, access, toasts);
  await import("../../main/resources/dashboard/app.js");
  await enter("first");
  await until(() => main.textContent.includes("Max per window"));
  const max = main.control("Max per window");
  max.value = "77";
  max.fire("input");
  valid = "second";
  const { get } = await import("../../main/resources/dashboard/data/http.js");
  for (let round = 0; round < 3; round++) await get("/admin/rate-limit/configs").catch(() => {});
  assert.match(access.textContent, /^The token is not valid/);
  assert.equal(access.hidden, false);
  assert.equal(toasts.textContent, "");
  access.all((one) => one.nodeName === "BUTTON")[0].fire("click");
  await enter("second");
  assert.equal(access.hidden, true);
  assert.equal(main.control("Max per window"), max);
  assert.equal(max.value, "77");
  await get("/admin/rate-limit/configs");

  async function enter(token) {
    const dialog = () => body.all((one) => one.nodeName === "DIALOG")[0];
    await until(dialog);
    dialog().all((one) => one.id === "token-field")[0].value = token;
    dialog().all((one) => one.nodeName === "FORM")[0].fire("submit");
    await settled();
  }
});
