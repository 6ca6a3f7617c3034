// The windows ahead of a configuration, what lies in them, and what would change them.

import { el, setText } from "./dom.js";
import { clock, count, moment, relative, short } from "./format.js";
import { get, post, withQuery } from "./http.js";
import { policyOf, policyText } from "./policy.js";
import { sampleButton } from "./sample.js";
import { heatLegend, heatStrip } from "./strip.js";
import { cells, defaultZoom, HOUR, ZOOMS, zoomInto, zoomToEnd } from "./strip-data.js";
import { eventFinder } from "./event-finder.js";
import { leakedSlots } from "./leaked.js";
import { whatIf } from "./what-if.js";
import { windowDetail } from "./window-detail.js";
import { button, empty, explained, notice, pageHead, panel, segmented, select } from "./widgets.js";

const REFRESH_MS = 3000;

/** Shortest cell on the screen, in pixels. */
const CELL_PIXELS = 4;
const MAX_CELLS = 480;

export async function show(main, { parts, rest, signal, reload }) {
  let configurations;
  try {
    configurations = await get("/admin/rate-limit/configs", { signal });
  } catch (problem) {
    if (signal.aborted) return;
    main.append(pageHead("Slots", "The windows ahead."), el("p", { class: "notice", "data-tone": "danger", role: "alert" }, explained(problem)));
    if (problem.passes) {
      const again = setTimeout(reload, REFRESH_MS);
      signal.addEventListener("abort", () => clearTimeout(again));
    }
    return;
  }
  if (signal.aborted) return;
  if (configurations.length === 0) {
    main.append(pageHead("Slots", "The windows ahead."), el("div", { class: "panel" },
      empty("There is no configuration yet", "A configuration says how many events a window takes. Create one, or make sample data to look around.",
        sampleButton(parts, reload), el("a", { class: "button", href: "#/configurations/+new" }, "Create a configuration"))));
    return;
  }

  const names = configurations.map((one) => one.configName);
  let name = names.includes(rest[0]) ? rest[0] : names.includes(parts.defaultConfig) ? parts.defaultConfig : names[0];
  let zoom = HOUR;
  let from = null; // null follows the present
  const choice = select(configurations.map((one) => [one.configName, `${one.configName} · ${policyText(one)}`]), name,
    { id: "slots-config", onchange: () => change(choice.value) });

  const status = notice();
  const tiles = tileRow();
  const range = el("p", { class: "muted small" });
  const strip = heatStrip({
    label: `Windows ahead, by time. Arrow keys move, plus and minus zoom, Enter zooms in.`,
    tall: true,
    signal,
    onSelect: (cell) => detail.show(name, cell, lastStrip),
    onOpen: (cell) => setZoom(zoomInto(cell, zoom), cell.start),
    onZoom: (step) => {
      const index = ZOOMS.findIndex(([length]) => length === zoom) + step;
      if (ZOOMS[index]) setZoom(ZOOMS[index][0], step < 0 ? strip.selected()?.start : from);
    },
  });
  const zooms = segmented("Shown time", ZOOMS, zoom, (value) => setZoom(value, from));
  const back = button("‹", () => pan(-0.5), { "aria-label": "Earlier", title: "Earlier" });
  const present = button("Now", () => setRange(null));
  const forth = button("›", () => pan(0.5), { "aria-label": "Later", title: "Later" });
  const detail = windowDetail({ signal, changed: () => refresh(), zoomIn: (cell) => setZoom(zoomInto(cell, zoom), cell.start) });
  const forecast = whatIf({ signal });
  const leaked = leakedSlots({ parts, signal, changed: () => refresh() });
  const first = el("div", { class: "panel", hidden: true },
    empty("No event is ahead", "Ask for a slot and its window turns darker here. Make sample data to look around, or assign one yourself.",
      sampleButton(parts, reload), el("a", { class: "button", href: "#/try/assign" }, "Assign a slot")));
  let lastStrip = null;
  let hasFailed = false;

  main.append(
    pageHead("Slots", "How full the windows ahead are, and when the backlog ends.",
      el("label", { for: "slots-config", class: "visually-hidden" }, "Configuration"), choice),
    el("div", { class: "stack" }, status.element, tiles.element, first,
      panel("Windows ahead", { hint: range, actions: [zooms.element, el("div", { class: "row" }, back, present, forth)] }, strip.element, heatLegend()),
      el("div", { class: "split-wide" }, detail.element,
        el("div", { class: "stack" }, eventFinder({ signal, changed: () => refresh() }), leaked.element)),
      forecast.element),
  );

  function change(next) {
    name = next;
    history.replaceState(null, "", `#/slots/${encodeURIComponent(name)}`);
    use();
  }

  function use() {
    const configuration = configurations.find((one) => one.configName === name);
    forecast.use(configuration);
    zoom = defaultZoom(configuration.windowSizeSecs * 1000);
    zooms.mark(zoom);
    from = null;
    leaked.use(name);
    strip.release();
    refresh({ selectFirst: true, toEnd: true });
  }

  function fittingCells() {
    return Math.max(20, Math.min(MAX_CELLS, Math.floor((strip.width() || 960) / CELL_PIXELS)));
  }

  function setZoom(next, start) {
    zoom = next;
    zooms.mark(next);
    setRange(start ?? null);
  }

  function setRange(start) {
    from = start;
    strip.release();
    refresh({ selectFirst: true });
  }

  function pan(share) {
    setRange((from ?? Date.now()) + zoom * share);
  }

  async function refresh({ selectFirst = false, toEnd = false } = {}) {
    const asked = { name, zoom, from };
    const isCurrent = () => asked.name === name && asked.zoom === zoom && asked.from === from;
    const begin = from ?? Date.now();
    try {
      const query = { configName: name, from: new Date(begin).toISOString(), to: new Date(begin + zoom).toISOString(), cells: fittingCells() };
      const found = await get(withQuery("/api/v1/dashboard/strip", query), { signal });
      if (!isCurrent()) return;
      lastStrip = found;
      const shown = cells(found);
      strip.update(shown);
      if (selectFirst && !strip.isChosen()) strip.select(Math.max(0, shown.findIndex((cell) => cell.taken > 0)));
      setText(range, rangeText(found, shown));
      await tiles.update(found, configurations.find((one) => one.configName === asked.name), signal);
      if (!isCurrent()) return;
      const whole = zoomToEnd(zoom, tiles.end() - begin);
      if (toEnd && whole !== zoom && !strip.isChosen()) {
        setZoom(whole, from);
        return;
      }
      first.hidden = tiles.backlog() !== 0 || shown.some((cell) => cell.taken > 0);
      status.clear();
      if (hasFailed) {
        // What failed with the strip is asked again with it.
        hasFailed = false;
        leaked.use(name);
        forecast.refresh();
      }
    } catch (problem) {
      if (problem.name === "AbortError") return;
      hasFailed = true;
      status.show(explained(problem), "danger");
    }
  }

  use();
  const timer = setInterval(() => {
    if (!document.hidden && (from === null || hasFailed)) refresh({ selectFirst: hasFailed });
  }, REFRESH_MS);
  signal.addEventListener("abort", () => clearInterval(timer));
}

