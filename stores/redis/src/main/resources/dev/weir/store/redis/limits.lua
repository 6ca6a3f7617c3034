-- Executes a list of requests, one after the other, in one atomic step.
--
-- It repeats the arithmetic of dev.weir.limits line by line; the compatibility kit proves it
-- equal. All numbers are whole and at most 2^53, so that doubles are exact, and for such numbers
-- floor(a / b) is exact as well.
--
-- KEYS     the marker; then the usages and the records of request ids that the requests refer to by
--          their index, each once
-- ARGV     the time and the latest marker, see marker.lua
-- ARGV[3]  the requests, packed. TAKE, DECIDE_ONE and SETTLE contain all requests for one limit alone: mode,
--          count, kind and the three parameters of the limit, the time since which it may have been
--          used, that of its last change, its version, 0 if it has none, and the time at which it was
--          created; and for each the index of its usage and the cost. DECIDE, PEEK, GIVE_BACK, RECALL, JOIN
--          and LEAVE contain one request: mode, number of parts, index of the record or 0, a time; if there is a
--          record, its binding: 16 bytes of the digest of the request, 8 of the layout of its usages,
--          16 of a note; and for each part the index of its usage, the cost, kind and parameters of the
--          limit, the time since which it may have been used, that of its last change, its version and its
--          creation. The kind 0 is a part that waits in a queue and takes nothing: 0, its position, 0,
--          remaining units, reset, wait, 0, 0, 0, 0
-- Returns  what the node has to determine first, see marker.lua; else the time, the marker and the
--          results, packed: for TAKE and SETTLE the outcome, for DECIDE_ONE the outcome and a decision, for the
--          others outcome, number of decisions, time and the decisions; the outcome REPLAYED is
--          followed by the note. A decision is 1 (allowed) or 0 (refused), remaining units, reset and
--          wait; or 2 for a part that waits, remaining units, reset, wait and position.

-- JOIN and LEAVE are DECIDE and GIVE_BACK for one of several slots of a request. Copies of the request
-- that find its record rely on what it granted: the last of them that leaves gives it back.
local DECIDE, PEEK, GIVE_BACK, TAKE, DECIDE_ONE, RECALL, SETTLE, JOIN, LEAVE = 0, 1, 2, 3, 4, 5, 6, 7, 8
local REFUSED, GRANTED, REPLAYED, UNREADABLE, GIVEN_BACK, REUSED, UNKNOWN = 0, 1, 2, 3, 4, 5, 6
local WAITED_FOR = 2
-- Bytes of a binding: the digest, digest and usages, all of it; and of a record without decisions.
local DIGEST_BYTES, LAYOUT_BYTES, BINDING_BYTES, RECORD_BYTES = 16, 24, 40, 57
local OUTCOMES = {[REFUSED] = '\0', [GRANTED] = '\1', [UNREADABLE] = '\3'}
local USAGE_BYTES = 40
local MAX_EXACT = 9007199254740992
local MAX_IN_WINDOW, FINEST = 8589934592, 1048576
-- The min length of a window; and by how much a clock may be corrected.
local MIN_WINDOW, AHEAD = 1000, 1000000

-- A usage is kept this much longer than needed, so that one that is soon written again does not need
-- a new time to live, which is most of the cost of a write.
local SLACK = 10000000

-- The unit in which the time until which a usage is kept is stored with a version, and the number of
-- such units that can be told apart.
local KEPT_UNIT, KEPT_UNITS = 16000000, 2097152

local function ceil_div(a, b)
  local quotient = floor(a / b)
  if quotient * b < a then
    return quotient + 1
  end
  return quotient
end

-- Each kind of limit: parameters a, b, c, then the usage. `settle` returns true after the usage if that
-- was counted by other numbers, or by a clock that was far ahead: it is then written even if the
-- request is refused. `taken` returns the units, the scale and, except for a sliding window, `before`.
-- `ends` is when a usage is no longer needed; `all` is the usage after all permits were taken at a time;
-- `like` returns the parameters b and c by which a usage in use was counted.

