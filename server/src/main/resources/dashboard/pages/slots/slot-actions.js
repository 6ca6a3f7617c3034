// What can be done with a slot.

import { printableId } from "../../data/format.js";
import { call, segment } from "../../data/http.js";
import { badge, button, confirmed, explained, toast } from "../../ui/widgets.js";

const TONES = { assigned: "accent", confirmed: "good", cancelled: "", reclaimed: "warning" };

export function stateBadge(state) {
  return badge(state, TONES[state]);
}

/** Buttons for a slot that has not been used; `done` is called after a change. */
export function slotActions(slot, done) {
  if (slot.state !== "assigned") return null;
  return button("Cancel", async () => {
    if (!(await confirmed("Cancel this slot?", `${printableId(slot.eventId)} loses its place, which is free for others. The event may ask again, and then gets another place.`, "Cancel the slot"))) return;
    try {
      await call("DELETE", `/api/v1/slots/${segment(slot.eventId)}`);
      toast(`The slot of ${printableId(slot.eventId)} is cancelled.`);
    } catch (problem) {
      toast(explained(problem), "danger");
    }
    done();
  }, { kind: "small danger", "aria-label": `Cancel ${printableId(slot.eventId)}` });
}
