// The policy of a configuration: from and to a form, and in words. Pure functions.

import { count, dateTime, duration, parseDuration } from "./format.js";

export const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

const POLICY_FIELDS = ["maxPerWindow", "windowSize", "spread", "notBefore", "maxDelay", "calendar", "pausedUntil"];

/** The policy of a configuration as the API answers it, without what cannot be changed. */
export function policyOf(configuration) {
  return Object.fromEntries(POLICY_FIELDS.filter((name) => configuration[name] !== undefined).map((name) => [name, configuration[name]]));
}

/**
 * Reads a duration as people write it: `4 s`, `500ms`, `1h 30m`, a number of seconds, or ISO-8601. Returns the
 * ISO-8601 text; a text that is none of these as it is, so that the server says what is wrong.
 */
export function isoDuration(text) {
  const trimmed = text.trim();
  if (trimmed === "" || /^-?p/i.test(trimmed)) return trimmed.toUpperCase();
  if (/^\d+(\.\d+)?$/.test(trimmed)) return `PT${trimmed}S`;
  const units = { ms: 0.001, s: 1, sec: 1, m: 60, min: 60, h: 3600, d: 86400 };
  const pieces = [...trimmed.toLowerCase().matchAll(/(\d+(?:\.\d+)?)\s*(ms|sec|min|[smhd])(?![a-z])\s*/g)];
  if (pieces.map((piece) => piece[0]).join("") !== trimmed.toLowerCase()) return trimmed;
  const seconds = pieces.reduce((sum, [, value, unit]) => sum + Number(value) * units[unit], 0);
  return `PT${Number(seconds.toFixed(6))}S`;
}

/** Reads `09:00-12:00, 13:00-17:00` into a list. */
export function hoursOf(text) {
  return text.split(/[,;]/).map((span) => span.trim().replace(/\s*[-–]\s*/, "-")).filter((span) => span !== "");
}

/**
 * The policy of the values of a form. Fields that are empty are left out. A form shows times to the second and without
 * their offset: one that reads as it did for `shown`, the policy that the form was filled with, is sent as it was.
 */
export function policyFrom(values, shown = {}) {
  const policy = { spread: values.spread, notBefore: values.notBefore };
  if (values.maxPerWindow !== "") policy.maxPerWindow = numeric(values.maxPerWindow);
  if (values.windowSize.trim() !== "") policy.windowSize = isoDuration(values.windowSize);
  if (values.maxDelay.trim() !== "") policy.maxDelay = isoDuration(values.maxDelay);
  if (values.pausedUntil !== "") {
    const until = localInstant(values.pausedUntil);
    // A control may write the same time in another way, without seconds that are zero.
    policy.pausedUntil = until === localInstant(pauseText(shown)) ? shown.pausedUntil : until;
  }
  if (values.hasCalendar) {
    const hours = Object.fromEntries(
      DAYS.map((day) => [day, hoursOf(values.hours[day] ?? "")]).filter(([, spans]) => spans.length > 0),
    );
    policy.calendar = { timeZone: values.timeZone.trim(), hours };
    const closed = values.closedDates.split(/[\s,;]+/).filter((date) => date !== "");
    if (closed.length > 0) policy.calendar.closedDates = closed;
  }
  return policy;
}

/** The values of a form for a policy. */
export function valuesOf(policy) {
  return {
    maxPerWindow: String(policy.maxPerWindow ?? ""),
    windowSize: durationText(policy.windowSize),
    spread: policy.spread ?? "even",
    notBefore: policy.notBefore ?? "requested",
    maxDelay: durationText(policy.maxDelay),
    pausedUntil: pauseText(policy),
    hasCalendar: policy.calendar !== undefined,
    timeZone: policy.calendar?.timeZone ?? "",
    hours: Object.fromEntries(DAYS.map((day) => [day, (policy.calendar?.hours?.[day] ?? []).join(", ")])),
    closedDates: (policy.calendar?.closedDates ?? []).join(", "),
  };
}

/** What the opening hours of a form depend on: without the switch they are not sent. */
export const CALENDAR_SWITCH = { name: "hasCalendar", uses: (values) => (values.hasCalendar ? ["timeZone", "hours", "closedDates"] : []) };

/** A time of a control, which leaves out seconds that are zero, as `valuesOf` writes it. */
export function withSeconds(text) {
  return /T\d\d:\d\d$/.test(text) ? `${text}:00` : text;
}

/** A duration as people write it, unless that would lose something. */
function durationText(iso = "") {
  const words = duration(iso);
  return parseDuration(isoDuration(words)) === parseDuration(iso) ? words : iso;
}

/** Hours of weekdays, as a start for a new calendar. */
export const OFFICE_HOURS = Object.fromEntries(DAYS.map((day, i) => [day, i < 5 ? "09:00-17:00" : ""]));