local function start_of(b, micros)
  return floor(micros / b) * b
end

-- a limit, b window, c 1 if windows are aligned to the epoch; before is the c of a window in use
local function window_end(b, c, at)
  return (c == 1 and start_of(b, at) or at) + b
end

local fixed = {
  settle = function(a, b, c, at, used, before, scale)
    local settled = false
    if used > 0 and ((scale ~= b and scale >= MIN_WINDOW) or before ~= c
        or at - now > max(b, AHEAD)) then
      local former = scale >= MIN_WINDOW and scale or b
      settled, scale = true, b
      if at - now > max(min(former, b), AHEAD) then
        at = now
      end
      local former_end = window_end(former, before, at)
      if now >= former_end then
        used = 0
      elseif c == 1 then
        at = max(at, start_of(b, max(now, at)))
      else
        at = max(at, min(max(now, at), former_end - b))
      end
    end
    if used == 0 or now >= window_end(b, c, at) then
      return now, 0, 0, b, settled
    end
    return at, used, c, scale, settled
  end,
  has_left = function(a, b, c, at, used, before, cost)
    return cost <= a - used
  end,
  remaining = function(a, b, c, at, used, before)
    return max(0, a - used)
  end,
  taken = function(c, used, cost, b)
    return used + cost, b, c
  end,
  wait = function(a, b, c, at, used, before, cost)
    if cost <= a - used then
      return 0
    end
    return window_end(b, c, at) - now
  end,
  give_back = function(b, c, at, used, before, cost, taken_at)
    if taken_at < at then
      return at, used, before
    end
    used = max(0, used - cost)
    return at, used, used > 0 and c or 0
  end,
  ends = function(b, c, at, used, before)
    if used == 0 then
      return NEVER
    end
    return window_end(b, c, at)
  end,
  all = function(a, b, c, micros)
    return micros, a, c, b
  end,
  like = function(a, b, c, used, before, scale)
    if used == 0 or scale < MIN_WINDOW then
      return b, c
    end
    return scale, before
  end
}

-- a limit, b window
local function tick_of(b)
  return ceil_div(b, FINEST)
end

-- The time since which the permits in `used` were taken that count in full.
local function in_full_since(b, at, before)
  return before == 0 and at or start_of(b, at)
end

local function slide(b, at, used, before)
  local start, former = start_of(b, now), start_of(b, at)
  if start <= former then
    return at, used, before
  elseif used > 0 and start == former + b then
    return in_full_since(b, at, before) + b, 0, used
  end
  return now, 0, 0
end

-- The remaining part is rounded up, so the ticks of a whole window are rounded down.
local function ticks_of(b)
  return floor(b / tick_of(b))
end

local function weighed(b, at, used, before)
  if before == 0 then
    return used
  end
  local ticks, start = ticks_of(b), start_of(b, at)
  local ticks_left = min(ceil_div(start + b - max(now, start), tick_of(b)), ticks)
  return used + ceil_div(before * ticks_left, ticks)
end

-- The max remaining part of a window with which `before` weighs at most this.
local function max_left(b, weight, before)
  if weight >= before then
    return b
  end
  return floor(weight * ticks_of(b) / before) * tick_of(b)
end

