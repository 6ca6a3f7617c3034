// Rules: which requests they cover, what they refuse, and how to change them.

import { el, replace } from "./dom.js";
import { count, dateTime } from "./format.js";
import { call, get } from "./http.js";
import { explainPanel } from "./explain.js";
import { refusalPanels } from "./refusals.js";
import { ruleEditor } from "./rule-editor.js";
import { changes, countsOf, coverText, limitText, matches, queueText, specOf } from "./rule-text.js";
import { sampleButton } from "./sample.js";
import { badge, button, confirmed, empty, explained, facts, input, loading, pageHead, panel, table, toast } from "./widgets.js";

const REFRESH_MS = 5000;
const NO_REFUSALS = { rules: [], otherRules: null, keys: [], shadowKeys: [], sampled: false };
const NOT_COUNTED = "Not counted by itself: only the first 100 rules are";

export function show(main, { parts, rest, signal, reload }) {
  const search = input({ type: "search", placeholder: "Search rules", "aria-label": "Search rules", class: "search", oninput: () => drawList() });
  const list = el("div", {});
  const side = el("div", { class: "stack" });
  const refusals = refusalPanels();
  let rules = [];
  let counts = NO_REFUSALS;
  const [chosen, action] = rest;

  main.append(
    pageHead("Rules", "Which requests are limited, and what the limits refuse.",
      button("New rule", () => { location.hash = "#/rules/new"; }, { kind: "primary" })),
    el("div", { class: "stack" }, side, panel("Rules", { hint: "Counts are of the last 15 minutes on this node", flush: true, actions: search }, list),
      el("div", { class: "split" }, explainPanel({ signal }), refusals.element)),
  );

  loading(list, async () => {
    [rules, counts] = await Promise.all([get("/api/admin/rules", { signal }), get("/api/v1/dashboard/refusals", { signal })]);
    refusals.update(counts);
    drawSide();
    return listed();
  });
  const timer = setInterval(async () => {
    if (document.hidden || list.contains(document.activeElement)) return;
    try {
      counts = await get("/api/v1/dashboard/refusals", { signal });
      refusals.update(counts);
      drawList();
    } catch {
      // The next round tries again; the table keeps what it has.
    }
  }, REFRESH_MS);
  signal.addEventListener("abort", () => clearInterval(timer));

  function drawList() {
    replace(list, listed());
  }

  function listed() {
    if (rules.length === 0) {
      return empty("There is no rule yet", "A rule says which requests are counted, by what, and how many pass. Create one, or make sample data to look around.",
        sampleButton(parts, reload), el("a", { class: "button", href: "#/rules/new" }, "Create a rule"));
    }
    const found = rules.filter((rule) => matches(rule, search.value));
    if (found.length === 0) return empty("No rule matches", `None of ${count(rules.length)} rules has “${search.value}” in its name, path, key or mode.`);
    return table("Rules", [
      { title: "Name", header: true, class: "break", cell: (rule) => el("a", { href: `#/rules/${rule.id}` }, rule.name) },
      { title: "Mode", cell: modeBadge },
      { title: "Limit", class: "nowrap", cell: limitText },
      { title: "Covers", class: "break", secondary: true, cell: (rule) => el("span", { class: rule.pathPattern ? "mono" : "muted" }, coverText(rule)) },
      { title: "Counted by", class: "break", secondary: true, cell: (rule) => rule.keyBy.join(", ") },
      { title: "Queue", class: "nowrap", secondary: true, cell: queueText },
      { title: "Priority", number: true, secondary: true, cell: (rule) => rule.priority },
      { title: "Allowed", number: true, secondary: true, cell: allowedCell },
      { title: "Refused", number: true, cell: refusedCell },
    ], found, { rowAttributes: (rule) => ({ class: String(rule.id) === chosen && "selected" }) });
  }

  function allowedCell(rule) {
    const row = countsOf(counts, rule.name);
    return row ? count(row.allowed + row.queued + row.shadowAllowed) : notCounted();
  }

  function refusedCell(rule) {
    const row = countsOf(counts, rule.name);
    if (!row) return notCounted();
    if (rule.mode === "shadow") return el("span", { class: "muted" }, `${count(row.shadowRefused)} would`);
    return count(row.refused);
  }

  function drawSide() {
    if (chosen === "new") replace(side, ruleEditor(null, { signal, done: (rule) => { location.hash = `#/rules/${rule.id}`; } }));
    else if (chosen) {
      const rule = rules.find((one) => String(one.id) === chosen);
      if (!rule) replace(side, el("p", { class: "notice", "data-tone": "warning" }, `There is no rule with the id ${chosen}.`));
      else if (action === "edit") replace(side, ruleEditor(rule, { signal, done: () => { location.hash = `#/rules/${rule.id}`; } }));
      else replace(side, details(rule));
    }
  }

  function details(rule) {
    const row = countsOf(counts, rule.name);
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
        [rule.mode === "shadow" ? "Would have refused" : "Refused", row ? `${count(rule.mode === "shadow" ? row.shadowRefused : row.refused)} of ${count(total(row))} in 15 min` : notCounted()],
      ]), rule.mode === "shadow" && el("p", { class: "notice" }, "In shadow the rule decides and counts, and refuses nothing.")),
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
      await call("PUT", `/api/admin/rules/${rule.id}`, { body: { ...specOf(rule), ...fields }, headers: { "If-Match": `"${rule.version}"` }, signal });
      toast(fields.mode === "shadow" ? `${rule.name} is in shadow: it counts and refuses nothing.` : `${rule.name} is enforced.`);
    } catch (problem) {
      toast(explained(problem), "danger");
    }
    reload();
  }

  async function remove(rule) {
    if (!(await confirmed(`Remove ${rule.name}?`, "Requests are no longer limited by it. Its history stays.", "Remove"))) return;
    try {
      await call("DELETE", `/api/admin/rules/${rule.id}`, { headers: { "If-Match": `"${rule.version}"` }, signal });
      location.hash = "#/rules";
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