/** A number as a number; anything else as it is, so that the server says what is wrong. */
function numeric(text) {
  return /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;
}

const LOCAL = /^(\d{4,6})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(\.\d{1,3})?)?$/;

/** The time of a control, in the zone of the browser; a text that is none as it is, so that the server says so. */
function localInstant(text) {
  const [, year, month, day, hours, minutes, seconds = "0", fraction = "0"] = LOCAL.exec(text.trim()) ?? [];
  const date = new Date(2000, 0, 1);
  // The constructor takes years below 100 for those of another century, and reads none beyond 9999.
  date.setFullYear(Number(year), Number(month) - 1, Number(day));
  date.setHours(Number(hours), Number(minutes), Number(seconds), Math.round(Number(fraction) * 1000));
  return Number.isNaN(date.getTime()) ? text : date.toISOString();
}

/** A time as other times of the page are written, with its fraction, by which two may differ. */
function pauseInWords(instant) {
  return `${dateTime(instant)}${/\.\d+/.exec(instant)?.[0] ?? ""}`;
}

function pauseText({ pausedUntil }) {
  return pausedUntil ? localText(pausedUntil) : "";
}

/** A time as a control writes it. West or east of UTC it may lie in a year beyond those of the server. */
function localText(instant) {
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return instant;
  const two = (value) => String(value).padStart(2, "0");
  return `${String(date.getFullYear()).padStart(4, "0")}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
    + `T${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** A policy in a few words: 200 per 4 s. */
export function policyText(policy) {
  return `${count(policy.maxPerWindow)} per ${duration(policy.windowSize)}`;
}

/** The field of the form that a field of the API belongs to, or "" if to none. */
export function formField(apiField) {
  const name = apiField.replace(/^policy\./, "");
  const day = /^calendar\.hours\.(\w+)/.exec(name);
  if (day) return `hours.${day[1]}`;
  if (name.startsWith("calendar.closedDates")) return "closedDates";
  if (name.startsWith("calendar")) return "timeZone";
  if (name === "windowSizeSecs") return "windowSize";
  return ["configName", ...POLICY_FIELDS].includes(name) ? name : "";
}

const LABELS = {
  maxPerWindow: "Max per window",
  windowSize: "Window",
  spread: "Spread",
  notBefore: "Not before",
  maxDelay: "Max delay",
  pausedUntil: "Paused until",
  peakPerSecond: "Max in a second",
  hasCalendar: "Only within opening hours",
  "calendar.timeZone": "Time zone",
  "calendar.closedDates": "Closed dates",
};

/** The fields of a configuration as rows of text, the hours of each day one by one. */
export function flattened(configuration) {
  const flat = {};
  for (const name of ["maxPerWindow", "windowSize", "spread", "notBefore", "maxDelay", "pausedUntil", "peakPerSecond"]) {
    const value = configuration[name];
    if (value === undefined) continue;
    flat[name] = name === "windowSize" || name === "maxDelay" ? duration(value) : name === "pausedUntil" ? pauseInWords(value) : String(value);
  }
  const { calendar } = configuration;
  if (calendar) {
    flat["calendar.timeZone"] = calendar.timeZone;
    for (const day of DAYS) flat[`calendar.hours.${day}`] = (calendar.hours?.[day] ?? []).join(", ") || "closed";
    if (calendar.closedDates?.length > 0) flat["calendar.closedDates"] = calendar.closedDates.join(", ");
  }
  return flat;
}

/** The label of a field of the form. */
export function formLabel(field) {
  return labelOf(/^(hours\.|timeZone$|closedDates$)/.test(field) ? `calendar.${field}` : field);
}

/** What differs between two configurations: rows of `{name, label, before, after}`. */
export function differences(before, after) {
  const [old, young] = [flattened(before), flattened(after)];
  return [...new Set([...Object.keys(old), ...Object.keys(young)])]
    .filter((name) => old[name] !== young[name])
    .map((name) => ({ name, label: labelOf(name), before: old[name] ?? "", after: young[name] ?? "" }));
}

export function labelOf(name) {
  const day = /^calendar\.hours\.(\w)(\w+)$/.exec(name);
  return day ? `${day[1].toUpperCase()}${day[2]}` : (LABELS[name] ?? name);
}

/** Length of a window in milliseconds; NaN while the text is none. */
export function windowMillis(text) {
  return parseDuration(isoDuration(text));
}

/**
 * Header fields that store a configuration only as the next version of `base`, or as a new one if there is no `base` of
 * that name.
 */
export function precondition(base, configName) {
  return base?.configName === configName ? { "If-Match": `"${base.version}-${base.createdAt}"` } : { "If-None-Match": "*" };
}
