// What the node does now, and in the last 15 minutes.

import { el, replace, setText } from "../ui/dom.js";
import { lineChart } from "../ui/chart.js";
import { count, millis, percent, rate, short } from "../data/format.js";
import { hasNoData, leakingConfiguration } from "../data/known-data.js";
import { follow, linkText } from "../data/live.js";
import { Samples, waitingTexts } from "../data/samples.js";
import { limitStoreState, modesText, nodeState, slotStoreState } from "../data/stores.js";
import { sampleButton } from "../ui/sample.js";
import { badge, button, empty, facts, pageHead, panel, segmented, withZone } from "../ui/widgets.js";

const DECISIONS = ["allowed", "queued", "refused", "replayed"];
const ACTIVITY = [...DECISIONS, "shadowAllowed", "shadowRefused", "slotsAssigned", "slotsReplayed", "slotsRefused"];

/** Tiles average over a few seconds, so that the numbers can be read. */
const TILE_SECONDS = 5;

const CHARTS = [
  {
    title: "Decisions per second",
    hint: "Rules, buckets and leases, by outcome",
    format: short,
    minTop: 5,
    names: ["allowed", "queued", "refused", "shadowRefused"],
    series: [
      { label: "allowed", tone: "allowed", filled: true },
      { label: "queued", tone: "queued" },
      { label: "refused", tone: "refused" },
      { label: "shadow would refuse or delay", tone: "shadow" },
    ],
  },
  {
    title: "Slots per second",
    hint: "Assigned for the first time, and refused for want of places",
    format: short,
    minTop: 5,
    names: ["slotsAssigned", "slotsRefused"],
    series: [
      { label: "assigned", tone: "main", filled: true },
      { label: "refused", tone: "refused" },
    ],
  },
  {
    title: "Waiting",
    hint: "Requests in the queues of rules, and slot requests without an answer yet",
    format: short,
    minTop: 5,
    names: ["waiting", "slotsWaiting"],
    series: [
      { label: "in queues", tone: "main", filled: true },
      { label: "for slots", tone: "second" },
    ],
  },
];

const LATENCIES = [
  { prefix: "slot", title: "Latency of slots", hint: "Milliseconds until a slot is assigned" },
  { prefix: "check", title: "Latency of limits", hint: "Milliseconds of a call of the store of limits" },
  { prefix: "gateway", title: "Latency of the gateway", hint: "Milliseconds of a whole request" },
];

const PARTS = [["gateway", "Gateway"], ["envoy", "Envoy"], ["notifications", "Notifications"], ["analytics", "Analytics"], ["payments", "Payments"]];

function latencyChart({ prefix, title, hint }) {
  return {
    title,
    hint,
    format: millis,
    names: [`${prefix}P50Ms`, `${prefix}P99Ms`],
    series: [
      { label: "p50", tone: "main" },
      { label: "p99", tone: "second" },
    ],
  };
}

