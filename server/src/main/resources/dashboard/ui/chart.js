// A line chart over time on uPlot, in the colours of the theme.

import { el, setText } from "./dom.js";
import { time } from "../data/format.js";

const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const COLOURS = {
  allowed: "--accent",
  main: "--accent",
  queued: "--warning",
  second: "--warning",
  refused: "--danger",
  shadow: "--line-strong",
};

/**
 * Creates a panel with a chart. `series` are `{label, tone, filled}`; `format` writes a value.
 * The scale reaches at least `minTop`. Returns `{element, update(columns, seconds, summary), destroy()}`.
 */
export function lineChart({ title, hint, series, format, sync, minTop = 1 }) {
  const values = series.map(() => el("b", {}, "–"));
  const legend = el(
    "ul",
    { class: "legend" },
    series.map((one, i) =>
      el("li", {}, el("span", { class: "swatch", "data-series": one.tone }), one.label, values[i]),
    ),
  );
  const plot = el("div", { class: "chart-plot", role: "img", "aria-label": title });
  const element = el(
    "section",
    { class: "panel", "aria-label": title },
    el("div", { class: "chart-head" }, el("h2", {}, title), el("p", { class: "muted small" }, hint), legend),
    el("div", { class: "chart-body" }, plot),
  );

  let chart = null;
  let columns = [[], ...series.map(() => [])];
  let shown = [0, 1];
  let drawing = false;

  function showValues(index) {
    const at = index ?? columns[0].length - 1;
    series.forEach((one, i) => {
      const value = columns[i + 1][at];
      setText(values[i], value === null || value === undefined ? "–" : format(value));
    });
  }

  function create() {
    chart?.destroy();
    const width = plot.clientWidth;
    if (width === 0) return;
    chart = new globalThis.uPlot(
      {
        width,
        height: plot.clientHeight,
        legend: { show: false },
        cursor: { sync: { key: sync }, drag: { x: false, y: false }, y: false, points: { size: 6 } },
        scales: { x: { range: () => shown }, y: { range: (_, __, max) => [0, Math.max(minTop, max * 1.08)] } },
        axes: [axis({ space: 70, size: 26, values: (_, all) => all.map(axisTime) }), axis({ size: 48, space: 28, values: (_, all) => all.map(format) })],
        series: [{}, ...series.map(line)],
        hooks: { setCursor: [(self) => showValues(self.cursor.idx)] },
      },
      columns,
      plot,
    );
  }

  function axisTime(seconds) {
    return time(seconds * 1000, { seconds: seconds % 60 !== 0 });
  }

  function axis(options) {
    return {
      stroke: token("--text-muted"),
      font: `11px ${token("--font")}`,
      grid: { stroke: token("--grid"), width: 1 },
      ticks: { show: false },
      gap: 4,
      ...options,
    };
  }

  function line(one) {
    const colour = token(COLOURS[one.tone]);
    return {
      label: one.label,
      stroke: colour,
      width: 1.5,
      fill: one.filled ? `${colour}24` : undefined,
      dash: one.tone === "shadow" ? [4, 3] : undefined,
      spanGaps: false,
      points: { show: false },
    };
  }

  // Several changes within a frame are drawn once.
  function draw() {
    if (drawing) return;
    drawing = true;
    requestAnimationFrame(() => {
      drawing = false;
      if (!chart) create();
      else chart.setData(columns);
      showValues(chart?.cursor.idx);
    });
  }

  const resized = new ResizeObserver(() => {
    if (chart && plot.clientWidth > 0) chart.setSize({ width: plot.clientWidth, height: plot.clientHeight });
    else draw();
  });
  resized.observe(plot);
  const retheme = () => {
    chart?.destroy();
    chart = null;
    draw();
  };
  document.documentElement.addEventListener("themechange", retheme);

  return {
    element,
    /** Shows columns over the last `seconds` seconds. */
    update(next, seconds, summary) {
      columns = next;
      const last = columns[0].at(-1) ?? Date.now() / 1000;
      shown = [last - seconds, last];
      if (summary) plot.setAttribute("aria-label", `${title}: ${summary}`);
      draw();
    },
    destroy() {
      resized.disconnect();
      document.documentElement.removeEventListener("themechange", retheme);
      chart?.destroy();
      chart = null;
    },
  };
}