local sliding = {
  settle = function(a, b, c, at, used, before, scale)
    local settled = false
    if (used > 0 or before > 0) and (scale ~= b or start_of(b, at) - now > max(b, AHEAD)) then
      settled = true
      at, used, before = slide(scale, at, used, before)
      local in_full, former_start = in_full_since(scale, at, before), start_of(scale, at)
      used, before = min(weighed(scale, at, used, before), MAX_IN_WINDOW), 0
      if former_start - now > max(min(scale, b), AHEAD) then
        at = now
      else
        local latest = max(now, former_start)
        at = max(min(latest, in_full), start_of(b, latest))
      end
    end
    if used == 0 and before == 0 then
      return now, 0, 0, b, settled
    end
    at, used, before = slide(b, at, used, before)
    return at, used, before, b, settled
  end,
  has_left = function(a, b, c, at, used, before, cost)
    return cost <= a - weighed(b, at, used, before)
  end,
  remaining = function(a, b, c, at, used, before)
    return max(0, a - weighed(b, at, used, before))
  end,
  taken = function(c, used, cost, b)
    return used + cost, b
  end,
  wait = function(a, b, c, at, used, before, cost)
    if cost <= max(0, a - weighed(b, at, used, before)) then
      return 0
    end
    local here = a - cost - used
    local left_here = here < 0 and 0 or max_left(b, here, before)
    local following = start_of(b, at) + b
    if left_here > 0 then
      return following - left_here - now
    end
    return following + b - max_left(b, a - cost, used) - now
  end,
  give_back = function(b, c, at, used, before, cost, taken_at)
    if taken_at >= in_full_since(b, at, before) then
      return at, max(0, used - cost), before
    elseif taken_at < at - b or before == 0 then
      return at, used, before
    end
    before = max(0, before - cost)
    return before == 0 and start_of(b, at) or at, used, before
  end,
  ends = function(b, c, at, used, before)
    if used == 0 and before == 0 then
      return NEVER
    end
    return start_of(b, at) + (used > 0 and 2 or 1) * b
  end,
  all = function(a, b, c, micros)
    return micros, a, 0, b
  end,
  like = function(a, b, c, used, before, scale)
    if used == 0 and before == 0 then
      return b, c
    end
    return scale, c
  end
}

-- a capacity, b refill tokens, c refill micros; used is the debt
local bucket = {
  settle = function(a, b, c, at, used, before, scale)
    local settled, rate = false, b
    if at - now > AHEAD and at - now > ceil_div(a * c, b) then
      settled, at = true, now
    end
    if used > 0 and (scale ~= c or (before ~= b and before ~= 0)) then
      settled, rate = true, before ~= 0 and before or b
    end
    if now > at then
      -- Beyond 2^53 it is rounded, but still more than any debt.
      local paid = (now - at) * rate
      at, used = now, paid >= used and 0 or used - paid
    end
    if scale ~= c and used > 0 then
      used = min(ceil_div(used, scale), floor(MAX_EXACT / c)) * c
    end
    return at, used, used > 0 and b or 0, c, settled
  end,
  has_left = function(a, b, c, at, used, before, cost)
    return used <= (a - cost) * c
  end,
  remaining = function(a, b, c, at, used, before)
    return max(0, floor((a * c - used) / c))
  end,
  taken = function(c, used, cost, b)
    return used + cost * c, c, b
  end,
  wait = function(a, b, c, at, used, before, cost)
    local excess = used - (a - cost) * c
    if excess <= 0 then
      return 0
    end
    -- In this order, because the sum of the first two may not fit.
    return ceil_div(excess, b) + (at - now)
  end,
  give_back = function(b, c, at, used, before, cost, taken_at)
    -- Without the tokens that were refilled since. Beyond 2^53 it is rounded, but still more than
    -- any cost.
    local back = max(0, cost * c - max(0, at - taken_at) * b)
    local debt = max(0, used - back)
    return at, debt, debt > 0 and b or 0
  end,
  ends = function(b, c, at, used, before)
    if used == 0 then
      return NEVER
    end
    -- A microsecond too late rather than rounded to the time at which it was taken.
    return at + used / b + 1
  end,
  all = function(a, b, c, micros)
    return micros, a * c, b, c
  end,
  like = function(a, b, c, used, before, scale)
    if used == 0 or before == 0 or a > floor(MAX_EXACT / scale) then
      return b, c
    end
    return before, scale
  end
}

local kinds = {fixed, sliding, bucket}

-- The values of the keys: read together at the start, written at the end, even if several requests
-- share a key. A usage is its four numbers and the time until which Redis keeps it at least. If the
-- limit has versions, that number is below -MAX_EXACT, by twice this: the version that has counted the
-- usage, times KEPT_UNITS, plus that time in units of KEPT_UNIT modulo KEPT_UNITS, of which it is the
-- first one that is not before the usage. Only even numbers are exact there, and 31 bits of a version
-- and 21 of the time just fit. Other negative numbers were written by earlier scripts: the time is
-- taken for over.

