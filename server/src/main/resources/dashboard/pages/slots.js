// The windows ahead of a configuration, what lies in them, and what would change them.

import { el, replace, setText } from "../ui/dom.js";
import { count, moment, relative } from "../data/format.js";
import { get, post, withQuery } from "../data/http.js";
import { hasNoData } from "../data/known-data.js";
import { policyOf, policyText } from "../data/policy.js";
import { sampleButton } from "../ui/sample.js";
import { heatLegend, heatStrip } from "../ui/strip.js";
import { forecastTexts } from "../data/forecast-texts.js";
import { cells, defaultZoom, hidesNothing, HOUR, ZOOMS, zoomInto, zoomToEnd } from "../data/strip-data.js";
import { eventFinder } from "./slots/event-finder.js";
import { leakedSlots } from "./slots/leaked.js";
import { whatIf } from "./slots/what-if.js";
import { windowDetail } from "./slots/window-detail.js";
import { button, empty, explained, lastOnly, notice, pageHead, panel, segmented, withZone } from "../ui/widgets.js";

const REFRESH_MS = 3000;

/** What changes rarely is asked once in so many rounds. */
const RARE_ROUNDS = 5;

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
  const choice = el("select", { id: "slots-config", onchange: () => change(choice.value) });
  const options = () => configurations.map((one) => el("option", { value: one.configName }, `${one.configName} · ${policyText(one)}`));
  replace(choice, options());
  choice.value = name;

  const status = notice();
  const paused = el("div", { role: "status" });
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
  const first = el("div", { class: "panel", hidden: true });
  const asking = lastOnly();
  let isAsking = false;
  let lastStrip = null;
  let hasFailed = false;
  let selectsFirst = false; // when the strip arrives
  let showsEnd = false; // when the end of the backlog is known
  let rounds = 0;

  main.append(
    pageHead("Slots", withZone("How full the windows ahead are, and when the backlog ends."),
      el("label", { for: "slots-config", class: "visually-hidden" }, "Configuration"), choice),
    el("div", { class: "stack" }, status.element, paused, tiles.element, first,
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
    showPause(configuration);
    zoom = defaultZoom(configuration.windowSizeSecs * 1000);
    zooms.mark(zoom);
    from = null;
    leaked.use(name);
    showsEnd = true;
    begin();
  }

  function showPause({ pausedUntil }) {
    const text = pauseNotice(pausedUntil);
    replace(paused, text && el("p", { class: "notice", "data-tone": "warning" }, text));
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
    showsEnd = false;
    begin();
  }

  function begin() {
    strip.release();
    selectsFirst = true;
    refresh();
  }

  function pan(share) {
    setRange((from ?? Date.now()) + zoom * share);
  }

  /** Somebody else may have changed a configuration, which is known by its version, or added one. */
  async function renewConfigurations(configName, version, rare) {
    const known = configurations.find((one) => one.configName === configName).version === version;
    if (known && !rare) return;
    const loaded = await get("/admin/rate-limit/configs", { signal });
    const renewed = loaded.find((one) => one.configName === configName);
    if (!renewed || JSON.stringify(loaded) === JSON.stringify(configurations)) return;
    configurations = loaded;
    replace(choice, options());
    choice.value = name;
    if (configName === name) showPause(renewed);
    if (configName === name && !known) forecast.renew(renewed);
  }

  function stripOf(configName, start, length) {
    const query = { configName, from: new Date(start).toISOString(), to: new Date(start + length).toISOString(), cells: fittingCells() };
    return get(withQuery("/api/v1/dashboard/strip", query), { signal });
  }

  /** Says what to do if nothing is ahead. A node that has data needs no sample of it. */
  async function showFirst(isNeeded) {
    if (isNeeded && !first.hasChildNodes()) {
      const assign = el("a", { class: "button", href: "#/try/assign" }, "Assign a slot");
      const isEmpty = await hasNoData(signal);
      replace(first, isEmpty
        ? empty("No event is ahead", "Ask for a slot and its window turns darker here. Make sample data to look around, or assign one yourself.", sampleButton(parts, reload), assign)
        : empty("No event is ahead", "Ask for a slot of this configuration and its window turns darker here.", assign));
    }
    first.hidden = !isNeeded;
  }

  async function refresh({ rare = false } = {}) {
    const isLast = asking();
    const asked = name;
    const start = from ?? Date.now();
    isAsking = true;
    try {
      const found = await stripOf(asked, start, zoom);
      if (!isLast()) return;
      lastStrip = found;
      const shown = cells(found);
      strip.update(shown);
      setText(range, rangeText(found, shown, configurations.find((one) => one.configName === asked)));
      if (selectsFirst && !strip.isChosen()) strip.select(Math.max(0, shown.findIndex((cell) => cell.taken > 0)));
      else if (strip.selected()) detail.refresh(asked, strip.selected(), found);
      selectsFirst = false;
      await renewConfigurations(asked, found.configVersion, rare);
      if (!isLast()) return;
      await tiles.update(found, configurations.find((one) => one.configName === asked), signal, isLast);
      if (!isLast()) return;
      const whole = showsEnd && !strip.isChosen() ? zoomToEnd(zoom, tiles.end() - start) : zoom;
      showsEnd = false;
      if (whole !== zoom) {
        const wide = cells(await stripOf(asked, start, whole));
        if (!isLast()) return;
        if (!strip.isChosen() && hidesNothing(shown, wide)) {
          setZoom(whole, from);
          return;
        }
      }
      await showFirst(tiles.backlog() === 0 && shown.every((cell) => cell.taken === 0));
      if (!isLast()) return;
      status.clear();
      if (hasFailed) {
        // What failed with the strip is asked again with it.
        hasFailed = false;
        leaked.use(name);
        forecast.refresh();
      } else {
        if (rare) leaked.use(name);
        forecast.follow();
      }
    } catch (problem) {
      if (problem.name === "AbortError" || !isLast()) return;
      hasFailed = true;
      status.show(explained(problem), "danger");
    } finally {
      if (isLast()) isAsking = false;
    }
  }

  use();
  const timer = setInterval(() => {
    // A slow node is not asked again before it has answered.
    if (document.hidden || isAsking) return;
    rounds += 1;
    refresh({ rare: rounds % RARE_ROUNDS === 0 });
  }, REFRESH_MS);
  signal.addEventListener("abort", () => clearInterval(timer));
}

