// The form of a rule.

import { el, replace, setText } from "../../ui/dom.js";
import { call, get } from "../../data/http.js";
import { ALGORITHM_SWITCH, ALGORITHMS, changes, FIELDS, specFrom, valuesOf } from "../../data/rule-text.js";
import { mergedBySwitch } from "../../data/merge.js";
import { busy, button, checkbox, debounced, entered, field, input, notice, panel, select, standText } from "../../ui/widgets.js";

/** The form for a new rule, or for the next version of `rule`. `done(rule)` is called when it is stored. */
export function ruleEditor(rule, { signal, done }) {
  const number = (attributes) => input({ type: "number", step: "any", inputmode: "decimal", ...attributes });
  const fields = {
    name: field("Name", input({ maxlength: "100", required: true, placeholder: "orders" })),
    pathPattern: field("Path", input({ maxlength: "1000", placeholder: "/api/orders/**", class: "mono" }), { hint: "* is a segment, ** any number. Empty: by name only" }),
    methods: field("Methods", input({ placeholder: "all" }), { hint: "Such as POST, PUT" }),
    keyBy: field("Counted by", input({ placeholder: "ip" }), { hint: "ip, path, global, header:Name" }),
    algorithm: field("Algorithm", select(ALGORITHMS, "FIXED_WINDOW")),
    allowedRequests: field("Requests", number({ min: "1" })),
    windowSeconds: field("Window in seconds", number({ min: "0.001" })),
    capacity: field("Tokens", number({ min: "1" })),
    refillRate: field("Tokens per second", number({ min: "0" })),
    maxConcurrent: field("At the same time", number({ min: "1" })),
    leaseTtl: field("Lease", input({ placeholder: "PT1M" })),
    maxQueueSize: field("Max waiting", number({ min: "0", max: "100000" })),
    delayPerRequestMs: field("Delay for each, ms", number({ min: "1", max: "30000", placeholder: "100" })),
    priority: field("Priority", number({ min: "-1000000", max: "1000000" })),
    mode: field("Mode", select([["enforce", "enforce"], ["shadow", "shadow: count, refuse nothing"]], "enforce")),
    onStoreFailure: field("If the store is gone", select([["closed", "refuse"], ["fallback", "use the next store"], ["local", "each node its share"], ["open", "let everything pass"]], "closed")),
  };
  const switches = {
    aligned: checkbox("Windows aligned to the clock", false),
    queueEnabled: checkbox("Let requests wait in a queue", false),
    active: checkbox("Active", true),
  };
  switches.queueEnabled.element.classList.add("wide");
  const status = notice();
  const conflict = el("div");
  const hint = el("span", {}, rule ? `On version ${rule.version}` : "In force on every node as soon as it is stored");
  const save = el("button", { type: "submit", class: "primary" }, rule ? "Save as the next version" : "Create");
  let base = rule;
  let taken = {}; // the values of the form before it was edited
  let turn = 0;
  const all = { ...fields, ...switches };
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
    el("div", { class: "form" }, fields.name.element, fields.pathPattern.element, fields.methods.element, fields.keyBy.element),
    el("div", { class: "form" }, ["algorithm", "allowedRequests", "windowSeconds", "capacity", "refillRate", "maxConcurrent", "leaseTtl", "aligned"].map((name) => all[name].element)),
    el("div", { class: "form" }, switches.queueEnabled.element, fields.maxQueueSize.element, fields.delayPerRequestMs.element),
    el("div", { class: "form" }, fields.mode.element, fields.priority.element, fields.onStoreFailure.element, switches.active.element),
    status.element,
    el("div", { class: "row" }, save, el("a", { class: "button", href: rule ? `#/rules/${rule.id}` : "#/rules" }, "Cancel"))));
  const validateSoon = debounced(300, validate);

  function set(next) {
    fill(valuesOf(next));
    // As the controls write it, which may differ from what they were given.
    taken = values();
  }

  function fill(all) {
    for (const [name, one] of Object.entries(fields)) one.control.value = all[name];
    for (const [name, one] of Object.entries(switches)) one.control.checked = all[name];
    drawFields();
  }

  function values() {
    return {
      ...Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, entered(one.control)])),
      ...Object.fromEntries(Object.entries(switches).map(([name, one]) => [name, one.control.checked])),
    };
  }

  /** What was edited here, on top of another version. */
  function onto(theirs) {
    return mergedBySwitch(taken, values(), valuesOf(theirs), ALGORITHM_SWITCH);
  }

  function spec() {
    return specFrom(values());
  }

  function drawFields() {
    const used = FIELDS[fields.algorithm.control.value];
    for (const name of new Set(Object.values(FIELDS).flat())) all[name].element.hidden = !used.includes(name);
    if (!switches.queueEnabled.control.checked) {
      fields.maxQueueSize.element.hidden = true;
      fields.delayPerRequestMs.element.hidden = true;
    }
  }

  function showErrors(errors) {
    for (const one of Object.values(fields)) one.showError("");
    const others = errors.filter(({ field: name, message }) => {
      const target = fields[name.replace(/[.[].*$/, "")];
      target?.showError(message);
      return !target || target.element.hidden;
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
      else if (problem.type === "name-taken") fields.name.showError(problem.message);
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
      el("ul", { class: "history" }, changes(specFrom(valuesOf(theirs)), specFrom(onto(theirs).values)).map((change) => el("li", { class: "break" }, change))),
      el("div", { class: "row" },
        button("Take theirs", () => {
          standOn(theirs);
          set(theirs);
          validate();
          save.focus();
        }),
        button("Keep mine, on top of theirs", () => {
          const { values: all, conflicts } = onto(theirs);
          standOn(theirs);
          set(theirs);
          fill(all);
          status.show(standText(theirs, conflicts), "warning");
          save.focus();
        }))));
    conflict.querySelector("button").focus();
  }

  set(rule ?? { allowedRequests: 100, windowSeconds: 60 });
  return el("div", { class: "stack" }, conflict, form);
}
