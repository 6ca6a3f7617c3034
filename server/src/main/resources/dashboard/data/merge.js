// Puts two changes of the same thing together. Pure functions.

/**
 * The values of a form that was filled with `base` and holds `mine`, on top of `theirs`, which came meanwhile: what I
 * changed is mine, all else is theirs. `conflicts` are the names of what both changed, differently. Members of objects
 * are looked at one by one.
 */
export function merged(base, mine, theirs) {
  const values = {};
  const conflicts = [];
  for (const name of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    if ([base[name], mine[name], theirs[name]].every(isObject)) {
      const inner = merged(base[name], mine[name], theirs[name]);
      values[name] = inner.values;
      conflicts.push(...inner.conflicts.map((one) => `${name}.${one}`));
    } else if (mine[name] === base[name]) {
      values[name] = theirs[name];
    } else {
      values[name] = mine[name];
      if (theirs[name] !== base[name] && theirs[name] !== mine[name]) conflicts.push(name);
    }
  }
  return { values, conflicts };
}

/**
 * As `merged`, for a form in which the field `name` decides which others are sent: `uses(values)` are the names of those
 * of them. If one side changed a field that the other switched away, both changed the switch: it is mine, with the fields
 * that only mine has.
 */
export function mergedBySwitch(base, mine, theirs, { name, uses }) {
  const { values, conflicts } = merged(base, mine, theirs);
  if (mine[name] === theirs[name]) return { values, conflicts: conflicts.filter((one) => isSent(one)) };
  const changedBy = (side, other) => uses(side).some((one) => !uses(other).includes(one) && !isSame(side[one], base[one]));
  const isMine = values[name] === mine[name] || changedBy(mine, theirs);
  if (!isMine) return { values, conflicts: conflicts.filter((one) => isSent(one)) };
  const isLost = theirs[name] !== base[name] || changedBy(theirs, mine);
  values[name] = mine[name];
  const own = uses(mine).filter((one) => !uses(theirs).includes(one));
  for (const one of own) values[one] = mine[one];
  const others = conflicts.filter((one) => one !== name && isSent(one) && !own.includes(top(one)));
  return { values, conflicts: isLost ? [name, ...others] : others };

  function isSent(conflict) {
    return ![base, mine, theirs].some((side) => uses(side).includes(top(conflict))) || uses(values).includes(top(conflict));
  }
}

/** The field of the form that a name such as `hours.monday` belongs to. */
function top(name) {
  return name.split(".")[0];
}

function isSame(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isObject(value) {
  return typeof value === "object" && value !== null;
}
