// The samples of the last 15 minutes, in columns as uPlot wants them. Pure data.

import { count, short } from "./format.js";

export const MAX_SECONDS = 900;

/** A value of the last few seconds is one of now. */
const LATELY = 5;

/** Columns of samples, one row for each second, bounded. */
export class Samples {
  constructor() {
    this.seconds = [];
    this.series = {};
  }

  /** Replaces everything with what the server kept. */
  load(history) {
    this.seconds = history.seconds.slice(-MAX_SECONDS);
    this.series = {};
    for (const [name, values] of Object.entries(history.series)) {
      this.series[name] = values.slice(-MAX_SECONDS);
    }
  }

  /** Appends a sample. One that is not newer than the last is ignored. Returns whether it was taken. */
  add(sample) {
    if (!Number.isFinite(sample.second) || sample.second <= (this.last() ?? 0)) return false;
    const known = new Set([...Object.keys(this.series), ...Object.keys(sample)]);
    known.delete("second");
    for (const name of known) {
      const column = (this.series[name] ??= new Array(this.seconds.length).fill(null));
      column.push(sample[name] ?? null);
    }
    this.seconds.push(sample.second);
    if (this.seconds.length > MAX_SECONDS) {
      this.seconds.shift();
      for (const column of Object.values(this.series)) column.shift();
    }
    return true;
  }

  /** The second of the newest sample, or undefined. */
  last() {
    return this.seconds.at(-1);
  }

  /** Rows of the last `length` seconds: the seconds, then a column for each of `names`. */
  columns(names, length = MAX_SECONDS) {
    const after = (this.last() ?? 0) - length;
    let begin = this.seconds.length;
    while (begin > 0 && this.seconds[begin - 1] > after) begin -= 1;
    return [
      this.seconds.slice(begin),
      ...names.map((name) => this.series[name]?.slice(begin) ?? new Array(this.seconds.length - begin).fill(null)),
    ];
  }

  /** Mean of a column over the last `length` seconds; NaN if it has no value there. */
  mean(name, length) {
    const values = this.values(name, length);
    return values.length === 0 ? NaN : values.reduce((sum, value) => sum + value, 0) / values.length;
  }

  /** Sum of a column over the last `length` seconds. */
  sum(name, length = MAX_SECONDS) {
    return this.values(name, length).reduce((sum, value) => sum + value, 0);
  }

  /** Largest value of a column in the last `length` seconds; NaN if it has none. */
  max(name, length = MAX_SECONDS) {
    const values = this.values(name, length);
    return values.length === 0 ? NaN : Math.max(...values);
  }

  /** The newest value of a column that is not null, within `length` seconds; NaN if there is none. */
  latest(name, length = MAX_SECONDS) {
    return this.values(name, length).at(-1) ?? NaN;
  }

  values(name, length) {
    return this.columns([name], length)[1].filter((value) => value !== null);
  }

  /** Whether anything happened at all. */
  isQuiet(names) {
    return names.every((name) => this.sum(name) === 0);
  }
}

/** How many requests wait now, and for what: `[value, detail]`. */
export function waitingTexts(samples) {
  const [queued, slots] = ["waiting", "slotsWaiting"].map((name) => samples.latest(name, LATELY) || 0);
  return [count(queued + slots), `${short(queued)} in queues, ${short(slots)} for slots`];
}
