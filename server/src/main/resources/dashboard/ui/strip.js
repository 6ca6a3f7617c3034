// A heat strip: one cell for some windows, darker the fuller. Hover, touch and keyboard.

import { el, replace, setText } from "./dom.js";
import { axisTicks, cellAt, cellText, mixed, moved } from "../data/strip-data.js";

/** Width of the text of a tick. */
const TICK_PIXELS = 68;

const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Fits a canvas to its size on the screen and returns its context. */
export function prepare(canvas) {
  const ratio = globalThis.devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = canvas;
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  return { context, width, height };
}

/**
 * Creates a strip. `onSelect(cell)` is called when a cell is chosen, `onOpen(cell)` on Enter and double click,
 * `onZoom(step)` for + and −. Returns the element, and functions that show and choose cells.
 */
export function heatStrip({ label, tall = false, onSelect = () => {}, onOpen = () => {}, onZoom = () => {}, signal }) {
  const canvas = el("canvas", { "aria-hidden": "true" });
  const track = el("div", {
    class: tall ? "strip-track tall" : "strip-track",
    role: "slider",
    tabindex: "0",
    "aria-label": label,
    "aria-orientation": "horizontal",
  }, canvas);
  const axis = el("div", { class: "strip-axis", "aria-hidden": "true" });
  const text = el("p", { class: "muted small break", "aria-hidden": "true" }, "\u00a0");
  const element = el("div", { class: "strip" }, track, axis, text);
  let cells = [];
  let selected = 0;
  let hovered = null;
  let chosen = false;

  function draw() {
    if (canvas.clientWidth === 0) return;
    const { context, width, height } = prepare(canvas);
    const colours = { empty: token("--heat-empty"), low: token("--heat-low"), high: token("--heat-high"), over: token("--heat-over") };
    const size = width / Math.max(1, cells.length);
    const gap = size > 6 ? 1 : 0;
    const closed = hatching(context);
    cells.forEach((cell, i) => {
      const left = Math.round(i * size);
      const right = Math.round((i + 1) * size) - gap;
      if (cell.over) context.fillStyle = colours.over;
      else if (cell.closed || !cell.complete) context.fillStyle = closed;
      else context.fillStyle = cell.taken === 0 ? colours.empty : mixed(colours.low, colours.high, cell.share);
      context.fillRect(left, 0, Math.max(1, right - left), height);
    });
    mark(context, hovered, size, height, token("--line-strong"));
    mark(context, selected, size, height, token("--text"));
  }

  function mark(context, index, size, height, colour) {
    if (index === null || index >= cells.length) return;
    context.strokeStyle = colour;
    context.lineWidth = 2;
    const width = Math.max(4, size);
    context.strokeRect(Math.max(1, index * size + (size - width) / 2), 1, Math.min(width, canvas.clientWidth - 2), height - 2);
  }

  function hatching(context) {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 6;
    const pen = tile.getContext("2d");
    pen.fillStyle = token("--surface-sunken");
    pen.fillRect(0, 0, 6, 6);
    pen.strokeStyle = token("--heat-closed");
    pen.lineWidth = 1.5;
    pen.beginPath();
    for (const x of [-6, 0, 6]) {
      pen.moveTo(x, 6);
      pen.lineTo(x + 6, 0);
    }
    pen.stroke();
    return context.createPattern(tile, "repeat");
  }

  function describe() {
    const cell = cells[hovered ?? selected];
    setText(text, cell ? cellText(cell) : "\u00a0");
    const current = cells[selected];
    track.setAttribute("aria-valuemin", "0");
    track.setAttribute("aria-valuemax", String(Math.max(0, cells.length - 1)));
    track.setAttribute("aria-valuenow", String(selected));
    track.setAttribute("aria-valuetext", current ? cellText(current) : "no windows");
  }

  function select(index) {
    selected = index;
    describe();
    draw();
    if (cells[selected]) onSelect(cells[selected]);
  }

  function choose(index) {
    chosen = true;
    select(index);
  }

  function drawAxis() {
    if (cells.length === 0) return replace(axis);
    const max = Math.max(2, Math.floor(track.clientWidth / 90));
    const marks = axisTicks(cells[0].start, cells.at(-1).end, max, TICK_PIXELS / Math.max(TICK_PIXELS, track.clientWidth)).map((tick) => {
      const mark = el("span", {}, tick.text);
      mark.style.left = `${tick.share * 100}%`;
      return mark;
    });
    return replace(axis, marks);
  }

  const indexOf = (event) => {
    const box = track.getBoundingClientRect();
    return cellAt((event.clientX - box.left) / box.width, cells.length);
  };
  track.addEventListener("pointermove", (event) => {
    hovered = cells.length > 0 ? indexOf(event) : null;
    describe();
    draw();
  });
  track.addEventListener("pointerleave", () => {
    hovered = null;
    describe();
    draw();
  });
  track.addEventListener("click", (event) => cells.length > 0 && choose(indexOf(event)));
  track.addEventListener("dblclick", (event) => cells.length > 0 && onOpen(cells[indexOf(event)]));
  track.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || cells.length === 0) return;
    const next = moved(event.key, selected, cells.length);
    if (next !== undefined) choose(next);
    else if (event.key === "Enter") onOpen(cells[selected]);
    else if (event.key === "+") onZoom(-1);
    else if (event.key === "-") onZoom(1);
    else return;
    event.preventDefault();
  });
  const resized = new ResizeObserver(() => {
    draw();
    drawAxis();
  });
  resized.observe(track);
  document.documentElement.addEventListener("themechange", draw, { signal });
  signal.addEventListener("abort", () => resized.disconnect());

  return {
    element,
    width: () => track.clientWidth,
    /** Shows other cells; the chosen one stays the one at the same time, if it is still there. */
    update(next) {
      const before = cells[selected]?.start;
      cells = next;
      const kept = cells.findIndex((cell) => cell.start <= before && before < cell.end);
      selected = Math.max(0, kept);
      describe();
      draw();
      drawAxis();
    },
    select,
    /** Returns true if the user chose a cell since the last `release`: what arrives late must not take it away. */
    isChosen: () => chosen,
    release() {
      chosen = false;
    },
    selected: () => cells[selected],
  };
}

/** Explains the colours of a strip. */
export function heatLegend() {
  return el("p", { class: "strip-legend", "aria-hidden": "true" },
    el("span", { class: "heat-key" }, "empty", el("i", { class: "ramp" }), "full"),
    el("span", { class: "heat-key" }, el("i", { class: "over" }), "over its limit"),
    el("span", { class: "heat-key" }, el("i", { class: "closed" }), "closed"));
}

/** Draws where in a window its events lie: the places of the even spread as a scale, events as lines. */
export function drawSpread(canvas, { start, end, max, times }) {
  if (canvas.clientWidth === 0) return;
  const { context, width, height } = prepare(canvas);
  context.fillStyle = token("--surface-sunken");
  context.fillRect(0, 0, width, height);
  if (max > 0 && max <= width / 3) {
    context.fillStyle = token("--line-strong");
    for (let i = 0; i < max; i++) context.fillRect(Math.round((i / max) * width), height - 5, 1, 5);
  }
  context.fillStyle = token("--accent");
  for (const at of times) {
    context.fillRect(Math.min(width - 2, Math.round(((at - start) / (end - start)) * width)), 4, 2, height - 11);
  }
}
