// Rules: which requests they cover, what they refuse, and how to change them.

import { el, replace, setText, update } from "../ui/dom.js";
import { count, dateTime } from "../data/format.js";
import { call, get } from "../data/http.js";
import { explainPanel } from "./rules/explain.js";
import { refusalPanels } from "./rules/refusals.js";
import { ruleEditor } from "./rules/rule-editor.js";
import { changes, countsOf, coverText, limitText, matches, queueText, shadowText, specOf } from "../data/rule-text.js";
import { sampleButton } from "../ui/sample.js";
import { badge, button, confirmed, empty, explained, facts, input, loading, pageHead, panel, table, toast, withZone } from "../ui/widgets.js";

const REFRESH_MS = 5000;
const NO_REFUSALS = { rules: [], otherRules: null, keys: [], shadowKeys: [], sampled: false };
const NOT_COUNTED = "Not counted by itself: only the first 100 rules are";

export function show(main, { parts, rest, signal, reload }) {
  const search = input({ type: "search", placeholder: "Search rules", "aria-label": "Search rules", class: "search", oninput: () => drawList() });
  const list = el("div", {});
  const side = el("div", { class: "stack" });
  const refusals = refusalPanels();
  let rules = null; // until they are loaded
  let isAsking = false;
  let counts = NO_REFUSALS;
  let drawn = null; // the rule that the details show
  let drawCounts = () => {}; // in the details
  const [chosen, action] = rest;

  main.append(
    pageHead("Rules", withZone("Which requests are limited, and what the limits refuse."),
      button("New rule", () => { location.hash = "#/rules/new"; }, { kind: "primary" })),
    el("div", { class: "stack" }, side, panel("Rules", { hint: "Counts are of the last 15 minutes on this node", flush: true, actions: search }, list),
      el("div", { class: "split" }, explainPanel({ signal }), refusals.element)),
  );

  loading(list, async () => {
    // Rules last: until then the list shows what goes on.
    const [loaded, counted] = await Promise.all([get("/api/admin/rules", { signal }), get("/api/v1/dashboard/refusals", { signal })]);
    counts = counted;
    rules = loaded;
    refusals.update(counts);
    drawSide();
    return listed();
  });
  const timer = setInterval(async () => {
    if (document.hidden || isAsking || rules === null) return;
    isAsking = true;
    try {
      [rules, counts] = await Promise.all([get("/api/admin/rules", { signal }), get("/api/v1/dashboard/refusals", { signal })]);
      refusals.update(counts);
      drawList();
      // An editor keeps what was entered; it learns of another version when it saves.
      if (!action && chosen !== "new") followSide();
    } catch {
      // The next round tries again; the table keeps what it has.
    } finally {
      isAsking = false;
    }
  }, REFRESH_MS);
  signal.addEventListener("abort", () => clearInterval(timer));

  function chosenRule() {
    return rules.find((one) => String(one.id) === chosen);
  }

  function drawList() {
    if (rules !== null) update(list, listed());
  }

  function listed() {
    if (rules.length === 0) {
      return empty("There is no rule yet", "A rule says which requests are counted, by what, and how many pass. Create one, or make sample data to look around.",
        sampleButton(parts, reload), el("a", { class: "button", href: "#/rules/new" }, "Create a rule"));
    }
    const found = rules.filter((rule) => matches(rule, search.value));
    if (found.length === 0) return empty("No rule matches", `None of ${count(rules.length)} rules has “${search.value}” in its name, path, key or mode.`);
    return table("Rules", [
      { title: "Name", header: true, class: "break", cell: (rule) => [el("a", { href: `#/rules/${rule.id}` }, rule.name), el("span", { class: "only-phone" }, " ", modeBadge(rule))] },
      { title: "Mode", secondary: true, cell: modeBadge },
      { title: "Limit", class: "nowrap", cell: limitText },
      { title: "Covers", class: "break", secondary: true, cell: (rule) => el("span", { class: rule.pathPattern ? "mono" : "muted" }, coverText(rule)) },
      { title: "Counted by", class: "break", secondary: true, cell: (rule) => rule.keyBy.join(", ") },
      { title: "Queue", class: "nowrap", secondary: true, cell: queueText },
      { title: "Priority", number: true, secondary: true, cell: (rule) => rule.priority },
      { title: "Allowed", number: true, secondary: true, cell: allowedCell },
      { title: "Refused", number: true, cell: refusedCell },
    ], found, { rowAttributes: (rule) => ({ "data-key": rule.id, class: String(rule.id) === chosen && "selected" }) });
  }

  function allowedCell(rule) {
    const row = countsOf(counts, rule.name);
    return row ? count(row.allowed + row.queued + row.shadowAllowed) : notCounted();
  }

  function refusedCell(rule) {
    const row = countsOf(counts, rule.name);
    if (!row) return notCounted();
    if (rule.mode === "shadow") return el("span", { class: "muted" }, `${count(row.shadowRefused)} would${rule.queueEnabled ? ", or wait" : ""}`);
    return count(row.refused);
  }

  /** The details of another version are drawn anew; the focus stays on the button that has it. */
  function followSide() {
    if (JSON.stringify(chosenRule()) === drawn) {
      drawCounts();
      return;
    }
    const focused = side.contains(document.activeElement) ? document.activeElement.textContent : null;
    drawSide();
    if (focused !== null) [...side.querySelectorAll("button")].find((one) => one.textContent === focused)?.focus();
  }

  function drawSide() {
    drawn = JSON.stringify(chosenRule());
    drawCounts = () => {};
    if (chosen === "new") replace(side, ruleEditor(null, { signal, done: (rule) => { location.hash = `#/rules/${rule.id}`; } }));
    else if (chosen) {
      const rule = chosenRule();
      if (!rule) replace(side, el("p", { class: "notice", "data-tone": "warning" }, `There is no rule with the id ${chosen}.`));
      else if (action === "edit") replace(side, ruleEditor(rule, { signal, done: () => { location.hash = `#/rules/${rule.id}`; } }));
      else replace(side, details(rule));
    }
  }

  function details(rule) {
    const counted = el("span", {});
    drawCounts = () => {
      const row = countsOf(counts, rule.name);
      counted.title = row ? "" : NOT_COUNTED;
      setText(counted, row ? `${count(rule.mode === "shadow" ? row.shadowRefused : row.refused)} of ${count(total(row))} in 15 min` : "–");
    };
    drawCounts();
    const versions = el("div", { class: "stack-small" });
    loading(versions, async () => historyOf(await get(`/api/admin/rules/${rule.id}/versions`, { signal })));
    const toShadow = rule.mode !== "shadow";
    return el("div", { class: "split" },
      panel(rule.name, {
        hint: `Version ${rule.version}, since ${dateTime(rule.updatedAt)}`,
        actions: [
          button(toShadow ? "Put in shadow" : "Enforce", () => change(rule, { mode: toShadow ? "shadow" : "enforce" })),
          button("Edit", () => { location.hash = `#/rules/${rule.id}/edit`; }, { kind: "primary" }),
          button("Remove", () => remove(rule), { kind: "danger" }),
        ],
      }, facts([
        ["Mode", modeBadge(rule)],
        ["Limit", limitText(rule)],
        ["Covers", el("span", { class: rule.pathPattern && "mono" }, coverText(rule))],
        ["Counted by", rule.keyBy.join(", ")],
        ["Queue", queueText(rule)],
        ["Priority", rule.priority],
        ["If the store is gone", rule.onStoreFailure],
        [rule.mode === "shadow" ? shadowText(rule) : "Refused", counted],
      ]), rule.mode === "shadow" && el("p", { class: "notice" }, "In shadow the rule decides and counts, and refuses and delays nothing.")),
      panel("History", { hint: "Who changed what, and when" }, versions));
  }

  function historyOf(versions) {
    return el("ol", { class: "history" }, versions.map((version, i) => el("li", {},
      el("b", {}, `Version ${version.version}`),
      el("span", { class: "grow muted break" }, version.removed ? "removed" : i === versions.length - 1 ? "created" : changes(versions[i + 1], version).join("; ") || "no difference"),
      el("span", { class: "muted small" }, `${version.changedBy}, ${dateTime(version.updatedAt)}`))));
  }

  async function change(rule, fields) {
    try {
      await call("PUT", `/api/admin/rules/${rule.id}`, { body: { ...specOf(rule), ...fields }, headers: { "If-Match": `"${rule.version}-${rule.updatedAt}"` } });
      toast(fields.mode === "shadow" ? `${rule.name} is in shadow: it counts and refuses nothing.` : `${rule.name} is enforced.`);
    } catch (problem) {
      toast(explained(problem), "danger");
    }
    reload();
  }

  async function remove(rule) {
    if (!(await confirmed(`Remove ${rule.name}?`, "Requests are no longer limited by it. Its history stays.", "Remove"))) return;
    try {
      await call("DELETE", `/api/admin/rules/${rule.id}`, { headers: { "If-Match": `"${rule.version}-${rule.updatedAt}"` } });
      toast(`${rule.name} is removed.`);
      if (!signal.aborted) location.hash = "#/rules";
    } catch (problem) {
      toast(explained(problem), "danger");
    }
  }
}

function notCounted() {
  return el("span", { class: "muted", title: NOT_COUNTED }, "–");
}

function total(row) {
  return row.allowed + row.refused + row.queued + row.shadowAllowed + row.shadowRefused;
}

function modeBadge(rule) {
  if (!rule.active) return badge("inactive");
  return rule.mode === "shadow" ? badge("shadow", "warning") : badge("enforced", "good");
}
