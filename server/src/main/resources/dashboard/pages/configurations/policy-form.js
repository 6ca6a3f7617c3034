// The form of a policy, for what-if and for configurations.

import { el } from "../../ui/dom.js";
import { span, timeZone, zoneText } from "../../data/format.js";
import { mergedBySwitch } from "../../data/merge.js";
import { CALENDAR_SWITCH, DAYS, formField, labelOf, OFFICE_HOURS, policyFrom, valuesOf, windowMillis, withSeconds } from "../../data/policy.js";
import { checkbox, entered, field, input, select } from "../../ui/widgets.js";

/**
 * Creates the form. `sliders` adds a slider to the max and the length of a window. Returns
 * `{element, policy(), showErrors(errors), set(policy), mergeOnto(policy), policyOnto(policy)}`; errors that belong to no
 * field are returned. The last one tells what `mergeOnto` would make.
 */
export function policyForm(policy, { sliders = false, onChange = () => {} } = {}) {
  const fields = {
    maxPerWindow: field("Max per window", input({ type: "number", min: "1", max: "1048576", step: "1", inputmode: "numeric" })),
    windowSize: field("Window", input({ placeholder: "4 s, 1 min or PT4S" }), { hint: sliders ? null : "Such as 4 s, 1 min or PT4S" }),
    spread: field("Spread", select([["even", "even"], ["random", "random"]], "even")),
    notBefore: field("Not before", select([["requested", "the requested time"], ["now", "now"]], "requested")),
    maxDelay: field("Max delay", input({ placeholder: "no bound" })),
    pausedUntil: field("Paused until", input({ type: "datetime-local", step: "1" }), { hint: `In ${zoneText()}` }),
    timeZone: field("Time zone", input({ placeholder: "Europe/Berlin" }), { hint: "Of the opening hours and closed dates" }),
    closedDates: field("Closed dates", input({ placeholder: "2026-12-25, 2026-12-26" })),
  };
  const hours = Object.fromEntries(DAYS.map((day) => [day, field(labelOf(`calendar.hours.${day}`), input({ placeholder: "closed" }))]));
  let shown = policy;
  let taken = {}; // the values of the form before it was edited
  const hasCalendar = checkbox("Only within opening hours", false);
  const calendar = el("fieldset", { class: "wide stack-small", hidden: true },
    el("legend", { class: "visually-hidden" }, "Opening hours"),
    el("div", { class: "form" }, fields.timeZone.element, fields.closedDates.element, DAYS.map((day) => hours[day].element)));
  const element = el("div", { class: "form roomy" },
    fields.maxPerWindow.element, fields.windowSize.element,
    fields.spread.element, fields.notBefore.element, fields.maxDelay.element, fields.pausedUntil.element,
    el("div", { class: "wide" }, hasCalendar.element), calendar);

  if (sliders) {
    addSlider(fields.maxPerWindow, "Max per window, slider", Number, String, () => Number(policy.maxPerWindow) || 100);
    addSlider(fields.windowSize, "Window, slider", windowMillis, span, () => windowMillis(policy.windowSize ?? "") || 4000);
  }

  /** A slider on a scale of powers, from a tenth to ten times the value in force. */
  function addSlider(target, label, read, write, base) {
    const slider = el("input", { type: "range", min: "-100", max: "100", step: "1", "aria-label": label });
    slider.addEventListener("input", () => {
      const value = base() * 10 ** (slider.value / 100);
      target.control.value = write(rounded(value));
      changed();
    });
    target.control.addEventListener("input", () => place());
    target.element.insertBefore(slider, target.control.nextSibling);
    target.place = place;
    function place() {
      const share = Math.log10(read(target.control.value) / base()) * 100;
      if (Number.isFinite(share)) slider.value = String(Math.max(-100, Math.min(100, share)));
      slider.setAttribute("aria-valuetext", target.control.value);
    }
  }

  function values() {
    const flat = Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, entered(one.control)]));
    flat.pausedUntil = withSeconds(flat.pausedUntil);
    return { ...flat, hasCalendar: hasCalendar.control.checked, hours: Object.fromEntries(DAYS.map((day) => [day, hours[day].control.value])) };
  }

  function set(next) {
    shown = next;
    fill(valuesOf(next));
    // As the controls write it, which may differ from what they were given.
    taken = values();
  }

  function fill(flat) {
    for (const [name, one] of Object.entries(fields)) {
      one.control.value = flat[name];
      one.place?.();
    }
    setTime(fields.pausedUntil.control, flat.pausedUntil);
    for (const day of DAYS) hours[day].control.value = flat.hours[day];
    hasCalendar.control.checked = flat.hasCalendar;
    calendar.hidden = !flat.hasCalendar;
    showErrors([]);
  }

  /** A browser leaves out a time that its control cannot show, and saving would end the pause: it is shown as text. */
  function setTime(control, text) {
    control.type = "datetime-local";
    control.value = text;
    if (text === "" || control.value !== "") return;
    control.type = "text";
    control.value = text;
  }

  function showErrors(errors) {
    const all = { ...fields, ...Object.fromEntries(DAYS.map((day) => [`hours.${day}`, hours[day]])) };
    for (const one of Object.values(all)) one.showError("");
    return errors.filter(({ field: name, message }) => {
      const target = all[formField(name)];
      target?.showError(message);
      return !target;
    });
  }

  function changed() {
    onChange();
  }

  /** Puts what was edited here on top of another policy. Returns the names of fields that were changed in both. */
  function mergeOnto(theirs) {
    const { values: all, conflicts } = onto(theirs);
    set(theirs);
    fill(all);
    return conflicts;
  }

  function onto(theirs) {
    return mergedBySwitch(taken, values(), valuesOf(theirs), CALENDAR_SWITCH);
  }

  hasCalendar.control.addEventListener("change", () => {
    calendar.hidden = !hasCalendar.control.checked;
    if (hasCalendar.control.checked && fields.timeZone.control.value === "") {
      fields.timeZone.control.value = timeZone();
    }
    if (hasCalendar.control.checked && DAYS.every((day) => hours[day].control.value === "")) {
      for (const day of DAYS) hours[day].control.value = OFFICE_HOURS[day];
    }
  });
  element.addEventListener("input", (event) => event.target.type !== "range" && changed());
  element.addEventListener("change", (event) => event.target.type === "checkbox" && changed());
  set(policy);
  return { element, policy: () => policyFrom(values(), shown), set, edit: (next) => fill(valuesOf(next)), mergeOnto, policyOnto: (theirs) => policyFrom(onto(theirs).values, theirs), showErrors };
}

/** Two digits that matter. */
function rounded(value) {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.max(1, Math.round(value / power) * power);
}
