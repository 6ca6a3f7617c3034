// Texts for numbers, times, durations and ids. Pure functions.

/** Controls, line breaks of Unicode, and characters without a look of their own. Tabs and new lines are seen as space. */
const UNSEEN = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** Joiners and variation selectors within an emoji, which are one sign together. */
const EMOJI = /\p{Extended_Pictographic}[\p{Emoji_Modifier}\ufe0f]*(?:\u200d\p{Extended_Pictographic}[\p{Emoji_Modifier}\ufe0f]*)*/gu;

/** A text that looks like what it is: characters that could pass one id off as another are written as in JSON. */
export function printable(text) {
  let result = "";
  let end = 0;
  for (const { 0: emoji, index } of text.matchAll(EMOJI)) {
    result += escaped(text.slice(end, index)) + emoji;
    end = index + emoji.length;
  }
  return result + escaped(text.slice(end));
}

function escaped(text) {
  return text.replace(UNSEEN, written);
}

function written(found) {
  return [...Array(found.length).keys()].map((i) => `\\u${found.charCodeAt(i).toString(16).padStart(4, "0")}`).join("");
}

/** An id in one line: breaks, and spaces that a page would leave out or draw as one, are written as in JSON. */
export function printableId(text) {
  return printable(String(text)).replace(/[\t\n\r]|^ | $|(?<= ) |[^\S \t\n\r]/g, written);
}

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

/** 0.1234 → 12.3 %. What is not nothing or all is not written as nothing or all: the last of a million still counts. */
export function percent(share) {
  if (!Number.isFinite(share)) return "–";
  if (share > 0 && share < 0.0005) return "< 0.1 %";
  if (share >= 0.9995 && share < 1) return "> 99.9 %";
  if (share > 1 && share < 1.0005) return "> 100 %";
  return `${oneDigit.format(share * 100)} %`;
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

const UNITS = [["d", 86_400_000_000], ["h", 3_600_000_000], ["min", 60_000_000]];

/** A length of time that was set, to the microsecond and in as many units as it needs: 1 h 30 s, 1.25 s, 0.5 ms. */
export function exactSpan(milliseconds) {
  if (!Number.isFinite(milliseconds)) return "–";
  let micros = Math.round(Math.abs(milliseconds) * 1000);
  const sign = milliseconds < 0 && micros > 0 ? "−" : "";
  if (micros < 1_000_000) return `${sign}${micros / 1000} ms`;
  const words = [];
  for (const [name, size] of UNITS) {
    const whole = Math.floor(micros / size);
    if (whole > 0) words.push(`${whole} ${name}`);
    micros -= whole * size;
  }
  if (micros > 0) words.push(`${micros / 1_000_000} s`);
  return `${sign}${words.join(" ")}`;
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

/** An ISO-8601 duration in words that lose nothing; the text as it is if it is none. */
export function duration(iso) {
  const ms = parseDuration(iso);
  return Number.isNaN(ms) ? String(iso) : exactSpan(ms);
}

const two = (value) => String(value).padStart(2, "0");

/** The zone of every time of the page: that of the browser, with its distance from UTC now. */
export function zoneText(now = Date.now(), zone = timeZone()) {
  const east = -new Date(now).getTimezoneOffset();
  const offset = `UTC${east < 0 ? "−" : "+"}${two(Math.floor(Math.abs(east) / 60))}:${two(Math.abs(east) % 60)}`;
  return zone && zone !== "UTC" ? `${zone} (${offset})` : offset === "UTC+00:00" ? "UTC" : offset;
}

/** The name of the browser's zone, or "" if it has none. */
export function timeZone() {
  return Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
}

const INSTANT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z/g;

/** A text of the server with its times, which are in UTC, as other times of the page. */
export function inZone(text) {
  return text.replace(INSTANT, (instant) => dateTime(instant));
}

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
const dayOfYear = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const WEEK = 6 * 86_400_000;
const YEAR = 365.25 * 86_400_000;

/** The time if it is today, otherwise the day and the minute, or the day alone if that is more than a year away: for places with little room. */
export function clock(instant, now = Date.now()) {
  const date = new Date(instant);
  if (day(date) === day(now)) return time(date);
  if (Math.abs(date.getTime() - now) > YEAR) return dayOfYear.format(date);
  const ofYear = date.getFullYear() === new Date(now).getFullYear() ? dayOfMonth : dayOfYear;
  const name = Math.abs(date.getTime() - now) < WEEK ? weekday : ofYear;
  return `${name.format(date)} ${time(date, { seconds: false })}`;
}

/** How far away a time is: in 4 min, 2 h ago. */
export function relative(instant, now = Date.now()) {
  const ms = new Date(instant).getTime() - now;
  if (!Number.isFinite(ms)) return "";
  if (Math.abs(ms) < 1000) return "now";
  // Tenths of seconds would only flicker.
  const whole = Math.round(Math.abs(ms) / 1000) * 1000;
  const length = whole < 2 * YEAR ? span(whole) : `${count(whole / YEAR)} years`;
  return ms > 0 ? `in ${length}` : `${length} ago`;
}