/** What a pause means, or "" if there is none. */
export function pauseNotice(pausedUntil, now = Date.now()) {
  return pausedUntil && Date.parse(pausedUntil) > now
    ? `Paused until ${moment(pausedUntil, now)} (${relative(pausedUntil, now)}): no event gets a slot before. Slots that are assigned keep their times.` : "";
}

function rangeText(found, shown, { calendar }) {
  const size = found.windowsPerCell === 1 ? "a cell is a window" : `a cell is ${count(found.windowsPerCell)} windows`;
  const incomplete = shown.some((cell) => !cell.complete) ? " · too many windows to count all, zoom in" : "";
  const hours = calendar ? ` · opening hours are in ${calendar.timeZone}` : "";
  return `${moment(found.from)} to ${moment(found.to)} · ${size}${hours}${incomplete}`;
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
    /** Asks for what the strip does not say, and shows it all unless that is no longer wanted. */
    async update(found, configuration, signal, isWanted) {
      const { configName } = configuration;
      const forecast = (events) => get(withQuery("/api/v1/slots/forecast", { configName, events }), { signal }).catch(() => null);
      const [ahead, one, thousand] = await Promise.all([
        post("/api/v1/dashboard/what-if", { configName, policy: policyOf(configuration), cells: 1 }, { signal, reads: true }).catch(() => null),
        forecast(1),
        forecast(1000),
      ]);
      if (!isWanted()) return;
      const shown = forecastTexts(ahead, one, thousand);
      // What was not read may be ahead.
      backlog = ahead && (ahead.backlog > 0 || ahead.complete !== false) ? ahead.backlog : null;
      end = ahead?.complete === false ? NaN : Date.parse(ahead?.current?.endsAt);
      for (const [id, [value, detail]] of Object.entries(shown)) set(id, value, detail);
      set("limit", `${count(found.maxPerWindow)}`, `per window of ${policyText(configuration).split(" per ")[1]}`);
      set("peak", count(configuration.peakPerSecond), configuration.spread === "even" ? "exact, even spread" : "at worst, random spread");
    },
  };
}
