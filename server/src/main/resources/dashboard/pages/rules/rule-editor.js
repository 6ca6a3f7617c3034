// The form of a rule.

import { el, replace, setText } from "../../ui/dom.js";
import { call, get } from "../../data/http.js";
import { appliesTo, GROUPS, RULE_FIELDS } from "../../data/rule-fields.js";
import { ALGORITHM_SWITCH, changes, specFrom, valuesOf } from "../../data/rule-text.js";
import { mergedBySwitch } from "../../data/merge.js";
import { busy, button, checkbox, debounced, entered, field, input, notice, panel, select, standText } from "../../ui/widgets.js";

/** The control of a field: `{element, control}`, with `showError(text)` unless it is a flag. */
function fieldOf({ kind, label, hint, options, byDefault, attributes, wide }) {
  if (kind === "flag") {
    const flag = checkbox(label, byDefault);
    if (wide) flag.element.classList.add("wide");
    return flag;
  }
  const number = kind === "number" ? { type: "number", step: "any", inputmode: "decimal" } : {};
  return field(label, kind === "choice" ? select(options, byDefault) : input({ ...number, ...attributes }), { hint });
}

/** The form for a new rule, or for the next version of `rule`. `done(rule)` is called when it is stored. */
export function ruleEditor(rule, { signal, done }) {
  const all = Object.fromEntries(RULE_FIELDS.map((one) => [one.name, fieldOf(one)]));
  const status = notice();
  const conflict = el("div");
  const hint = el("span", {}, rule ? `On version ${rule.version}` : "In force on every node as soon as it is stored");
  const save = el("button", { type: "submit", class: "primary" }, rule ? "Save as the next version" : "Create");
  let base = rule;
  let taken = {}; // the values of the form before it was edited
  let turn = 0;
  const form = el("form", {
    novalidate: true,
    oninput: () => {
      drawFields();
      validateSoon();
    },
    onsubmit: (event) => {
      event.preventDefault();
      busy(save, status, store);
    },
  }, panel(rule ? `Edit ${rule.name}` : "New rule", { hint },
    GROUPS.map((group) => el("div", { class: "form" }, RULE_FIELDS.filter((one) => one.group === group).map((one) => all[one.name].element))),
    status.element,
    el("div", { class: "row" }, save, el("a", { class: "button", href: rule ? `#/rules/${rule.id}` : "#/rules" }, "Cancel"))));
  const validateSoon = debounced(300, validate);

  function set(next) {
    fill(valuesOf(next));
    // As the controls write it, which may differ from what they were given.
    taken = values();
  }

  function fill(next) {
    for (const { name, kind } of RULE_FIELDS) all[name].control[kind === "flag" ? "checked" : "value"] = next[name];
    drawFields();
  }

  function values() {
    return Object.fromEntries(RULE_FIELDS.map(({ name, kind }) => [name, kind === "flag" ? all[name].control.checked : entered(all[name].control)]));
  }

  /** What was edited here, on top of another version. */
  function onto(theirs) {
    return mergedBySwitch(taken, values(), valuesOf(theirs), ALGORITHM_SWITCH);
  }

  function spec() {
    return specFrom(values(), base ?? {});
  }

  function drawFields() {
    for (const one of RULE_FIELDS) all[one.name].element.hidden = !appliesTo(one, all.algorithm.control.value);
    if (!all.queueEnabled.control.checked) {
      all.maxQueueSize.element.hidden = true;
      all.delayPerRequestMs.element.hidden = true;
    }
  }

  function showErrors(errors) {
    for (const one of Object.values(all)) one.showError?.("");
    const others = errors.filter(({ field: name, message }) => {
      const target = all[name.replace(/[.[].*$/, "")];
      target?.showError?.(message);
      return !target?.showError || target.element.hidden;
    });
    if (others.length > 0) status.show(others.map((error) => `${error.field} ${error.message}`).join("; "), "danger");
    else status.clear();
  }

  async function validate() {
    const asked = ++turn;
    try {
      await call("POST", "/api/admin/rules/validate", { body: spec(), signal });
      if (asked === turn) showErrors([]);
    } catch (problem) {
      if (problem.name !== "AbortError" && asked === turn) showErrors(problem.errors ?? []);
    }
  }

  async function store() {
    // What is said about an earlier text must not replace what is said about this one.
    validateSoon.cancel();
    turn += 1;
    try {
      done(base
        ? await call("PUT", `/api/admin/rules/${base.id}`, { body: spec(), headers: { "If-Match": `"${base.version}-${base.updatedAt}"` }, signal })
        : await call("POST", "/api/admin/rules", { body: spec(), signal }));
    } catch (problem) {
      showErrors(problem.errors ?? []);
      if (problem.status === 412) await showConflict(problem);
      else if (problem.type === "name-taken") all.name.showError(problem.message);
      else if (!problem.errors?.length) throw problem;
    }
  }

  function standOn(theirs) {
    base = theirs;
    setText(hint, `On version ${theirs.version}`);
    conflict.replaceChildren();
  }

  /** Another version came into force meanwhile: both are shown, and nothing is overwritten unless that is wanted. */
  async function showConflict(problem) {
    const theirs = await get(`/api/admin/rules/${base.id}`, { signal });
    replace(conflict, panel(`Version ${theirs.version} came into force while you edited`, { hint: problem.message },
      el("p", {}, "What your changes would make of it:"),
      el("ul", { class: "history" }, changes(specFrom(valuesOf(theirs), theirs), specFrom(onto(theirs).values, theirs)).map((change) => el("li", { class: "break" }, change))),
      el("div", { class: "row" },
        button("Take theirs", () => {
          standOn(theirs);
          set(theirs);
          validate();
          save.focus();
        }),
        button("Keep mine, on top of theirs", () => {
          const { values: both, conflicts } = onto(theirs);
          standOn(theirs);
          set(theirs);
          fill(both);
          status.show(standText(theirs, conflicts), "warning");
          save.focus();
        }))));
    conflict.querySelector("button").focus();
  }

  set(rule ?? { allowedRequests: 100, windowSeconds: 60 });
  return el("div", { class: "stack" }, conflict, form);
}
