// What a heat strip shows. Pure functions.

import { count, moment, percent, time } from "./format.js";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Lengths that a strip can show, `[milliseconds, text]`. */
export const ZOOMS = [
  [MINUTE, "1 min"],
  [15 * MINUTE, "15 min"],
  [HOUR, "1 h"],
  [6 * HOUR, "6 h"],
  [DAY, "1 d"],
  [7 * DAY, "7 d"],
];

/** The cells of a strip as the server answers it, or of one side of a what-if. */
export function cells(strip, side = strip) {
  const from = Date.parse(strip.from);
  const length = strip.cellSecs * 1000;
  // The last cell may reach beyond the end of the strip.
  const complete = strip.completeUntil < strip.to ? Date.parse(strip.completeUntil) : Infinity;
  return side.taken.map((taken, i) => {
    const capacity = side.capacity[i];
    const fullest = side.fullest?.[i];
    const start = from + i * length;
    return {
      start,
      end: start + length,
      taken,
      capacity,
      fullest,
      closed: capacity === 0,
      over: taken > capacity || (fullest !== undefined && fullest > strip.maxPerWindow),
      complete: start + length <= complete,
      share: capacity > 0 ? Math.min(1, taken / capacity) : 0,
    };
  });
}

/** The numbers of a cell in words, for hover, focus and screen readers. */
export function cellText(cell, now = Date.now()) {
  const until = cell.end - cell.start >= HOUR ? moment(cell.end, cell.start) : time(cell.end);
  const range = `${moment(cell.start, now)} to ${until}`;
  if (!cell.complete) return `${range}: not counted, zoom in`;
  if (cell.closed) return cell.taken > 0 ? `${range}: closed, ${count(cell.taken)} taken` : `${range}: closed`;
  const full = cell.over ? ", over its limit" : "";
  return `${range}: ${count(cell.taken)} of ${count(cell.capacity)} taken, ${percent(cell.taken / cell.capacity)}${full}`;
}

/** Index of the cell at a share of the width, from 0 to 1. */
export function cellAt(share, length) {
  return Math.max(0, Math.min(length - 1, Math.floor(share * length)));
}

/** The next index for a key of the keyboard, or undefined if the key moves nothing. */
export function moved(key, index, length) {
  const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: -10, PageDown: 10 };
  if (key === "Home") return 0;
  if (key === "End") return length - 1;
  return key in steps ? Math.max(0, Math.min(length - 1, index + steps[key])) : undefined;
}

/** Ticks of an axis: up to `max` round times between two instants, none in the last `reserve` of it. */
export function axisTicks(from, to, max, reserve = 0.05) {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800];
  const step = (steps.find((seconds) => (to - from) / (seconds * 1000) <= max) ?? 604800) * 1000;
  // Round in the zone of the browser: midnight is a round time there, not in UTC.
  const offset = new Date(from).getTimezoneOffset() * MINUTE;
  const ticks = [];
  // A text that begins at the very end would be cut off.
  const end = to - (to - from) * reserve;
  for (let local = Math.ceil((from - offset) / step) * step; ; local += step) {
    // Within an hour that is skipped or repeated every time is round; beyond it only one of the zone is.
    const at = step > HOUR ? instantOf(local) : local + offset;
    if (!(at < end)) return ticks;
    if (at >= from && at > (ticks.at(-1)?.at ?? -Infinity)) ticks.push({ at, share: (at - from) / (to - from), text: tickText(at, step) });
  }
}

/** The instant of a time in the zone of the browser, which is given as if it were one of UTC. */
function instantOf(local) {
  const date = new Date(local);
  return new Date(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate(), date.getUTCHours(), date.getUTCMinutes()).getTime();
}

function tickText(at, step) {
  const date = new Date(at);
  if (step >= DAY || (date.getHours() === 0 && date.getMinutes() === 0 && step >= HOUR)) {
    return date.toLocaleDateString("en-GB", { weekday: "short", day: "numeric", month: "short" });
  }
  return time(date, { seconds: step < MINUTE });
}

/** The zoom that shows a cell in detail: the largest one that is smaller than the present one. */
export function zoomInto(cell, zoom) {
  const smaller = ZOOMS.map(([length]) => length).filter((length) => length < zoom);
  const fitting = smaller.filter((length) => length >= cell.end - cell.start);
  return fitting[0] ?? smaller.at(-1) ?? zoom;
}

/** Fewer cells than these are no picture of what is ahead. */
const MIN_WINDOWS = 12;

/** The shortest time that shows several windows. */
export function defaultZoom(windowMillis) {
  const lengths = ZOOMS.map(([length]) => length);
  return lengths.find((length) => length / windowMillis >= MIN_WINDOWS) ?? lengths.at(-1);
}

/** The shortest time that shows a backlog to its end, at least `zoom`; `zoom` if there is no end (`NaN`), or none shows it. */
export function zoomToEnd(zoom, millisToEnd) {
  const lengths = ZOOMS.map(([length]) => length);
  return lengths.find((length) => length >= zoom && length >= millisToEnd) ?? zoom;
}

/** Tells whether wider cells show what narrow ones do: all is counted, and events are in as many cells or more. */
export function hidesNothing(narrow, wide) {
  const filled = (all) => all.filter((cell) => cell.taken > 0).length;
  return wide.every((cell) => cell.complete) && filled(wide) >= filled(narrow);
}

/** A colour between two, as hexadecimal RGB. */
export function mixed(from, to, share) {
  const channel = (colour, i) => parseInt(colour.slice(1 + 2 * i, 3 + 2 * i), 16);
  return `#${[0, 1, 2]
    .map((i) => Math.round(channel(from, i) + (channel(to, i) - channel(from, i)) * share).toString(16).padStart(2, "0"))
    .join("")}`;
}
