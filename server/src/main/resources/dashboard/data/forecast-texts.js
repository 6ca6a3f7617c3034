// What is ahead of a configuration, in the words of tiles. Pure functions.

import { clock, relative, short } from "./format.js";

const UNKNOWN = ["–", "not known"];

/** How far a forecast reaches. */
export const REACH = "400 days";

/**
 * Texts of tiles, `[value, detail]` by name. An answer that did not come is `null`, and says nothing about places.
 *
 * @param forecast the answer of a what-if under the policy in force
 * @param one the forecast for an event, and `thousand` that for a thousand
 */
export function forecastTexts(forecast, one, thousand, now = Date.now()) {
  return {
    backlog: forecast ? backlogTexts(forecast) : UNKNOWN,
    end: forecast ? endTexts(forecast, now) : UNKNOWN,
    free: one ? through(one, now, "", "none within max delay") : UNKNOWN,
    thousand: thousand ? through(thousand, now, "done ", "no place for all") : UNKNOWN,
  };
}

/** Without an event in what was read, what is left is beyond the reach of the forecast. */
function backlogTexts({ backlog, complete }) {
  if (complete !== false) return [short(backlog), "events ahead"];
  return backlog === 0 ? ["0", `in the next ${REACH}`] : [`${short(backlog)}+`, "events ahead"];
}

function endTexts({ current, complete }, now) {
  if (!current?.endsAt) return complete === false ? ["later", `in more than ${REACH}`] : ["–", "nothing waits"];
  return complete === false ? [`after ${clock(current.endsAt, now)}`, "and more later"] : [clock(current.endsAt, now), relative(current.endsAt, now)];
}

function through(forecast, now, prefix, none) {
  return forecast.through ? [clock(forecast.through, now), `${prefix}${relative(forecast.through, now)}`] : ["–", none];
}
