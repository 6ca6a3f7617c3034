// Configurations: which are in force, how they came to be, and how to change them.

import { el, replace, setText } from "../ui/dom.js";
import { count, dateTime, duration, relative } from "../data/format.js";
import { get, post, withQuery } from "../data/http.js";
import { takeDraft } from "../data/draft.js";
import { policyForm } from "./configurations/policy-form.js";
import { differences, flattened, formLabel, labelOf, policyOf, policyText, precondition } from "../data/policy.js";
import { badge, busy, button, debounced, facts, field, input, loading, notice, pageHead, panel, reloading, select, standText, table, withZone } from "../ui/widgets.js";

export function show(main, { rest, signal }) {
  const list = el("div", {});
  const side = el("div", { class: "stack" });
  main.append(
    pageHead("Configurations", withZone("How many events a window takes, how long it is, and when it is open."),
      button("New configuration", () => { location.hash = NEW; }, { kind: "primary" })),
    // The list may be long: what was chosen from it is above.
    el("div", { class: "stack" }, side, panel("In force", { flush: true }, list)),
  );
  const [chosen, action] = rest;
  const edits = action === "edit";
  let version;

  async function load(isLast) {
    const all = await get("/admin/rate-limit/configs", { signal });
    if (!isLast()) return null;
    const known = version;
    version = all.find((one) => one.configName === chosen)?.version;
    // An editor keeps what was entered; it learns of another version when it saves.
    if (known !== undefined && version !== known && !edits) showChosen();
    return table("Configurations in force", [
      { title: "Name", header: true, class: "break", cell: (one) => el("a", { href: link(one.configName) }, one.configName) },
      { title: "Limit", class: "nowrap", cell: policyText },
      { title: "Max in a second", number: true, secondary: true, cell: (one) => count(one.peakPerSecond) },
      { title: "Spread", secondary: true, cell: (one) => one.spread },
      { title: "Max delay", class: "nowrap", secondary: true, cell: (one) => (one.maxDelay ? duration(one.maxDelay) : "no bound") },
      { title: "Open", secondary: true, cell: openText },
      { title: "Version", number: true, cell: (one) => one.version },
      { title: "Since", class: "nowrap", secondary: true, cell: (one) => el("span", { title: dateTime(one.createdAt) }, relative(one.createdAt)) },
    ], all, { rowAttributes: (one) => ({ "data-key": one.configName, class: one.configName === chosen && "selected" }) });
  }

  function showChosen() {
    loading(side, () => details(chosen, edits, signal));
  }

  loading(list, load);
  reloading(list, load, signal);
  if (location.hash === NEW) replace(side, editor(null, signal));
  else if (chosen) showChosen();
}

/** No configuration has such a name. */
const NEW = "#/configurations/+new";
const link = (name, action = "") => `#/configurations/${encodeURIComponent(name)}${action}`;

function openText(configuration) {
  const marks = [configuration.calendar ? "opening hours" : "always"];
  if (configuration.pausedUntil && Date.parse(configuration.pausedUntil) > Date.now()) {
    marks.push(badge(`paused until ${dateTime(configuration.pausedUntil)}`, "warning"));
  }
  return marks.flatMap((mark) => [mark, " "]);
}

async function details(name, edits, signal) {
  const versions = await get(withQuery("/admin/rate-limit/config/history", { name }), { signal });
  const [current] = versions;
  const past = historyPanels(versions);
  if (edits) return [editor(current, signal), el("div", { class: past.length > 1 ? "split" : "stack" }, past)];
  return el("div", { class: "split" },
    panel(name, {
      hint: `Version ${current.version}, since ${dateTime(current.createdAt)}`,
      actions: [el("a", { class: "button", href: `#/slots/${encodeURIComponent(name)}` }, "Windows ahead"),
        button("Edit", () => { location.hash = link(name, "/edit"); }, { kind: "primary" })],
    }, facts(Object.entries(flattened(current)).map(([field, value]) => [labelOf(field), hoursInZone(field, value, current)]))),
    el("div", { class: "stack" }, past));
}

/** Opening hours are in their own zone, not in that of the page. */
function hoursInZone(field, value, { calendar }) {
  return /^calendar\.hours\./.test(field) && value !== "closed" ? `${value} (${calendar.timeZone})` : value;
}

/** How the versions came to be, and what is different between two of them. */
function historyPanels(versions) {
  const options = versions.map((one) => [one.version, `Version ${one.version}`]);
  const before = select(options, versions[1]?.version ?? versions[0].version, { "aria-label": "Earlier version", onchange: compare });
  const after = select(options, versions[0].version, { "aria-label": "Later version", onchange: compare });
  const result = el("div", { class: "panel-flush diff", "aria-live": "polite" });
  const of = (control) => versions.find((one) => String(one.version) === control.value);

  function compare() {
    const rows = differences(of(before), of(after));
    replace(result, rows.length === 0
      ? el("p", { class: "muted" }, "These versions are the same.")
      : differenceTable(rows, `Version ${before.value}`, `Version ${after.value}`));
  }

  compare();
  return [
    panel("History", { hint: "Versions are never deleted" },
      el("ol", { class: "history" }, versions.map((one, i) => el("li", {},
        el("b", {}, `Version ${one.version}`), one.active && badge("in force", "good"),
        el("span", { class: "grow muted" }, changeText(versions[i + 1], one)),
        el("time", { class: "muted small nowrap", datetime: one.createdAt }, dateTime(one.createdAt)))))),
    ...(versions.length > 1 ? [panel("Differences", { actions: el("div", { class: "row" }, before, el("span", {}, "→"), after) }, result)] : []),
  ];
}

