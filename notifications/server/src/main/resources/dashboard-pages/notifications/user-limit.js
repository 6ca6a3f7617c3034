// The limit of a user: from and to a form. Pure functions.

import { DAYS, labelOf } from "/ui/data/policy.js";

/** Fields of the form, with what a user without a limit gets. */
export const NEW_LIMIT = { rateLimit: 10, timeWindow: 60, algorithm: "FIXED_WINDOW", cost: "MESSAGE" };

/**
 * The limit to store: what was entered, and what the user has already, which the service would take away otherwise.
 *
 * @param found the limit as the service answers it, or null
 * @param entered the fields that were edited
 */
export function limitToStore(found, entered) {
  const present = Object.fromEntries(Object.keys(NEW_LIMIT).map((name) => [name, found?.[name] ?? NEW_LIMIT[name]]));
  const limit = { ...present, ...entered };
  return found?.openHours ? { ...limit, openHours: found.openHours } : limit;
}

/** When a user may be sent messages, in words. */
export function openText(found) {
  const hours = found?.openHours;
  if (!hours) return "always";
  const days = DAYS.filter((day) => hours.hours?.[day]?.length > 0).map((day) => `${labelOf(`calendar.hours.${day}`)} ${hours.hours[day].join(", ")}`);
  const closed = hours.closedDates?.length > 0 ? `, not on ${hours.closedDates.join(", ")}` : "";
  return `${days.join("; ") || "never"} (${hours.timeZone})${closed}`;
}
