// What is ahead of a configuration, in the words of tiles. Pure functions.

import { clock, relative, short } from "./format.js";

const UNKNOWN = ["–", "not known"];

/**
 * Texts of tiles, `[value, detail]` by name. An answer that did not come is `null`, and says nothing about places.
 *
 * @param forecast the answer of a what-if under the policy in force
 * @param one the forecast for an event, and `thousand` that for a thousand
 */
export function forecastTexts(forecast, one, thousand, now = Date.now()) {
  return {
    backlog: forecast ? [`${short(forecast.backlog)}${forecast.complete === false ? "+" : ""}`, "events ahead"] : UNKNOWN,
    end: forecast ? endTexts(forecast, now) : UNKNOWN,
    free: one ? through(one, now, "", "no place within the max delay") : UNKNOWN,
    thousand: thousand ? through(thousand, now, "done ", "no place for all") : UNKNOWN,
  };
}

function endTexts({ current, complete }, now) {
  if (!current?.endsAt) return ["–", complete === false ? "not all windows were read" : "nothing waits"];
  return complete === false ? [`after ${clock(current.endsAt, now)}`, "not all windows were read"] : [clock(current.endsAt, now), relative(current.endsAt, now)];
}

function through(forecast, now, prefix, none) {
  return forecast.through ? [clock(forecast.through, now), `${prefix}${relative(forecast.through, now)}`] : ["–", none];
}