function changeText(before, after) {
  if (!before) return `created with ${policyText(after)}`;
  const rows = differences(before, after).filter((row) => row.name !== "peakPerSecond");
  return rows.length === 0 ? "no difference" : rows.map((row) => `${row.label}: ${row.before || "none"} → ${row.after || "none"}`).join("; ");
}

function differenceTable(rows, before, after) {
  return table("Differences", [
    { title: "Field", header: true, cell: (row) => row.label },
    { title: before, cell: (row) => (row.before ? el("del", {}, row.before) : el("span", { class: "muted" }, "none")) },
    { title: after, cell: (row) => (row.after ? el("ins", {}, row.after) : el("span", { class: "muted" }, "none")) },
  ], rows);
}

function standsOn(configuration) {
  return `On version ${configuration.version}. Slots that are assigned never move.`;
}

/** The form for a new configuration, or for the next version of `current`. */
function editor(current, signal) {
  const status = notice();
  const conflict = el("div");
  const name = field("Name", input({ maxlength: "100", required: true, placeholder: "bank-api", value: current?.configName ?? "", readonly: current !== null }),
    { hint: "Letters, digits and . _ : -" });
  const draft = current && takeDraft(current.configName);
  let base = current;
  let turn = 0;
  const validateSoon = debounced(250, validate);
  const form = policyForm(current ? policyOf(current) : { maxPerWindow: 100, windowSize: "PT4S" }, { onChange: validateSoon });
  const peak = el("p", { class: "muted", role: "status" });
  const save = el("button", { type: "submit", class: "primary" }, current ? "Save as the next version" : "Create");
  const title = el("span", {}, current ? `Edit ${current.configName}` : "New configuration");
  const hint = el("span", {}, current ? standsOn(current) : "In force on every node as soon as it is stored.");
  name.control.addEventListener("input", () => {
    conflict.replaceChildren(); // it is about another name
    validateSoon();
  });

  async function validate() {
    const asked = ++turn;
    try {
      const found = await post("/api/v1/dashboard/what-if", { configName: name.control.value || "new", policy: form.policy(), cells: 1 }, { signal });
      if (asked !== turn) return;
      showErrors([]);
      const end = found.changed?.endsAt ? ` The backlog of ${count(found.backlog)} events would end at ${dateTime(found.changed.endsAt)}.` : "";
      peak.textContent = `Valid. At most ${count(found.peakPerSecond)} in any second.${end}`;
    } catch (problem) {
      if (problem.name === "AbortError" || asked !== turn) return;
      peak.textContent = "";
      showErrors(problem.errors ?? []);
    }
  }

  function showErrors(errors) {
    const own = errors.filter((error) => error.field === "configName");
    name.showError(own[0]?.message);
    const others = form.showErrors(errors.filter((error) => error.field !== "configName"));
    if (others.length > 0) status.show(others.map((error) => `${error.field} ${error.message}`).join("; "), "danger");
    else if (!draft) status.clear();
  }

  async function store() {
    // What is said about an earlier text must not replace what is said about this one.
    validateSoon.cancel();
    turn += 1;
    const configName = name.control.value.trim();
    try {
      await post("/admin/rate-limit/config", { configName, ...form.policy() }, { headers: precondition(base, configName), signal });
      location.hash = link(configName);
    } catch (problem) {
      showErrors(problem.errors ?? []);
      if (problem.status === 412) await showConflict(configName, problem);
      else if (!problem.errors?.length) throw problem;
    }
  }

  /** What is stored next is the next version of `theirs`, and of no other configuration. */
  function standOn(theirs) {
    base = theirs;
    name.control.value = theirs.configName;
    name.control.readOnly = true;
    setText(title, `Edit ${theirs.configName}`);
    setText(hint, standsOn(theirs));
    setText(save, "Save as the next version");
    conflict.replaceChildren();
  }

  /** Another version came into force meanwhile: both are shown, and nothing is overwritten unless that is wanted. */
  async function showConflict(configName, problem) {
    const theirs = await get(withQuery("/admin/rate-limit/config", { name: configName }), { signal });
    const mine = base === null ? form.policy() : form.policyOnto(policyOf(theirs));
    replace(conflict, panel(base?.configName === configName ? `Version ${theirs.version} came into force while you edited` : `${configName} exists already`, { hint: problem.message },
      differenceTable(differences(theirs, mine).filter((row) => row.name !== "peakPerSecond"), `In force: version ${theirs.version}`, "With your changes"),
      el("div", { class: "row" },
        button("Take theirs", () => {
          standOn(theirs);
          form.set(policyOf(theirs));
          validate();
          save.focus();
        }),
        button("Keep mine, on top of theirs", () => {
          const both = base === null ? [] : form.mergeOnto(policyOf(theirs));
          standOn(theirs);
          status.show(standText(theirs, both.map(formLabel)), "warning");
          save.focus();
        }),
        base === null && button("Choose another name", () => {
          conflict.replaceChildren();
          name.control.focus();
          name.control.select();
        }))));
    conflict.querySelector("button").focus();
  }

  const element = el("form", {
    novalidate: true,
    onsubmit: (event) => {
      event.preventDefault();
      busy(save, status, store);
    },
  }, panel(title, { hint },
    el("div", { class: "form" }, name.element), form.element, status.element, peak,
    el("div", { class: "row" }, save, el("a", { class: "button", href: current ? link(current.configName) : "#/configurations" }, "Cancel"))));
  if (draft) {
    form.edit(draft);
    status.show("This is what you tried under “What if?”. It is not saved yet.", "warning");
  }
  if (current) validate();
  return el("div", { class: "stack" }, conflict, element);
}
