// One cell of the strip: its numbers, the spread inside its window, its events.

import { el, replace } from "./dom.js";
import { count, dateTime, duration, moment, percent, time } from "./format.js";
import { get, withQuery } from "./http.js";
import { slotActions, stateBadge } from "./slot-actions.js";
import { drawSpread } from "./strip.js";
import { bar, button, explained, facts, panel, table } from "./widgets.js";

const MAX_EVENTS = 500;
const MAX_ROWS = 50;

export function windowDetail({ signal, changed, zoomIn }) {
  const body = el("div", { class: "stack-small" }, el("p", { class: "muted" }, "Choose a cell of the strip."));
  const element = panel("Window", { hint: "The chosen cell of the strip" }, body);
  let asked = 0;
  let redraw = () => {};
  document.documentElement.addEventListener("themechange", () => redraw(), { signal });
  const resized = new ResizeObserver(() => redraw());
  resized.observe(body);
  signal.addEventListener("abort", () => resized.disconnect());

  async function show(configName, cell, strip) {
    const turn = ++asked;
    redraw = () => {};
    const head = [
      facts([
        ["From", dateTime(cell.start)],
        ["To", cell.end - cell.start < 3_600_000 ? time(cell.end) : dateTime(cell.end)],
        ["Taken", cell.closed ? `${count(cell.taken)} (closed)` : `${count(cell.taken)} of ${count(cell.capacity)} · ${percent(cell.taken / cell.capacity)}`],
        ["Windows", strip.windowsPerCell > 1 ? `${count(strip.windowsPerCell)} of ${duration(strip.windowSize)}, the fullest has ${count(cell.fullest)} of ${count(strip.maxPerWindow)}` : null],
      ]),
      bar(cell.share, cell.over ? "danger" : undefined),
    ];
    if (strip.windowsPerCell > 1) {
      replace(body, head, el("p", { class: "muted" }, "This cell holds several windows. Zoom in to see the spread inside a window and its events."),
        el("div", {}, button("Zoom in", () => zoomIn(cell))));
      return;
    }
    const spread = el("canvas", { class: "spread", role: "img" });
    const events = el("div", { class: "panel-flush scroll", tabindex: "0", role: "group", "aria-label": "Events of the window" });
    replace(body, head, el("h3", {}, "Spread inside the window"), spread, events);
    const query = { configName, from: new Date(cell.start).toISOString(), to: new Date(cell.end).toISOString(), limit: MAX_EVENTS };
    try {
      const page = await get(withQuery("/api/v1/slots", query), { signal });
      if (turn !== asked) return;
      const taken = page.slots.filter((slot) => slot.state === "assigned" || slot.state === "confirmed");
      spread.setAttribute("aria-label", `${count(taken.length)}${page.next ? " or more" : ""} events spread over the window`);
      redraw = () => drawSpread(spread, { start: cell.start, end: cell.end, max: strip.maxPerWindow, times: taken.map((slot) => Date.parse(slot.scheduledTime)) });
      redraw();
      replace(events, page.slots.length === 0 ? el("p", { class: "muted" }, "No event lies in this window.") : [
        table("Events of the window", [
          { title: "Event", header: true, class: "break", cell: (slot) => slot.eventId },
          { title: "Scheduled", class: "nowrap", cell: (slot) => time(slot.scheduledTime, { millis: true }) },
          { title: "Requested", class: "nowrap", secondary: true, cell: (slot) => moment(slot.requestedTime, cell.start) },
          { title: "State", cell: (slot) => stateBadge(slot.state) },
          { title: "", cell: (slot) => slotActions(slot, () => { changed(); show(configName, cell, strip); }) },
        ], page.slots.slice(0, MAX_ROWS)),
        page.slots.length > MAX_ROWS && el("p", { class: "muted small" }, `The first ${MAX_ROWS} of ${page.next ? `more than ${MAX_EVENTS}` : page.slots.length} events.`),
      ]);
    } catch (problem) {
      if (problem.name !== "AbortError") replace(events, el("p", { class: "notice", "data-tone": "danger" }, explained(problem)));
    }
  }

  return { element, show };
}
