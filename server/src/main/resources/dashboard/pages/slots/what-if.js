// What would happen under another policy. Nothing is saved.

import { el, replace, setText } from "../../ui/dom.js";
import { clock, count, span } from "../../data/format.js";
import { post } from "../../data/http.js";
import { leaveDraft } from "../../data/draft.js";
import { REACH } from "../../data/forecast-texts.js";
import { policyForm } from "../configurations/policy-form.js";
import { policyOf } from "../../data/policy.js";
import { heatStrip } from "../../ui/strip.js";
import { cells } from "../../data/strip-data.js";
import { button, debounced, explained, field, input, notice, panel } from "../../ui/widgets.js";

/** The shown time reaches a little beyond the end of the backlog, within these bounds. */
const SHORTEST_MS = 60_000;
const LONGEST_MS = 30 * 86_400_000;

export function whatIf({ signal }) {
  const status = notice();
  const verdict = el("p", { role: "status" });
  const more = field("Further events that come now", input({ type: "number", min: "0", max: "1000000000", value: "0", inputmode: "numeric" }));
  const current = heatStrip({ label: "Windows under the policy in force", signal });
  const changed = heatStrip({ label: "Windows under the other policy", signal });
  const place = el("div");
  const reset = button("Reset", () => use(configuration));
  const edit = el("a", { class: "button", href: "#/configurations", onclick: () => isEdited && leaveDraft(configuration.configName, form.policy()) },
    "Edit the configuration");
  const element = panel("What if?", { hint: "A forecast of the same events under another policy. Nothing is saved, and assigned slots never move.", actions: [reset, edit] },
    el("div", { class: "split" },
      el("div", { class: "stack-small" }, place, more.element),
      el("div", { class: "stack-small" }, status.element, verdict,
        el("h3", {}, "Under the policy in force"), current.element, el("h3", {}, "Under the other policy"), changed.element)));
  let configuration = null;
  let form = null;
  let isEdited = false;
  let isValid = true;
  let pending = 0;
  let turn = 0;
  let shown = 3_600_000;
  const forecastSoon = debounced(250, () => forecast());
  more.control.addEventListener("input", forecastSoon);

  function use(next) {
    configuration = next;
    isEdited = false;
    form = policyForm(policyOf(next), {
      sliders: true,
      onChange: () => {
        isEdited = true;
        forecastSoon();
      },
    });
    replace(place, form.element);
    more.control.value = "0";
    edit.href = `#/configurations/${encodeURIComponent(next.configName)}/edit`;
    forecast();
  }

  async function forecast({ again = true } = {}) {
    const asked = ++turn;
    const from = Date.now();
    pending += 1;
    try {
      const found = await post("/api/v1/dashboard/what-if", {
        configName: configuration.configName,
        policy: form.policy(),
        moreEvents: Number(more.control.value) || 0,
        from: new Date(from).toISOString(),
        to: new Date(from + shown).toISOString(),
        cells: 120,
      }, { signal, reads: true });
      if (asked !== turn) return;
      const fitting = fittingTime(found, from);
      if (again && (fitting > shown || fitting < shown / 2)) {
        shown = fitting;
        await forecast({ again: false });
        return;
      }
      isValid = true;
      form.showErrors([]);
      status.clear();
      setText(verdict, verdictText(found));
      if (found.current) current.update(cells(found, found.current));
      if (found.changed) changed.update(cells(found, found.changed));
    } catch (problem) {
      if (problem.name === "AbortError" || asked !== turn) return;
      isValid = !problem.errors?.length;
      const others = form.showErrors(problem.errors ?? []);
      setText(verdict, "");
      if (others.length > 0 || !problem.errors?.length) status.show(explained(problem), "danger");
      else status.show("The policy is not valid yet.", "warning");
    } finally {
      pending -= 1;
    }
  }

  /** Events come and run meanwhile. What is being asked, or cannot be answered, is not asked again. */
  function follow() {
    if (pending === 0 && isValid) forecast();
  }

  /** Another version of the same configuration is in force. What was entered here stays, and so does the focus. */
  function renew(next) {
    if (!isEdited && more.control.value === "0" && !place.contains(document.activeElement)) {
      use(next);
      return;
    }
    configuration = next;
    form.mergeOnto(policyOf(next));
    forecast();
  }

  return { element, use, renew, follow, refresh: () => forecast() };
}

/** The time to show so that both strips reach the end of the backlog. */
function fittingTime({ current = {}, changed = {} }, from) {
  const ends = [current.endsAt, changed.endsAt].filter(Boolean).map((end) => Date.parse(end) - from);
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, ...ends) * 1.15);
}

/** What changes, in a sentence. */
export function verdictText(found) {
  const { current = {}, changed = {}, backlog, complete } = found;
  const peak = `At most ${count(found.peakPerSecond)} in any second.`;
  const lost = changed.unplaced > 0 ? ` ${count(changed.unplaced)} events would find no place within the max delay and the ${REACH} of a forecast.` : "";
  const nothing = complete === false ? `Nothing waits in the next ${REACH}. ` : "Nothing waits. ";
  if (!current.endsAt || !changed.endsAt) return `${backlog > 0 ? "" : nothing}${peak}${lost}`;
  const difference = Date.parse(changed.endsAt) - Date.parse(current.endsAt);
  const effect = difference === 0 ? "as under the policy in force" : `${span(Math.abs(difference))} ${difference < 0 ? "earlier" : "later"} than under the policy in force (${clock(current.endsAt)})`;
  const backlogText = complete === false ? "Of the backlog, what was read" : "The backlog";
  return `${backlogText} would end at ${clock(changed.endsAt)}, ${effect}. ${peak}${lost}`;
}