local function read_usage(value)
  local at, used, before, scale, kept = unpacked('<ddddd', value)
  if kept >= 0 then
    return at, used, before, scale, kept, 0
  elseif kept >= -MAX_EXACT then
    return at, used, before, scale, 0, 0
  end
  local packed = (-kept - MAX_EXACT) / 2
  local version, first = floor(packed / KEPT_UNITS), floor(at / KEPT_UNIT)
  local units = first + (packed - version * KEPT_UNITS - first) % KEPT_UNITS
  return at, used, before, scale, units * KEPT_UNIT, version
end

-- Rounded down: a usage that is kept longer than the script knows is only written with more effort.
local function packed_kept(at, kept, version)
  local first = floor(at / KEPT_UNIT)
  local units = min(max(floor(kept / KEPT_UNIT), first), first + KEPT_UNITS - 1)
  return -MAX_EXACT - 2 * (version * KEPT_UNITS + units % KEPT_UNITS)
end

local values = {}
if #KEYS <= 1000 then
  values = call('MGET', unpack(KEYS))
else
  for from = 1, #KEYS, 1000 do
    local part = call('MGET', unpack(KEYS, from, min(from + 999, #KEYS)))
    for i = 1, #part do
      values[from + i - 1] = part[i]
    end
  end
end

if not read_marker(values[1]) then
  return NO_MARKER
end

-- The usage to assume for a limit whose counts may have been lost: that all permits were taken when
-- the loss was noticed. Every usage that may have been lost is less, and counting continues from
-- there. If the limit was changed later, that they were taken at the change. It is assumed of what was
-- last written before the loss; nil if no loss can still matter.
local function lost(limit, a, b, c, used_since, changed_at)
  if used_since >= since then
    return nil
  end
  local at, used, before, scale = limit.all(a, b, c, max(since, min(changed_at, now)))
  if limit.ends(b, c, at, used, before) <= now then
    return nil
  end
  return at, used, before, scale
end

-- Values to write, by key: when each ends, and until when it is kept if that has changed.
local ends, kepts = {}, {}

local function keep(key, limit, b, c, at, used, before, scale, kept, version)
  local ending = limit.ends(b, c, at, used, before)
  if ending > kept then
    kept = floor(ending) + SLACK
    if version > 0 then
      kept = ceil_div(kept, KEPT_UNIT) * KEPT_UNIT
    end
    kepts[key] = kept
  end
  ends[key] = ending
  if version > 0 then
    kept = packed_kept(at, kept, version)
  end
  values[key] = pack('<ddddd', at, used, before, scale, kept)
end

-- Whether a later version than this one has counted the usage: then it is counted on as that one does,
-- see `like`. A usage from before this limit was created was counted by another limit of that name.
local function is_older(version, created, at, counted_by)
  return version > 0 and version < counted_by and at >= created
end

local function decision(limit, is_allowed, a, b, c, at, used, before, cost, left)
  return pack('<Bddd', is_allowed and 1 or 0, left,
      left < a and limit.wait(a, b, c, at, used, before, left + 1) or 0,
      is_allowed and 0 or limit.wait(a, b, c, at, used, before, cost))
end

-- The first is the time and the marker, which may still change.
local answers, answered = {''}, 1

-- Executes requests for a single limit, the most common case, with as few function calls as
-- possible, because those dominate the time in Lua. The input alternates indexes and costs.
local function work_on_many(is_take, limit, a, limit_b, limit_c, used_since, changed_at, version,
    created, parts)
  local settle, has_left, taken = limit.settle, limit.has_left, limit.taken
  local lost_at, lost_used, lost_before, lost_scale =
      lost(limit, a, limit_b, limit_c, used_since, changed_at)
  for i = 1, #parts - 1, 2 do
    local key, cost = parts[i], parts[i + 1]
    local value = values[key]
    local at, used, before, scale, kept, counted_by = NEVER, 0, 0, 0, 0, 0
    local b, c = limit_b, limit_c
    local outcome = UNREADABLE
    if not value or #value == USAGE_BYTES then
      if value then
        at, used, before, scale, kept, counted_by = read_usage(value)
      end
      if lost_at and at < since then
        at, used, before, scale = lost_at, lost_used, lost_before, lost_scale
        counted_by = 0
      end
      if is_older(version, created, at, counted_by) then
        b, c = limit.like(a, b, c, used, before, scale)
      else
        counted_by = version
      end
      local settled
      at, used, before, scale, settled = settle(a, b, c, at, used, before, scale)
      outcome = REFUSED
      if has_left(a, b, c, at, used, before, cost) then
        local next_before
        outcome = GRANTED
        used, scale, next_before = taken(c, used, cost, b)
        before = next_before or before
        settled = true
      end
      if settled then
        keep(key, limit, b, c, at, used, before, scale, kept, counted_by)
      end
    end
    answered = answered + 1
    answers[answered] = OUTCOMES[outcome]
    if not is_take then
      answered = answered + 1
      answers[answered] = decision(limit, outcome == GRANTED, a, b, c, at, used, before, cost,
          limit.remaining(a, b, c, at, used, before))
    end
  end
end

-- Settles usages of one limit. The input is that of the requests above; costs are ignored. A usage
-- from before a loss must not be carried over: it would seem to have been counted since.
local function settle_many(limit, a, limit_b, limit_c, used_since, changed_at, version, created,
    parts)
  local lost_at, lost_used, lost_before, lost_scale =
      lost(limit, a, limit_b, limit_c, used_since, changed_at)
  for i = 1, #parts - 1, 2 do
    local key = parts[i]
    local value = values[key]
    if value and #value == USAGE_BYTES then
      local at, used, before, scale, kept, counted_by = read_usage(value)
      local b, c, counts_by, settled = limit_b, limit_c, version
      if lost_at and at < since then
        at, used, before, scale = lost_at, lost_used, lost_before, lost_scale
        counted_by = 0
      end
      if is_older(version, created, at, counted_by) then
        b, c = limit.like(a, b, c, used, before, scale)
        counts_by = counted_by
      end
      at, used, before, scale, settled = limit.settle(a, b, c, at, used, before, scale)
      if settled or counts_by > counted_by then
        keep(key, limit, b, c, at, used, before, scale, kept, counts_by)
      end
    end
    answered = answered + 1
    answers[answered] = OUTCOMES[GRANTED]
  end
end

-- The limits of a request that has several or a record, and the usage of each.
local kind, key, cost, a, b, c, used_since, changed_at = {}, {}, {}, {}, {}, {}, {}, {}
local version, created, counted_by, own_b, own_c = {}, {}, {}, {}, {}
local at, used, before, scale, settled, kept, remaining = {}, {}, {}, {}, {}, {}, {}

-- Returns true if all usages can be settled.
local function settle(n)
  for j = 1, n do
    local value = kind[j] and values[key[j]]
    if value and #value ~= USAGE_BYTES then
      return false
    end
    at[j], used[j], before[j], scale[j], kept[j], counted_by[j] = NEVER, 0, 0, 0, 0, 0
    if value then
      at[j], used[j], before[j], scale[j], kept[j], counted_by[j] = read_usage(value)
    end
    if kind[j] then
      if at[j] < since then
        local lost_at, lost_used, lost_before, lost_scale =
            lost(kind[j], a[j], b[j], c[j], used_since[j], changed_at[j])
        if lost_at then
          at[j], used[j], before[j], scale[j] = lost_at, lost_used, lost_before, lost_scale
          counted_by[j] = 0
        end
      end
      own_b[j], own_c[j] = b[j], c[j]
      if is_older(version[j], created[j], at[j], counted_by[j]) then
        b[j], c[j] = kind[j].like(a[j], b[j], c[j], used[j], before[j], scale[j])
      else
        counted_by[j] = version[j]
      end
      at[j], used[j], before[j], scale[j], settled[j] =
          kind[j].settle(a[j], b[j], c[j], at[j], used[j], before[j], scale[j])
      remaining[j] = kind[j].remaining(a[j], b[j], c[j], at[j], used[j], before[j])
    end
  end
  return true
end

local function keep_settled(j)
  keep(key[j], kind[j], b[j], c[j], at[j], used[j], before[j], scale[j], kept[j], counted_by[j])
end

-- Appends to the results; returns true if everything is granted.
local function decide(n, takes)
  local granted = true
  for j = 1, n do
    granted = granted and (not kind[j] or cost[j] <= remaining[j])
  end
  answers[answered] = pack('<BBd', granted and GRANTED or REFUSED, n, now)
  for j = 1, n do
    if kind[j] then
      local left = remaining[j]
      if granted and takes then
        local next_before
        used[j], scale[j], next_before = kind[j].taken(c[j], used[j], cost[j], b[j])
        before[j] = next_before or before[j]
        left = left - cost[j]
      end
      if takes and (granted or settled[j]) then
        keep_settled(j)
      end
      answers[answered + j] = decision(kind[j], cost[j] <= remaining[j],
          a[j], b[j], c[j], at[j], used[j], before[j], cost[j], left)
    else
      answers[answered + j] = pack('<Bdddd', WAITED_FOR, a[j], b[j], c[j], cost[j])
    end
  end
  answered = answered + n
  return granted
end

-- Refunds what a record granted, at the time at which it was granted. A grant from before a loss may
-- have been refunded before as well, which was lost with it; and all that counts since is what was
-- assumed at the loss, which does not depend on it.
local function give_back(n, taken_at, remembered)
  local decision_at = RECORD_BYTES + 1
  if remembered then
    taken_at = unpacked('<d', remembered, BINDING_BYTES + 10)
  end
  for j = 1, n do
    local waited = remembered and string.byte(remembered, decision_at) == WAITED_FOR
    decision_at = decision_at + (waited and 33 or 25)
    if kind[j] and not waited and not (taken_at < since and used_since[j] < since) then
      local units = cost[j]
      if kind[j] == bucket and (b[j] ~= own_b[j] or c[j] ~= own_c[j]) then
        -- A later version has counted: nor what the own rate has refilled, which may have applied.
        local refilled = max(0, at[j] - taken_at) * own_b[j]
        units = floor(max(0, units * own_c[j] - refilled) / own_c[j])
      end
      at[j], used[j], before[j] =
          kind[j].give_back(b[j], c[j], at[j], used[j], before[j], units, taken_at)
      keep_settled(j)
    end
  end
end

-- Adds to the number of further copies of a request that rely on its record. It is in place of the wait
-- of the first decision that took something, which is 0 and which nobody reads. Returns false, and
-- changes nothing, if that would be fewer than none, or if the record has taken nothing.
local function add_copies(record, copies)
  local remembered, at = values[record], RECORD_BYTES + 1
  for _ = 1, string.byte(remembered, BINDING_BYTES + 9) do
    if string.byte(remembered, at) ~= WAITED_FOR then
      local sum = unpacked('<d', remembered, at + 17) + copies
      if sum < 0 then
        return false
      end
      values[record] = string.sub(remembered, 1, at + 16) .. pack('<d', sum)
          .. string.sub(remembered, at + 25)
      ends[record] = unpacked('<d', remembered)
      return true
    end
    at = at + 33
  end
  return false
end

local function replay(remembered, binding)
  local note = string.sub(remembered, 8 + LAYOUT_BYTES + 1, 8 + BINDING_BYTES)
  if string.sub(remembered, 9, 8 + LAYOUT_BYTES) == string.sub(binding, 1, LAYOUT_BYTES) then
    return string.char(REPLAYED) .. note .. string.sub(remembered, 8 + BINDING_BYTES + 1)
  end
  -- The rules have changed since, so the decisions do not belong to these limits.
  return string.char(REPLAYED) .. note .. '\0'
      .. string.sub(remembered, 8 + BINDING_BYTES + 2, RECORD_BYTES)
end

local function work(mode, n, record, micros, binding)
  local readable = settle(n)

  -- A record is the time until which it is valid, the binding, and the result.
  local remembered = record > 0 and values[record]
  if remembered and (#remembered < RECORD_BYTES or unpacked('<d', remembered) <= now) then
    remembered = false
  end
  local reused = remembered
      and string.sub(remembered, 9, 8 + DIGEST_BYTES) ~= string.sub(binding, 1, DIGEST_BYTES)

  if reused then
    answers[answered] = pack('<BBd', REUSED, 0, now)
  elseif (mode == DECIDE or mode == RECALL or mode == JOIN) and remembered then
    answers[answered] = replay(remembered, binding)
    if mode == JOIN then
      add_copies(record, 1)
    end
  elseif mode == RECALL then
    answers[answered] = pack('<BBd', UNKNOWN, 0, now)
  elseif mode == LEAVE and remembered and add_copies(record, -1) then
    answers[answered] = pack('<BBd', UNKNOWN, 0, now)
  elseif not readable then
    answers[answered] = pack('<BBd', UNREADABLE, 0, now)
  elseif mode == DECIDE or mode == PEEK or mode == JOIN then
    local granted = decide(n, mode ~= PEEK)
    if granted and record > 0 then
      values[record] = pack('<d', now + micros) .. binding .. pack('<Bd', n, now)
          .. table.concat(answers, '', answered - n + 1, answered)
      ends[record], kepts[record] = now + micros, now + micros
    end
  else
    local is_known = record == 0 or remembered
    if is_known and (record == 0
        or string.sub(remembered, 9, 8 + LAYOUT_BYTES) == string.sub(binding, 1, LAYOUT_BYTES)) then
      give_back(n, micros, remembered)
    end
    if record > 0 and values[record] then
      values[record] = false
      ends[record] = NEVER
    end
    answers[answered] = pack('<BBd', is_known and GIVEN_BACK or UNKNOWN, 0, now)
  end
end

local requests, position = ARGV[3], 1
local has_peeked = false

while position <= #requests do
  local mode = string.byte(requests, position)
  if mode == TAKE or mode == DECIDE_ONE or mode == SETTLE then
    local many, number, limit_a, limit_b, limit_c, limit_since, limit_changed
    local limit_version, limit_created
    many, number, limit_a, limit_b, limit_c, limit_since, limit_changed, limit_version,
        limit_created, position = unpacked('<HBddddddd', requests, position + 1)
    local parts = {unpacked('<' .. string.rep('Hd', many), requests, position)}
    position = parts[#parts]
    if mode == SETTLE then
      settle_many(kinds[number], limit_a, limit_b, limit_c, limit_since, limit_changed,
          limit_version, limit_created, parts)
    else
      work_on_many(mode == TAKE, kinds[number], limit_a, limit_b, limit_c, limit_since,
          limit_changed, limit_version, limit_created, parts)
    end
  else
    local n, record, micros, number
    n, record, micros, position = unpacked('<BHd', requests, position + 1)
    local binding = ''
    if record > 0 then
      binding = string.sub(requests, position, position + BINDING_BYTES - 1)
      position = position + BINDING_BYTES
    end
    for j = 1, n do
      key[j], cost[j], number, a[j], b[j], c[j], used_since[j], changed_at[j], version[j],
          created[j], position = unpacked('<HdBddddddd', requests, position)
      kind[j] = kinds[number]
    end
    answered = answered + 1
    has_peeked = has_peeked or mode == PEEK
    work(mode, n, record, micros, binding)
  end
end

-- A peek must not report what another server may have lost: a decision would notice the loss.
if (next(ends) and not beat()) or (has_peeked and not is_same_server()) then
  return OTHER_SERVER
end
for i, ending in pairs(ends) do
  if ending <= now then
    call('DEL', KEYS[i])
  elseif kepts[i] then
    call('PSETEX', KEYS[i], ceil_div(kepts[i] - now, 1000) + grace_millis, values[i])
  else
    call('SETRANGE', KEYS[i], '0', values[i])
  end
end

answers[1] = pack('<d', now) .. packed_marker()
return table.concat(answers)
