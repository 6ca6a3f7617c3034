// Finds the slot of an event by its id.

import { el, replace } from "./dom.js";
import { dateTime, relative, span } from "./format.js";
import { get, withQuery } from "./http.js";
import { slotActions, stateBadge } from "./slot-actions.js";
import { explained, facts, field, input, panel } from "./widgets.js";

export function eventFinder({ signal, changed }) {
  const id = field("Event id", input({ required: true, maxlength: "256", placeholder: "pay-1" }));
  const found = el("div", { class: "stack-small", role: "status" });
  const form = el("form", {
    class: "row-end",
    onsubmit: (event) => {
      event.preventDefault();
      find();
    },
  }, el("div", { class: "grow" }, id.element), el("button", { type: "submit" }, "Find"));

  async function find() {
    const eventId = id.control.value;
    if (eventId.trim() === "") return;
    try {
      const { slots } = await get(withQuery("/api/v1/slots", { eventId }), { signal });
      const [slot] = slots;
      replace(found, slot ? card(slot) : el("p", { class: "notice" }, `No slot is known for “${eventId}”.`));
    } catch (problem) {
      if (problem.name !== "AbortError") replace(found, el("p", { class: "notice", "data-tone": "danger" }, explained(problem)));
    }
  }

  function card(slot) {
    return [
      facts([
        ["Event", slot.eventId],
        ["State", stateBadge(slot.state)],
        ["May run at", `${dateTime(slot.scheduledTime)} (${relative(slot.scheduledTime)})`],
        ["Requested", dateTime(slot.requestedTime)],
        ["Delay", span(slot.delayMs)],
        ["Configuration", `${slot.configName}, version ${slot.configVersion}`],
        ["Assigned", dateTime(slot.assignedAt)],
      ]),
      el("div", { class: "row" }, slotActions(slot, () => {
        changed();
        find();
      })),
    ];
  }

  return panel("Find an event", {}, form, found);
}
