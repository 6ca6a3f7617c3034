// One cell of the strip: its numbers, the spread inside its window, its events.

import { el, replace } from "../../ui/dom.js";
import { count, dateTime, duration, moment, percent, printableId, time } from "../../data/format.js";
import { get, withQuery } from "../../data/http.js";
import { slotActions, stateBadge } from "./slot-actions.js";
import { drawSpread } from "../../ui/strip.js";
import { bar, button, explained, facts, panel, table } from "../../ui/widgets.js";

const MAX_EVENTS = 500;
const MAX_ROWS = 50;

export function windowDetail({ signal, changed, zoomIn }) {
  const body = el("div", { class: "stack-small" }, el("p", { class: "muted" }, "Choose a cell of the strip."));
  const element = panel("Window", { hint: "The chosen cell of the strip" }, body);
  let asked = 0;
  let shown = "";
  let redraw = () => {};
  document.documentElement.addEventListener("themechange", () => redraw(), { signal });
  const resized = new ResizeObserver(() => redraw());
  resized.observe(body);
  signal.addEventListener("abort", () => resized.disconnect());

  /** Shows a cell. `keeps` leaves what is shown, and the focus in it, until the new content is there. */
  async function show(configName, cell, strip, { keeps = false } = {}) {
    const turn = ++asked;
    shown = identity(configName, cell, strip);
    if (!keeps) redraw = () => {};
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
      put(head, el("p", { class: "muted" }, "This cell holds several windows. Zoom in to see the spread inside a window and its events."),
        el("div", {}, button("Zoom in", () => zoomIn(cell))));
      return;
    }
    const spread = el("canvas", { class: "spread", role: "img" });
    const events = el("div", { class: "panel-flush scroll", tabindex: "0", role: "group", "aria-label": "Events of the window" });
    const content = [head, el("h3", {}, "Spread inside the window"), spread, events];
    if (!keeps) put(content);
    const query = { configName, from: new Date(cell.start).toISOString(), to: new Date(cell.end).toISOString(), limit: MAX_EVENTS };
    try {
      const page = await get(withQuery("/api/v1/slots", query), { signal });
      if (turn !== asked) return;
      const taken = page.slots.filter((slot) => slot.state === "assigned" || slot.state === "confirmed");
      spread.setAttribute("aria-label", `${count(taken.length)}${page.next ? " or more" : ""} events spread over the window`);
      const draw = () => drawSpread(spread, { start: cell.start, end: cell.end, max: strip.maxPerWindow, times: taken.map((slot) => Date.parse(slot.scheduledTime)) });
      replace(events, page.slots.length === 0 ? el("p", { class: "muted" }, "No event lies in this window.") : [
        table("Events of the window", [
          { title: "Event", header: true, class: "break", cell: (slot) => printableId(slot.eventId) },
          { title: "Scheduled", class: "nowrap", cell: (slot) => time(slot.scheduledTime, { millis: true }) },
          { title: "Requested", class: "nowrap", secondary: true, cell: (slot) => moment(slot.requestedTime, cell.start) },
          { title: "State", secondary: true, cell: (slot) => stateBadge(slot.state) },
          { title: "", cell: (slot) => slotActions(slot, () => { changed(); if (turn === asked) show(configName, cell, strip); }) ?? el("span", { class: "only-phone" }, stateBadge(slot.state)) },
        ], page.slots.slice(0, MAX_ROWS)),
        page.slots.length > MAX_ROWS && el("p", { class: "muted small" }, `The first ${MAX_ROWS} of ${page.next ? `more than ${MAX_EVENTS}` : page.slots.length} events.`),
      ]);
      if (keeps) put(content);
      redraw = draw;
      redraw();
    } catch (problem) {
      if (turn !== asked) return;
      shown = ""; // it is asked for again
      if (problem.name !== "AbortError" && !keeps) replace(events, el("p", { class: "notice", "data-tone": "danger" }, explained(problem)));
    }
  }

  /** Replaces what is shown. The focus stays on the same control, or near it. */
  function put(...content) {
    const active = body.contains(document.activeElement) ? nameOf(document.activeElement) : null;
    const top = body.querySelector(".scroll")?.scrollTop ?? 0;
    replace(body, content);
    const scrolled = body.querySelector(".scroll");
    if (scrolled) scrolled.scrollTop = top;
    if (active === null) return;
    const controls = [...body.querySelectorAll("button, [tabindex]")];
    (controls.find((one) => nameOf(one) === active) ?? controls[0])?.focus({ preventScroll: true });
  }

  /** Shows a cell again if its numbers, or its place in the strip, are others than those that are shown. */
  function refresh(configName, cell, strip) {
    if (shown !== identity(configName, cell, strip)) show(configName, cell, strip, { keeps: true });
  }

  return { element, show, refresh };
}

function nameOf(control) {
  return control.getAttribute("aria-label") ?? control.textContent;
}

function identity(configName, cell, strip) {
  return JSON.stringify([configName, cell, strip.windowsPerCell, strip.maxPerWindow]);
}
