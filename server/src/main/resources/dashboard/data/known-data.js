// What a node knows of, beyond the last minutes.

import { get, withQuery } from "./http.js";

/** Configurations that are looked at, one after the other. */
const MAX_CONFIGURATIONS = 50;

/**
 * The name of a configuration with leaked slots; "" if it may be one of those that were not looked at, null if there is
 * none. Confirming is optional: where no slot was ever confirmed, none is leaked.
 */
export async function leakingConfiguration(preferred, signal) {
  const names = (await get("/admin/rate-limit/configs", { signal })).map((one) => one.configName);
  names.sort((one, other) => (other === preferred) - (one === preferred));
  for (const configName of names.slice(0, MAX_CONFIGURATIONS)) {
    if ((await hasSlot(configName, "leaked", signal)) && (await hasSlot(configName, "confirmed", signal))) return configName;
  }
  return names.length > MAX_CONFIGURATIONS ? "" : null;
}

/** Returns true if there is neither a rule nor a slot, nor a configuration besides the one of the start. */
export async function hasNoData(signal) {
  const [configurations, rules] = await Promise.all([get("/admin/rate-limit/configs", { signal }), get("/api/admin/rules", { signal })]);
  if (rules.length > 0 || configurations.length > 1) return false;
  return configurations.length === 0 || !(await hasSlot(configurations[0].configName, undefined, signal));
}

async function hasSlot(configName, state, signal) {
  const page = await get(withQuery("/api/v1/slots", { configName, state, limit: 1 }), { signal });
  return page.slots.length > 0;
}