function rangeText(found, shown) {
  const size = found.windowsPerCell === 1 ? "a cell is a window" : `a cell is ${count(found.windowsPerCell)} windows`;
  const incomplete = shown.some((cell) => !cell.complete) ? " · too many windows to count all, zoom in" : "";
  return `${moment(found.from)} to ${moment(found.to)} · ${size}${incomplete}`;
}

function tileRow() {
  const texts = {};
  const make = (id, title) => {
    texts[id] = { value: el("dd", {}, "–"), detail: el("dd", {}, "\u00a0") };
    return el("div", { class: "tile", "data-tile": id }, el("dt", {}, title), texts[id].value, texts[id].detail);
  };
  const element = el("dl", { class: "tiles" }, make("backlog", "Backlog"), make("end", "Backlog ends"), make("free", "Next free place"),
    make("limit", "Limit"), make("peak", "Max in a second"), make("thousand", "1,000 more events"));
  const set = (id, value, detail) => {
    setText(texts[id].value, value);
    setText(texts[id].detail, detail || "\u00a0");
  };
  let backlog = null;
  let end = NaN;
  return {
    element,
    backlog: () => backlog,
    end: () => end,
    async update(found, configuration, signal) {
      const { configName } = configuration;
      const forecast = (events) => get(withQuery("/api/v1/slots/forecast", { configName, events }), { signal }).catch(() => ({}));
      const [outlook, one, thousand] = await Promise.all([
        post("/api/v1/dashboard/what-if", { configName, policy: policyOf(configuration), cells: 1 }, { signal }).catch(() => ({})),
        forecast(1),
        forecast(1000),
      ]);
      backlog = outlook.backlog ?? null;
      set("backlog", backlog === null ? "–" : `${short(backlog)}${outlook.complete === false ? "+" : ""}`, "events ahead");
      end = Date.parse(outlook.current?.endsAt);
      set("end", end ? clock(end) : "–", end ? relative(end) : "nothing waits");
      set("free", one.through ? clock(one.through) : "–", one.through ? relative(one.through) : "no place within the max delay");
      set("limit", `${count(found.maxPerWindow)}`, `per window of ${policyText(configuration).split(" per ")[1]}`);
      set("peak", count(configuration.peakPerSecond), configuration.spread === "even" ? "exact, even spread" : "at worst, random spread");
      set("thousand", thousand.through ? clock(thousand.through) : "–", thousand.through ? `done ${relative(thousand.through)}` : "no place for all");
    },
  };
}
