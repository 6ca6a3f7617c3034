// A form for each endpoint, with the curl line beside it, from the OpenAPI document.

import { el, replace, setText } from "../ui/dom.js";
import { hasToken, Problem, segment, send } from "../data/http.js";
import { curlLine } from "../data/curl.js";
import { indented } from "../data/json.js";
import { byTag, exampleOf, operations, requestOf } from "../data/openapi.js";
import { button, busy, field, inlineCode, input, loading, notice, pageHead, panel, select, toast } from "../ui/widgets.js";

const MAX_SHOWN = 100_000;
const MIN_ROWS = 6;
const MAX_ROWS = 20;

/** A stream has no end: its beginning is shown. */
const STREAM_MS = 3000;
let loaded = null;

/** The document is large and YAML: it is read when somebody looks, and once. */
async function read(signal) {
  if (!loaded) {
    const [{ load }, response] = await Promise.all([
      import("../vendor/js-yaml-5.5.0/js-yaml.esm.min.mjs"),
      send("GET", "/openapi.yaml", { headers: { Accept: "application/yaml" }, signal }),
    ]);
    if (!response.ok) throw new Problem(response.status, {});
    loaded = load(await response.text());
  }
  return loaded;
}

export function show(main, { rest, signal }) {
  const place = el("div", {});
  main.append(pageHead("Try it", "A form for each endpoint, and the curl line that does the same.", el("a", { class: "button", href: "/docs" }, "Full reference")), place);
  loading(place, async () => {
    const document = await read(signal);
    const all = operations(document);
    const chosen = all.find((one) => one.id === rest[0]) ?? all.find((one) => one.id === "assign") ?? all[0];
    return el("div", { class: "try" }, operationList(document, all, chosen), operationForm(chosen, signal));
  });
}

function operationList(document, all, chosen) {
  const list = el("nav", { class: "operations", "aria-label": "Endpoints" });
  const search = input({ type: "search", placeholder: "Search endpoints", "aria-label": "Search endpoints", oninput: draw });

  function draw() {
    const word = search.value.toLowerCase();
    const found = all.filter((one) => `${one.method} ${one.path} ${one.summary}`.toLowerCase().includes(word));
    replace(list, byTag(document, found).map(([tag, members]) => [
      el("h2", {}, tag),
      members.map((one) => el("a", { href: `#/try/${one.id}`, "aria-current": one === chosen ? "true" : null },
        el("span", { class: "method" }, one.method), el("span", {}, one.summary || one.path))),
    ]));
  }

  draw();
  // When it is in the page. Only the list scrolls, not the page.
  requestAnimationFrame(() => {
    const link = list.querySelector("[aria-current]");
    if (link) list.scrollTop = link.offsetTop - list.clientHeight / 2;
  });
  return el("div", { class: "panel" }, el("div", { class: "panel-head" }, search), list);
}

function operationForm(operation, signal) {
  const fields = operation.parameters.map((parameter) => ({ parameter, field: parameterField(parameter) }));
  const status = notice();
  const line = el("pre", { class: "code", tabindex: "0", role: "region", "aria-label": "curl line" });
  const answer = el("div", { class: "stack-small", role: "status" });
  const run = el("button", { type: "submit", class: "primary" }, "Send");
  const [firstBody] = operation.bodies;
  const type = select(operation.bodies.map((body) => [body.type, body.type]), firstBody?.type, { "aria-label": "Content type" });
  const body = field("Body", el("textarea", { rows: "12", spellcheck: "false" }), { wide: true });
  const examples = select([], "", { "aria-label": "Example" });
  const bodyOf = () => operation.bodies.find((one) => one.type === type.value) ?? firstBody;

  function useType() {
    replace(examples, bodyOf().examples.map((example) => el("option", { value: example.name }, example.summary)));
    useExample();
  }

  function useExample() {
    const example = bodyOf().examples.find((one) => one.name === examples.value);
    body.control.value = example?.text ?? "{}";
    body.control.rows = Math.max(MIN_ROWS, Math.min(MAX_ROWS, body.control.value.split("\n").length + 1));
    drawLine();
  }

  function request() {
    const values = Object.fromEntries(fields.map(({ parameter, field: one }) => [`${parameter.in}.${parameter.name}`, one.control.value]));
    const { url, headers } = requestOf(operation, values);
    if (!firstBody) return { url, headers };
    return { url, headers: { ...headers, "Content-Type": type.value }, body: body.control.value };
  }

  function drawLine() {
    const { url, headers, body: text } = request();
    setText(line, curlLine({ method: operation.method, url: `${location.origin}${url}`, headers, body: text, authorized: hasToken() }));
  }

  async function perform() {
    for (const { parameter, field: one } of fields) if (parameter.in === "path") segment(one.control.value);
    const { url, headers, body: text } = request();
    const begin = performance.now();
    const response = await send(operation.method, url, { headers: { Accept: "*/*", ...headers }, body: text, signal });
    const received = await textOf(response);
    const took = performance.now() - begin;
    status.clear();
    replace(answer,
      el("p", {}, el("span", { class: "badge", "data-tone": response.ok ? "good" : "danger" }, `${response.status} ${response.statusText}`.trim()),
        " ", el("span", { class: "muted" }, `${took.toFixed(1)} ms`)),
      el("pre", { class: "code", tabindex: "0", role: "region", "aria-label": "Response headers" }, [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n")),
      received && el("pre", { class: "code", tabindex: "0", role: "region", "aria-label": "Response body" }, indented(received).slice(0, MAX_SHOWN)));
  }

  type.addEventListener("change", useType);
  examples.addEventListener("change", useExample);
  const form = el("form", {
    class: "split",
    novalidate: true,
    oninput: drawLine,
    onsubmit: (event) => {
      event.preventDefault();
      busy(run, status, perform);
    },
  },
  panel(operation.summary || operation.id, { hint: el("code", {}, `${operation.method} ${operation.path}`) },
    operation.description && el("p", { class: "muted" }, inlineCode(operation.description)),
    fields.length > 0 && el("div", { class: "form" }, fields.map(({ field: one }) => one.element)),
    firstBody && el("div", { class: "row" }, type, examples),
    firstBody && body.element,
    el("div", { class: "row" }, run), status.element),
  el("div", { class: "stack" }, panel("curl", { actions: button("Copy", () => copy(line.textContent), { kind: "small" }) }, line),
  panel("Answer", {}, answer)));
  if (firstBody) useType();
  else drawLine();
  replace(answer, el("p", { class: "muted" }, "Send the request to see its answer."));
  return form;
}

function parameterField(parameter) {
  const { schema } = parameter;
  const control = Array.isArray(schema.enum)
    ? select([["", ""], ...schema.enum.map((value) => [value, value])], "")
    : input({ placeholder: schema.default === undefined ? "" : String(schema.default), value: parameter.in === "path" ? exampleOf(parameter) : "" });
  return field(`${parameter.name}${parameter.required ? "" : " (optional)"}`, control, { hint: parameter.description && inlineCode(parameter.description) });
}

async function textOf(response) {
  if (!response.headers.get("Content-Type")?.startsWith("text/event-stream")) return response.text();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const enough = setTimeout(() => reader.cancel().catch(() => {}), STREAM_MS);
  let text = "";
  try {
    for (let piece = await reader.read(); !piece.done && text.length < MAX_SHOWN; piece = await reader.read()) text += piece.value;
  } finally {
    clearTimeout(enough);
    reader.cancel().catch(() => {});
  }
  return text;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast("Copied.");
  } catch {
    toast("The browser does not allow copying here.", "danger");
  }
}
