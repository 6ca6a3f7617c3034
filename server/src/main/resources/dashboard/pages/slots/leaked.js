// Slots that were assigned, are due, and were never confirmed.

import { el, replace } from "../../ui/dom.js";
import { count, duration, moment, printableId } from "../../data/format.js";
import { get, post, withQuery } from "../../data/http.js";
import { slotActions } from "./slot-actions.js";
import { busy, button, confirmed, explained, lastOnly, notice, panel, table } from "../../ui/widgets.js";

const SHOWN = 20;

export function leakedSlots({ parts, signal, changed }) {
  const list = el("div", { class: "panel-flush scroll", tabindex: "0", role: "group", "aria-label": "Leaked slots" });
  let configName = "";
  const status = notice();
  const grace = parts.reclaimGrace ?? "PT5M";
  const reclaim = button("Reclaim", async () => {
    if (!(await confirmed("Reclaim leaked slots?", `Slots of all configurations that were due and assigned more than ${duration(grace)} ago, and were never confirmed, are taken back. Their events count as not run.`, "Reclaim"))) return;
    await busy(reclaim, status, async () => {
      const { reclaimed, more } = await post("/api/v1/dashboard/reclaim", { olderThan: grace });
      status.show(`${count(reclaimed)} slots were reclaimed.${more ? " There are more: reclaim again." : ""}`, "good");
      changed();
      await load();
    });
  }, { kind: "danger" });
  const asking = lastOnly();
  let drawn = ""; // what the list shows

  async function load() {
    const isLast = asking();
    try {
      const page = await get(withQuery("/api/v1/slots", { configName, state: "leaked", limit: SHOWN }), { signal });
      if (!isLast()) return;
      const found = JSON.stringify([configName, page]);
      if (found === drawn) return;
      drawn = found;
      replace(list, page.slots.length === 0
        ? el("p", { class: "muted" }, "No slot of this configuration is leaked: all that were due were confirmed, cancelled or reclaimed.")
        : [table("Leaked slots", [
            { title: "Event", header: true, class: "break", cell: (slot) => printableId(slot.eventId) },
            { title: "Was due", class: "nowrap", cell: (slot) => moment(slot.scheduledTime) },
            { title: "", cell: (slot) => slotActions(slot, () => { changed(); load(); }) },
          ], page.slots), page.next && el("p", { class: "muted small" }, `The first ${SHOWN}.`)]);
    } catch (problem) {
      if (problem.name === "AbortError" || !isLast()) return;
      drawn = "";
      replace(list, el("p", { class: "notice", "data-tone": "danger" }, explained(problem)));
    }
  }

  return {
    element: panel("Leaked slots", { hint: "Of this configuration: assigned, due, and never confirmed", actions: reclaim }, status.element, list),
    use(next) {
      configName = next;
      return load();
    },
  };
}
