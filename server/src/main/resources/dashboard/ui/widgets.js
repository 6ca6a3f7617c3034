// Parts that several pages use: panels, fields, tables, dialogs, messages.

import { el, replace, setText, uniqueId, update } from "./dom.js";
import { inZone, zoneText } from "../data/format.js";
import { Problem } from "../data/http.js";

export function pageHead(title, text, ...actions) {
  return el(
    "div",
    { class: "page-head" },
    el("div", { class: "grow" }, el("h1", {}, title), el("p", {}, text)),
    actions.length > 0 && el("div", { class: "row" }, actions),
  );
}

/** What a page with times is about, and the zone of all of them. */
export function withZone(text) {
  return [text, " ", el("span", { class: "nowrap" }, `Times are in ${zoneText()}.`)];
}

export function panel(title, { hint, actions, flush = false } = {}, ...content) {
  const id = uniqueId("panel");
  return el(
    "section",
    { class: "panel", "aria-labelledby": id },
    el(
      "div",
      { class: "panel-head" },
      el("div", {}, el("h2", { id }, title), hint && el("p", {}, hint)),
      actions && el("div", { class: "row" }, actions),
    ),
    // A region that scrolls must be reachable by keyboard.
    el("div", flush ? { class: "panel-flush", tabindex: "0", role: "group", "aria-labelledby": id } : { class: "panel-body" }, content),
  );
}

/** A text with `code` in backticks. */
export function inlineCode(text) {
  return text.split("`").map((piece, i) => (i % 2 === 1 ? el("code", {}, piece) : piece));
}

export function badge(text, tone) {
  return el("span", { class: "badge", "data-tone": tone }, text);
}

export function button(text, onclick, { kind = "", ...attributes } = {}) {
  return el("button", { type: "button", class: kind, onclick, ...attributes }, text);
}

/** Buttons of which one is pressed. `options` are `[value, text]`. */
export function segmented(label, options, chosen, onChoose) {
  const buttons = options.map(([value, text]) =>
    el("button", { type: "button", "aria-pressed": String(value === chosen), "data-value": value, onclick: () => choose(value) }, text),
  );
  function mark(value) {
    for (const one of buttons) one.setAttribute("aria-pressed", String(one.dataset.value === String(value)));
  }
  function choose(value) {
    mark(value);
    onChoose(value);
  }
  const element = el("div", { class: "segmented", role: "group", "aria-label": label }, buttons);
  return { element, choose, mark };
}

/** A labelled control. `showError(text)` marks it as wrong and says why. */
export function field(label, control, { hint, wide = false } = {}) {
  control.id ||= uniqueId("field");
  const error = el("p", { class: "error", id: uniqueId("error") });
  const note = hint ? el("p", { class: "hint", id: uniqueId("hint") }, hint) : null;
  const describe = () => {
    const ids = [error.textContent && error.id, note?.id].filter(Boolean).join(" ");
    if (ids) control.setAttribute("aria-describedby", ids);
    else control.removeAttribute("aria-describedby");
  };
  describe();
  return {
    element: el("div", { class: wide ? "field wide" : "field" }, el("label", { for: control.id }, label), control, note, error),
    control,
    showError(text) {
      setText(error, text ?? "");
      if (text) control.setAttribute("aria-invalid", "true");
      else control.removeAttribute("aria-invalid");
      describe();
    },
  };
}

export function input(attributes = {}) {
  return el("input", { type: "text", autocomplete: "off", spellcheck: "false", ...attributes });
}

/**
 * What was entered into a control. A browser gives nothing for half a time or for what is no number, and to send that
 * would store something else than what is seen: it is sent as a text that the server refuses.
 */
export function entered(control) {
  return control.validity?.badInput ? "?" : control.value;
}

export function select(options, chosen, attributes = {}) {
  return el(
    "select",
    attributes,
    options.map(([value, text]) => el("option", { value, selected: String(value) === String(chosen) }, text)),
  );
}

export function checkbox(label, checked, attributes = {}) {
  const control = el("input", { type: "checkbox", checked, ...attributes });
  return { element: el("label", { class: "check" }, control, label), control };
}

/** A table. `columns` are `{title, cell(row), number?, header?, secondary?}`; a phone leaves out secondary ones. */
export function table(caption, columns, rows, { rowAttributes = () => ({}) } = {}) {
  return el(
    "table",
    {},
    el("caption", { class: "visually-hidden" }, caption),
    el("thead", {}, el("tr", {}, columns.map((c) =>
      el("th", { scope: "col", class: classes(c.number && "number", c.secondary && "secondary") }, c.title || el("span", { class: "visually-hidden" }, c.spoken ?? "Actions"))))),
    el("tbody", {}, rows.map((row) =>
      el("tr", rowAttributes(row), columns.map((c) =>
        el(c.header ? "th" : "td", { scope: c.header && "row", class: classes(c.number && "number", c.secondary && "secondary", c.class) }, c.cell(row)))))),
  );
}

function classes(...names) {
  return names.filter(Boolean).join(" ") || null;
}

