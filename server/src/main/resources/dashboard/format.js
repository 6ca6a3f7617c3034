// Texts for numbers, times and durations. Pure functions.

const wholeNumber = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const oneDigit = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const twoDigits = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** 1234567 → 1,234,567 */
export function count(value) {
  return Number.isFinite(value) ? wholeNumber.format(value) : "–";
}

/** 1234567 → 1.2M, for places with little room. */
export function short(value) {
  if (!Number.isFinite(value)) return "–";
  return Math.abs(value) < 10_000 ? rate(value) : compact.format(value);
}

/** A number per second: small ones keep a digit. */
export function rate(value) {
  if (!Number.isFinite(value)) return "–";
  return Math.abs(value) < 100 ? oneDigit.format(value) : wholeNumber.format(value);
}

/** 0.1234 → 12.3 % */
export function percent(share) {
  return Number.isFinite(share) ? `${oneDigit.format(share * 100)} %` : "–";
}

/** Milliseconds, with the digits that matter. */
export function millis(value) {
  if (!Number.isFinite(value)) return "–";
  if (value >= 1000) return `${oneDigit.format(value / 1000)} s`;
  if (value >= 100) return `${wholeNumber.format(value)} ms`;
  return `${value < 1 ? twoDigits.format(value) : oneDigit.format(value)} ms`;
}

/** A length of time in words of at most two units: 4 s, 1 h 30 min, 2 d 3 h. */
export function span(milliseconds) {
  if (!Number.isFinite(milliseconds)) return "–";
  const sign = milliseconds < 0 ? "−" : "";
  const ms = Math.abs(milliseconds);
  if (ms < 1000) return `${sign}${twoDigits.format(ms)} ms`;
  const units = [
    ["d", 86_400_000],
    ["h", 3_600_000],
    ["min", 60_000],
    ["s", 1000],
  ];
  const first = units.findIndex(([, size]) => ms >= size);
  const [name, size] = units[first];
  if (name === "s") return `${sign}${oneDigit.format(ms / size)} s`;
  const whole = Math.floor(ms / size);
  const [nextName, nextSize] = units[first + 1];
  const rest = Math.floor((ms - whole * size) / nextSize);
  return `${sign}${whole} ${name}${rest > 0 ? ` ${rest} ${nextName}` : ""}`;
}

const DURATION = /^(-)?P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

/** Milliseconds of an ISO-8601 duration of days and smaller units, or NaN. */
export function parseDuration(text) {
  const match = DURATION.exec(String(text).trim().toUpperCase());
  if (!match || /[PT]$/.test(match[0])) return NaN;
  const [, minus, days, hours, minutes, seconds] = match;
  const ms =
    Number(days ?? 0) * 86_400_000 +
    Number(hours ?? 0) * 3_600_000 +
    Number(minutes ?? 0) * 60_000 +
    Number(seconds ?? 0) * 1000;
  return minus ? -ms : ms;
}

/** An ISO-8601 duration in words; the text as it is if it is none. */
export function duration(iso) {
  const ms = parseDuration(iso);
  return Number.isNaN(ms) ? String(iso) : span(ms);
}

const two = (value) => String(value).padStart(2, "0");

/** Time of day in the zone of the browser: 12:00:04, 12:00, or 12:00:04.250. */
export function time(instant, { seconds = true, millis: fine = false } = {}) {
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return "–";
  const minutes = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (!seconds) return minutes;
  const fraction = fine ? `.${String(date.getMilliseconds()).padStart(3, "0")}` : "";
  return `${minutes}:${two(date.getSeconds())}${fraction}`;
}

/** Date and time in the zone of the browser, 2026-06-01 12:00:04. */
export function dateTime(instant) {
  const date = new Date(instant);
  return Number.isNaN(date.getTime()) ? "–" : `${day(date)} ${time(date)}`;
}

/** 2026-06-01 */
export function day(instant) {
  const date = new Date(instant);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The time alone if it is today, otherwise with its date. */
export function moment(instant, now = Date.now()) {
  const date = new Date(instant);
  return day(date) === day(now) ? time(date) : dateTime(date);
}

const weekday = new Intl.DateTimeFormat("en-GB", { weekday: "short" });
const dayOfMonth = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const WEEK = 6 * 86_400_000;

/** The time if it is today, otherwise the day and the minute: for places with little room. */
export function clock(instant, now = Date.now()) {
  const date = new Date(instant);
  if (day(date) === day(now)) return time(date);
  const name = Math.abs(date.getTime() - now) < WEEK ? weekday : dayOfMonth;
  return `${name.format(date)} ${time(date, { seconds: false })}`;
}

/** How far away a time is: in 4 min, 2 h ago. */
export function relative(instant, now = Date.now()) {
  const ms = new Date(instant).getTime() - now;
  if (!Number.isFinite(ms)) return "";
  if (Math.abs(ms) < 1000) return "now";
  // Tenths of seconds would only flicker.
  const whole = Math.round(Math.abs(ms) / 1000) * 1000;
  return ms > 0 ? `in ${span(whole)}` : `${span(whole)} ago`;
}
