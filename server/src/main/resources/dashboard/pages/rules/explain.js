// Explains how rules would decide a pasted request.

import { el, replace } from "../../ui/dom.js";
import { printableId } from "../../data/format.js";
import { post } from "../../data/http.js";
import { parseRequest } from "../../data/curl.js";
import { decisionText } from "../../data/rule-text.js";
import { badge, explained, field, input, lastOnly, panel, table } from "../../ui/widgets.js";

const TONES = { allowed: "good", queued: "warning", refused: "danger" };
const EXAMPLE = `curl -X POST https://example.org/api/orders/7 -H 'X-Api-Key: abc'`;

export function explainPanel({ signal }) {
  const pasted = field("A curl line, or the head of a request", el("textarea", { rows: "4", spellcheck: "false", placeholder: EXAMPLE }));
  const ip = field("Client address", input({ value: "127.0.0.1" }));
  const result = el("div", { class: "stack-small", role: "status" });
  const form = el("form", {
    class: "stack-small",
    onsubmit: (event) => {
      event.preventDefault();
      explain();
    },
  }, pasted.element, el("div", { class: "row-end" }, ip.element, el("button", { type: "submit" }, "Explain")));

  const asking = lastOnly();

  async function explain() {
    let request;
    try {
      request = parseRequest(pasted.control.value);
      if (request.path === "") throw new SyntaxError("The head has no request line. Begin with a line such as POST /api/orders.");
    } catch (error) {
      pasted.showError(error.message);
      return;
    }
    pasted.showError("");
    const isLast = asking();
    try {
      const { repeated = [], ...described } = request;
      const answer = await post("/api/admin/rules/explain", { ...described, ip: ip.control.value.trim() }, { signal });
      if (!isLast()) return;
      ip.showError("");
      replace(result, repeated.length > 0 && el("p", { class: "notice", "data-tone": "warning" }, repeatedText(repeated)), shown(answer));
    } catch (problem) {
      if (problem.name === "AbortError" || !isLast()) return;
      const wrong = problem.errors?.find((error) => error.field === "ip");
      ip.showError(wrong?.message);
      replace(result, !wrong && el("p", { class: "notice", "data-tone": "danger" }, explained(problem)));
    }
  }

  return panel("Explain a request", { hint: "Which rules apply, and what each would decide. Takes nothing." }, form, result);
}

function repeatedText(names) {
  return `${names.join(", ")} is there more than once. A rule that counts by such a field refuses the request, whatever is said below.`;
}

function shown(answer) {
  const none = answer.rules.length + answer.overridden.length + answer.shadow.length === 0;
  return [
    el("p", {}, el("code", {}, `${answer.method} ${answer.path}`), " ", badge(answer.outcome, TONES[answer.outcome])),
    none && el("p", { class: "muted" }, "No rule covers this request."),
    answer.rules.length > 0 && results("Rules that apply", answer.rules),
    answer.shadow.length > 0 && results("In shadow", answer.shadow),
    answer.overridden.length > 0 && results("Overridden by a higher priority", answer.overridden),
  ];
}

function results(title, rows) {
  return el("div", { class: "panel-flush" }, table(title, [
    { title, header: true, class: "break", cell: (row) => el("a", { href: `#/rules/${row.id}` }, row.rule) },
    { title: "Key", class: "break", cell: (row) => el("span", { class: "mono" }, printableId(row.key)) },
    { title: "Decision", cell: (row) => (row.outcome ? decisionText(row) : "does not apply") },
  ], rows));
}