export function show(main, { parts, signal, showLink, reload }) {
  const samples = new Samples();
  let seconds = 300;
  let paused = false;
  let state = null;
  let isLost = false;
  let isEmpty = null; // not known yet
  let isAsking = false;
  let shownLeaked = 0;

  const pause = button("Pause", () => {
    paused = !paused;
    setText(pause, paused ? "Continue" : "Pause");
    pause.setAttribute("aria-pressed", String(paused));
    if (!paused) draw();
  }, { "aria-pressed": "false" });
  const zoom = segmented("Shown time", [[60, "1 min"], [300, "5 min"], [900, "15 min"]], seconds, (value) => {
    seconds = value;
    draw();
  });

  const tiles = tileRow();
  const warnings = el("div", { class: "stack-small" });
  const leaks = el("div", {});
  const attention = el("div", { role: "status", class: "stack-small" }, warnings, leaks);
  const first = el("div", { class: "panel", hidden: true });
  const shown = [...CHARTS, ...LATENCIES.filter((one) => one.prefix === "slot"
    || (one.prefix === "check" && parts.limitStore !== "memory")
    || (one.prefix === "gateway" && parts.gateway)).map(latencyChart)];
  const charts = shown.map((one) => ({ ...one, chart: lineChart({ ...one, sync: "now" }) }));
  const node = el("div", { class: "contents" });

  main.append(
    pageHead("Now", withZone("This node, second by second."), zoom.element, pause),
    el("div", { class: "stack" }, attention, tiles.element, first, el("div", { class: "charts" }, charts.map((one) => one.chart.element), node)),
  );
  drawNode();

  function draw() {
    if (paused) return;
    tiles.update(samples, state, isLost);
    showQuiet(samples.isQuiet(ACTIVITY));
    for (const { names, format, series, chart } of charts) {
      const summary = series
        .map((one, i) => `${one.label} ${format(samples.latest(names[i], 2))}, at most ${format(samples.max(names[i], seconds))}`)
        .join("; ");
      chart.update(samples.columns(names, seconds), seconds, summary);
    }
  }

  function drawNode() {
    const stores = facts([
      ["Slots", [parts.slotStore, " ", state && !isLost && badge(...slotStoreState(state))]],
      ["Limits", [parts.limitStore, " ", state && !isLost && badge(...limitStoreState(parts, state))]],
      ["Decisions come from", state && !isLost ? modesText(state.modes) : "–"],
      ["Given up for now", state?.storesGone.join(", ")],
      ["Leaked slots", state ? count(state.leaked) : "–"],
    ]);
    const running = el("div", { class: "row" }, PARTS.map(([name, text]) => badge(`${text} ${parts[name] ? "on" : "off"}`, parts[name] ? "good" : "")));
    // Fills the grid of charts, whatever their number is.
    replace(node, charts.length % 2 === 0
      ? [panel("Stores", { hint: "Where this node keeps its state" }, stores),
          panel("Parts", { hint: "What runs on this node" }, running, facts([["Default configuration", parts.defaultConfig], ["Version", parts.version]]))]
      : panel("This node", { hint: "Where it keeps its state, and what runs on it" }, stores, running));
  }

  function showState(next) {
    state = next;
    const texts = [];
    for (const warning of next.warnings ?? []) texts.push(["warning", warning]);
    showLeaked(next.leaked);
    replace(warnings, texts.map(([tone, text]) => el("p", { class: "notice", "data-tone": tone }, text)));
    drawNode();
    tiles.update(samples, state, isLost);
  }

  /** Shows where the slots are that were not confirmed. */
  async function showLeaked(leaked) {
    if (leaked === shownLeaked) return;
    shownLeaked = leaked;
    replace(leaks);
    if (leaked === 0) return;
    try {
      const name = await leakingConfiguration(parts.defaultConfig, signal);
      if (leaked !== shownLeaked || name === null) return;
      replace(leaks, el("p", { class: "notice", "data-tone": "warning" }, `${count(leaked)} slots are leaked: assigned, due, and never confirmed. `,
        name === "" ? "They are of a configuration that this page did not look at, because there are so many."
          : el("a", { href: `#/slots/${encodeURIComponent(name)}` }, `Look at those of ${name}`)));
    } catch {
      shownLeaked = null; // it is asked again with the next state
    }
  }

  /** A node that has data needs no sample of it. */
  async function showQuiet(isQuiet) {
    first.hidden = !isQuiet || isEmpty === null;
    if (!isQuiet || isEmpty !== null || isAsking) return;
    isAsking = true;
    try {
      isEmpty = await hasNoData(signal);
      replace(first, isEmpty
        ? empty("Nothing has happened yet", "When requests are decided or slots are assigned, you see them here within a second. Make sample data to look around, or send a request of your own.",
          sampleButton(parts, reload), el("a", { class: "button", href: "#/try" }, "Try a request"))
        : empty("Nothing happened in the last 15 minutes", "When requests are decided or slots are assigned on this node, you see them here within a second."));
      first.hidden = !samples.isQuiet(ACTIVITY);
    } catch {
      // It is asked again with the next sample.
    } finally {
      isAsking = false;
    }
  }

  function showConnection(link, problem) {
    showLink(link, linkText(link, problem));
    isLost = link === "lost";
    drawNode();
    tiles.update(samples, state, isLost);
  }

  follow(samples, {
    signal,
    onChange: draw,
    onState: showState,
    onLink: showConnection,
  });
  signal.addEventListener("abort", () => {
    showLink("live", "Connected");
    for (const one of charts) one.chart.destroy();
  });
}

function tileRow() {
  const definitions = [
    ["decisions", "Decisions"],
    ["refused", "Refused"],
    ["slots", "Slots assigned"],
    ["waiting", "Waiting"],
    ["latency", "Slot latency p99"],
    ["store", "State"],
  ];
  const tiles = Object.fromEntries(definitions.map(([name, title]) => {
    const value = el("dd", {}, "–");
    const detail = el("dd", {}, "\u00a0");
    return [name, { value, detail, element: el("div", { class: "tile", "data-tile": name }, el("dt", {}, title), value, detail) }];
  }));

  function set(name, value, detail, tone = "") {
    setText(tiles[name].value, value);
    setText(tiles[name].detail, detail);
    tiles[name].element.dataset.tone = tone;
  }

  return {
    element: el("dl", { class: "tiles" }, Object.values(tiles).map((tile) => tile.element)),
    update(samples, state, isLost) {
      const all = DECISIONS.reduce((sum, name) => sum + (samples.mean(name, TILE_SECONDS) || 0), 0);
      const refused = samples.mean("refused", TILE_SECONDS) || 0;
      set("decisions", `${rate(all)}/s`, `${count(DECISIONS.reduce((sum, name) => sum + samples.sum(name), 0))} in 15 min`);
      set("refused", all > 0 ? percent(refused / all) : "0 %", `${count(samples.sum("refused"))} in 15 min`, all > 0 && refused / all > 0.2 ? "warning" : "");
      set("slots", `${rate(samples.mean("slotsAssigned", TILE_SECONDS) || 0)}/s`, `${count(samples.sum("slotsAssigned"))} in 15 min`);
      set("waiting", ...waitingTexts(samples));
      set("latency", millis(samples.latest("slotP99Ms")), `p50 ${millis(samples.latest("slotP50Ms"))}`);
      set("store", ...nodeState(state, isLost));
    },
  };
}
