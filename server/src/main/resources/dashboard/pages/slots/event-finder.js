// Finds the slot of an event by its id.

import { el, replace } from "../../ui/dom.js";
import { dateTime, printableId, relative, span } from "../../data/format.js";
import { get, withQuery } from "../../data/http.js";
import { slotActions, stateBadge } from "./slot-actions.js";
import { explained, facts, field, input, lastOnly, panel } from "../../ui/widgets.js";

export function eventFinder({ signal, changed }) {
  const id = field("Event id", input({ required: true, maxlength: "256", placeholder: "pay-1" }));
  const found = el("div", { class: "stack-small", role: "status" });
  const form = el("form", {
    class: "row-end",
    onsubmit: (event) => {
      event.preventDefault();
      find(id.control.value);
    },
  }, el("div", { class: "grow" }, id.element), el("button", { type: "submit" }, "Find"));

  const asking = lastOnly();

  async function find(eventId) {
    if (eventId.trim() === "") return;
    const isLast = asking();
    try {
      const { slots } = await get(withQuery("/api/v1/slots", { eventId }), { signal });
      if (!isLast()) return;
      const [slot] = slots;
      replace(found, slot ? card(slot, isLast) : el("p", { class: "notice" }, `No slot is known for “${printableId(eventId)}”.`));
    } catch (problem) {
      if (problem.name !== "AbortError" && isLast()) replace(found, el("p", { class: "notice", "data-tone": "danger" }, explained(problem)));
    }
  }

  function card(slot, isLast) {
    return [
      facts([
        ["Event", printableId(slot.eventId)],
        ["State", stateBadge(slot.state)],
        ["May run at", `${dateTime(slot.scheduledTime)} (${relative(slot.scheduledTime)})`],
        ["Requested", dateTime(slot.requestedTime)],
        ["Delay", span(slot.delayMs)],
        ["Configuration", `${slot.configName}, version ${slot.configVersion}`],
        ["Assigned", dateTime(slot.assignedAt)],
      ]),
      el("div", { class: "row" }, slotActions(slot, () => {
        changed();
        if (isLast()) find(slot.eventId);
      })),
    ];
  }

  return panel("Find an event", {}, form, found);
}