export function facts(pairs) {
  return el("dl", { class: "facts" }, pairs.filter(([, value]) => value !== undefined && value !== null && value !== "")
    .map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

/** A bar that shows a share. */
export function bar(share, tone) {
  const filled = el("span");
  filled.style.width = `${Math.max(0, Math.min(1, share || 0)) * 100}%`;
  return el("div", { class: "bar", "data-tone": tone, "aria-hidden": "true" }, filled);
}

export function empty(title, text, ...actions) {
  return el("div", { class: "empty" }, el("h2", {}, title), el("p", {}, text), actions.length > 0 && el("div", { class: "row" }, actions));
}

/** A line that says how an action went. Screen readers announce it. */
export function notice() {
  const element = el("p", { class: "notice", role: "status" });
  return {
    element,
    show(text, tone = "") {
      element.dataset.tone = tone;
      setText(element, text);
    },
    clear() {
      element.textContent = "";
    },
  };
}

/** A short message at the edge of the window. */
export function toast(text, tone = "") {
  const message = el("p", { class: "toast", "data-tone": tone }, text);
  document.getElementById("toasts").append(message);
  setTimeout(() => message.remove(), 6000);
}

/** What to tell about a failed call. */
export function explained(problem) {
  if (!(problem instanceof Problem)) return String(problem?.message ?? problem);
  const fields = problem.errors.map((error) => `${error.field} ${error.message}`).join("; ");
  return inZone(fields ? `${problem.message} ${fields}.` : problem.message);
}

/** What to tell when an edit was put on top of a version that came meanwhile. */
export function standText({ version }, conflicts) {
  const both = conflicts.length > 0 ? ` Both of you changed ${conflicts.join(", ")}: yours is kept.` : "";
  return `Your changes now stand on version ${version}, all else is as there.${both} Save again to store them.`;
}

/** Asks before something is done that cannot be undone. Resolves to whether it was confirmed. */
export function confirmed(title, text, action) {
  return new Promise((resolve) => {
    const id = uniqueId("dialog");
    const dialog = el(
      "dialog",
      { "aria-labelledby": id },
      el(
        "form",
        { method: "dialog" },
        el("h2", { id }, title),
        el("p", { class: "break" }, text),
        el("div", { class: "actions" }, el("button", { value: "no" }, "Keep"), el("button", { value: "yes", class: "primary" }, action)),
      ),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Runs `action` while the button is disabled, and shows a failure in `status`. */
export async function busy(control, status, action) {
  control.disabled = true;
  try {
    return await action();
  } catch (problem) {
    if (problem.name !== "AbortError") status.show(explained(problem), "danger");
    return undefined;
  } finally {
    control.disabled = false;
  }
}

/**
 * Tells the last of several requests from those before it, whose answers may arrive later. Returns a function
 * that begins a request, and returns a function that says whether it is still the last.
 */
export function lastOnly() {
  let turn = 0;
  return () => {
    const own = ++turn;
    return () => own === turn;
  };
}

const AGAIN_MS = 3000;
const SLOW_MS = 300;
const RELOAD_MS = 5000;
const turns = new WeakMap(); // by place

/**
 * Shows in `place` what `load(isLast)` makes, and what went wrong if it fails. Tries again while that is a
 * failure that passes and the place is shown. What arrives after the place was given to another load is dropped.
 */
export async function loading(place, load) {
  if (!turns.has(place)) turns.set(place, lastOnly());
  const isLast = turns.get(place)();
  place.setAttribute("aria-busy", "true");
  const slow = setTimeout(() => {
    if (!place.hasChildNodes()) replace(place, el("p", { class: "empty" }, "Loading."));
  }, SLOW_MS);
  try {
    const content = await load(isLast);
    if (isLast()) replace(place, content);
  } catch (problem) {
    if (problem.name === "AbortError" || !isLast()) return;
    const again = problem instanceof Problem && problem.passes;
    const text = again ? `${explained(problem)} Trying again.` : explained(problem);
    const shown = el("p", { class: "notice", "data-tone": "danger", role: "alert" }, text);
    replace(place, shown);
    // Another load of the same place takes the message away, and with it this round.
    if (again) setTimeout(() => shown.isConnected && loading(place, load), AGAIN_MS);
  } finally {
    clearTimeout(slow);
    if (isLast()) place.removeAttribute("aria-busy");
  }
}

/**
 * Shows in `place`, every few seconds until the signal, what `load(isLast)` makes, or leaves it as it is for `null`.
 * Does nothing while nobody looks or the place is being loaded; a round that fails leaves the place as it is, too.
 */
export function reloading(place, load, signal) {
  if (!turns.has(place)) turns.set(place, lastOnly());
  let isAsking = false;
  const timer = setInterval(async () => {
    if (document.hidden || isAsking || place.hasAttribute("aria-busy")) return;
    const isLast = turns.get(place)();
    isAsking = true;
    try {
      const content = await load(isLast);
      if (content !== null && isLast()) update(place, content);
    } catch {
      // The next round tries again.
    } finally {
      isAsking = false;
    }
  }, RELOAD_MS);
  signal.addEventListener("abort", () => clearInterval(timer));
}

/** Calls `action` after `ms` without another call, unless `cancel()` is called before. */
export function debounced(ms, action) {
  let timer;
  const soon = (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...args), ms);
  };
  soon.cancel = () => clearTimeout(timer);
  return soon;
}
