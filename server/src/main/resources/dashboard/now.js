// What the node does now, and in the last 15 minutes.

import { el, replace, setText } from "./dom.js";
import { lineChart } from "./chart.js";
import { count, millis, percent, rate, short } from "./format.js";
import { follow, linkText } from "./live.js";
import { Samples, waitingTexts } from "./samples.js";
import { limitStoreState, modesText, slotStoreState } from "./stores.js";
import { sampleButton } from "./sample.js";
import { badge, button, empty, facts, pageHead, panel, segmented } from "./widgets.js";

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
  const attention = el("div", { role: "status" });
  const first = el("div", { class: "panel", hidden: true },
    empty("Nothing has happened yet", "When requests are decided or slots are assigned, you see them here within a second. Make sample data to look around, or send a request of your own.",
      sampleButton(parts, reload), el("a", { class: "button", href: "#/try" }, "Try a request")));
  const shown = [...CHARTS, ...LATENCIES.filter((one) => one.prefix === "slot"
    || (one.prefix === "check" && parts.limitStore !== "memory")
    || (one.prefix === "gateway" && parts.gateway)).map(latencyChart)];
  const charts = shown.map((one) => ({ ...one, chart: lineChart({ ...one, sync: "now" }) }));
  const node = el("div", { class: "contents" });

  main.append(
    pageHead("Now", "This node, second by second.", zoom.element, pause),
    el("div", { class: "stack" }, attention, tiles.element, first, el("div", { class: "charts" }, charts.map((one) => one.chart.element), node)),
  );
  drawNode();

  function draw() {
    if (paused) return;
    tiles.update(samples, state);
    const quiet = samples.isQuiet(ACTIVITY);
    first.hidden = !quiet;
    for (const { names, format, series, chart } of charts) {
      const summary = series
        .map((one, i) => `${one.label} ${format(samples.latest(names[i], 2))}, at most ${format(samples.max(names[i], seconds))}`)
        .join("; ");
      chart.update(samples.columns(names, seconds), seconds, summary);
    }
  }

  function drawNode() {
    const stores = facts([
      ["Slots", [parts.slotStore, " ", state && badge(...slotStoreState(state))]],
      ["Limits", [parts.limitStore, " ", state && badge(...limitStoreState(parts, state))]],
      ["Decisions come from", state ? modesText(state.modes) : "–"],
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
    if (next.leaked > 0) texts.push(["warning", `${count(next.leaked)} slots are leaked: assigned, due, and never confirmed.`, "#/slots"]);
    replace(attention, texts.length > 0 && el("div", { class: "stack-small" }, texts.map(([tone, text, link]) =>
      el("p", { class: "notice", "data-tone": tone }, text, link && [" ", el("a", { href: link }, "Look at them")]))));
    drawNode();
    tiles.update(samples, state);
  }

  follow(samples, {
    signal,
    onChange: draw,
    onState: showState,
    onLink: (link, problem) => showLink(link, linkText(link, problem)),
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
    update(samples, state) {
      const all = DECISIONS.reduce((sum, name) => sum + (samples.mean(name, TILE_SECONDS) || 0), 0);
      const refused = samples.mean("refused", TILE_SECONDS) || 0;
      set("decisions", `${rate(all)}/s`, `${count(DECISIONS.reduce((sum, name) => sum + samples.sum(name), 0))} in 15 min`);
      set("refused", all > 0 ? percent(refused / all) : "0 %", `${count(samples.sum("refused"))} in 15 min`, all > 0 && refused / all > 0.2 ? "warning" : "");
      set("slots", `${rate(samples.mean("slotsAssigned", TILE_SECONDS) || 0)}/s`, `${count(samples.sum("slotsAssigned"))} in 15 min`);
      set("waiting", ...waitingTexts(samples));
      set("latency", millis(samples.latest("slotP99Ms")), `p50 ${millis(samples.latest("slotP50Ms"))}`);
      if (!state) set("store", "–", "\u00a0");
      else if (!state.ready) set("store", "Not ready", state.reason, "danger");
      else if (state.mode !== "store" || state.storesGone.length > 0) set("store", "Degraded", `mode ${state.mode}`, "warning");
      else set("store", "Ready", state.modes.length > 0 ? "stores answer" : "no decision lately", "good");
    },
  };
}
