-- Works on a list of demands, one after the other, in one atomic step.
--
-- It repeats the arithmetic of dev.weir.core.limits line by line; the compatibility kit proves it
-- equal. All numbers are whole and at most 2^53, so that doubles are exact, and for such numbers
-- floor(a / b) is exact as well.
--
-- KEYS     the usages and the records of request ids that the demands name by their index, each once
-- ARGV[1]  the time in microseconds; empty for the clock of Redis
-- ARGV[2]  the demands, packed: mode, number of asks, index of the record or 0, a time; and for each
--          ask its kind, index of the usage, cost and the three terms of the limit
-- Returns the answers, packed: outcome, number of decisions, time; and for each decision whether it
-- is allowed, what remains, reset and wait.

local floor, max, min = math.floor, math.max, math.min
local pack, unpacked = struct.pack, struct.unpack

local DECIDE, PEEK = 0, 1
local REFUSED, GRANTED, REPLAYED, UNREADABLE, GIVEN_BACK = 0, 1, 2, 3, 4
local NEVER, MOST = -62135596800000000, 9007199254740992
local MOST_IN_WINDOW, FINEST = 8589934592, 1048576

local now = tonumber(ARGV[1])
-- Expiry goes by the clock of Redis. A test whose clock stands still must not lose its keys by it.
local grace_millis = now and 3600000 or 1
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end

local function ceil_div(a, b)
  local quotient = floor(a / b)
  if quotient * b < a then
    return quotient + 1
  end
  return quotient
end

-- Each kind of limit: terms a, b, c, then the usage.

-- a limit, b window, c 1 if windows are aligned to the epoch
local function window_start(b, c, micros)
  if c == 1 then
    return floor(micros / b) * b
  end
  return micros
end

local fixed = {
  settle = function(a, b, c, at, used, before, scale)
    if used == 0 or now >= window_start(b, c, at) + b then
      return window_start(b, c, now), 0, 0, 1
    end
    return at, used, before, scale
  end,
  remaining = function(a, b, c, at, used, before)
    return max(0, a - used)
  end,
  taken = function(c, used, cost)
    return used + cost, 1
  end,
  wait = function(a, b, c, at, used, before, cost)
    if cost <= a - used then
      return 0
    end
    return window_start(b, c, at) + b - now
  end,
  give_back = function(b, c, at, used, before, cost, taken_at)
    if taken_at < at then
      return used, before
    end
    return max(0, used - cost), 0
  end,
  idle = function(b, c, at, used, before)
    if used == 0 then
      return 0
    end
    return window_start(b, c, at) + b - now
  end
}

-- a limit, b window
local function tick_of(b)
  return ceil_div(b, FINEST)
end

local function slide(b, at, used, before)
  local start = floor(now / b) * b
  if start <= at then
    return at, used, before
  elseif start == at + b then
    return start, 0, used
  end
  return start, 0, 0
end

-- The part that is left is rounded up, hence the ticks of a whole window down.
local function ticks_of(b)
  return floor(b / tick_of(b))
end

local function weighed(b, at, used, before)
  if before == 0 then
    return used
  end
  local ticks = ticks_of(b)
  local ticks_left = min(ceil_div(at + b - max(now, at), tick_of(b)), ticks)
  return used + ceil_div(before * ticks_left, ticks)
end

-- The most that may be left of a window so that before weighs at most this.
local function most_left(b, weight, before)
  if weight >= before then
    return b
  end
  return floor(weight * ticks_of(b) / before) * tick_of(b)
end

local sliding = {
  settle = function(a, b, c, at, used, before, scale)
    if scale ~= b and (used > 0 or before > 0) then
      local start, start_before = floor(at / b) * b, floor((at - scale) / b) * b
      used, before = min(used + (start_before == start and before or 0), MOST_IN_WINDOW),
          start_before == start - b and before or 0
      at = start
    end
    if used == 0 and before == 0 then
      return floor(now / b) * b, 0, 0, b
    end
    at, used, before = slide(b, at, used, before)
    return at, used, before, b
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
    local left_here = here < 0 and 0 or most_left(b, here, before)
    local following = at + b
    if left_here > 0 then
      return following - left_here - now
    end
    return following + b - most_left(b, a - cost, used) - now
  end,
  give_back = function(b, c, at, used, before, cost, taken_at)
    if taken_at >= at then
      return max(0, used - cost), before
    elseif taken_at >= at - b then
      return used, max(0, before - cost)
    end
    return used, before
  end,
  idle = function(b, c, at, used, before)
    if used == 0 and before == 0 then
      return 0
    end
    return at + (used > 0 and 2 or 1) * b - now
  end
}

-- a capacity, b refill tokens, c refill micros; used is the debt
local bucket = {
  settle = function(a, b, c, at, used, before, scale)
    if scale ~= c and used > 0 then
      used = min(ceil_div(used, scale), floor(MOST / c)) * c
    end
    local elapsed = max(0, now - at)
    if elapsed >= ceil_div(used, b) then
      used = 0
    else
      used = used - elapsed * b
    end
    return max(now, at), used, 0, c
  end,
  remaining = function(a, b, c, at, used, before)
    return max(0, floor((a * c - used) / c))
  end,
  taken = function(c, used, cost)
    return used + cost * c, c
  end,
  wait = function(a, b, c, at, used, before, cost)
    local excess = used - (a - cost) * c
    if excess <= 0 then
      return 0
    end
    -- In this order: the sum of the first two need not fit.
    return ceil_div(excess, b) + (at - now)
  end,
  give_back = function(b, c, at, used, before, cost, taken_at)
    return max(0, used - cost * c), 0
  end,
  idle = function(b, c, at, used, before)
    if used == 0 then
      return 0
    end
    return ceil_div(used, b) + (at - now)
  end
}

local kinds = {fixed, sliding, bucket}

-- What the keys hold: read at once, written at the end, however many demands share a key.

local values = {}
for from = 1, #KEYS, 1000 do
  local part = redis.call('MGET', unpack(KEYS, from, min(from + 999, #KEYS)))
  for i = 1, #part do
    values[from + i - 1] = part[i]
  end
end

local ats, useds, befores, scales = {}, {}, {}, {}
local expiries = {}

-- False if the key holds something that is no usage.
local function load(key)
  if ats[key] then
    return true
  end
  local value = values[key]
  if not value then
    ats[key], useds[key], befores[key], scales[key] = NEVER, 0, 0, 0
    return true
  end
  if #value ~= 32 then
    return false
  end
  ats[key], useds[key], befores[key], scales[key] = unpacked('<dddd', value)
  return true
end

local function keep(key, idle_micros, at, used, before, scale)
  ats[key], useds[key], befores[key], scales[key] = at, used, before, scale
  expiries[key] = idle_micros
  values[key] = nil
end

-- The asks of the demand at hand, and what is used of each.
local kind, key, cost, a, b, c = {}, {}, {}, {}, {}, {}
local at, used, before, scale, remaining = {}, {}, {}, {}, {}

local function decision(j, is_allowed, left)
  local limit, next_reset, wait = kind[j], 0, 0
  if left < a[j] then
    next_reset = limit.wait(a[j], b[j], c[j], at[j], used[j], before[j], left + 1)
  end
  if not is_allowed then
    wait = limit.wait(a[j], b[j], c[j], at[j], used[j], before[j], cost[j])
  end
  return pack('<Bddd', is_allowed and 1 or 0, left, next_reset, wait)
end

local answers, answered = {}, 0

-- Appends to the answers, and tells whether all is granted.
local function decide(n, takes)
  local granted = true
  for j = 1, n do
    granted = granted and cost[j] <= remaining[j]
  end
  answers[answered + 1] = pack('<BBd', granted and GRANTED or REFUSED, n, now)
  for j = 1, n do
    local left = remaining[j]
    if granted and takes then
      used[j], scale[j] = kind[j].taken(c[j], used[j], cost[j], b[j])
      left = left - cost[j]
      keep(key[j], kind[j].idle(b[j], c[j], at[j], used[j], before[j]),
          at[j], used[j], before[j], scale[j])
    end
    answers[answered + 1 + j] = decision(j, cost[j] <= remaining[j], left)
  end
  answered = answered + 1 + n
  return granted
end

local function give_back(n, taken_at)
  for j = 1, n do
    used[j], before[j] =
        kind[j].give_back(b[j], c[j], at[j], used[j], before[j], cost[j], taken_at)
    keep(key[j], kind[j].idle(b[j], c[j], at[j], used[j], before[j]),
        at[j], used[j], before[j], scale[j])
  end
end

local function answer_shortly(outcome)
  answered = answered + 1
  answers[answered] = pack('<BBd', outcome, 0, now)
end

local demands, position = ARGV[2], 1

while position <= #demands do
  local mode, n, record, micros
  mode, n, record, micros, position = unpacked('<BBHd', demands, position)
  local readable = true
  for j = 1, n do
    local number
    number, key[j], cost[j], a[j], b[j], c[j], position = unpacked('<BHdddd', demands, position)
    kind[j] = kinds[number]
    local i = key[j]
    if load(i) then
      at[j], used[j], before[j], scale[j] =
          kind[j].settle(a[j], b[j], c[j], ats[i], useds[i], befores[i], scales[i])
      remaining[j] = kind[j].remaining(a[j], b[j], c[j], at[j], used[j], before[j])
    else
      readable = false
    end
  end

  -- A record is the time until which it counts, and the answer.
  local remembered = record > 0 and values[record]
  if remembered and (#remembered < 17 or unpacked('<d', remembered) <= now) then
    remembered = false
  end

  if mode == DECIDE and remembered then
    answered = answered + 1
    answers[answered] = string.char(REPLAYED) .. string.sub(remembered, 9)
  elseif not readable then
    answer_shortly(UNREADABLE)
  elseif mode == DECIDE or mode == PEEK then
    local granted = decide(n, mode == DECIDE)
    if granted and record > 0 then
      values[record] = pack('<dBd', now + micros, n, now)
          .. table.concat(answers, '', answered - n + 1, answered)
      expiries[record] = micros
    end
  else
    if record == 0 or remembered then
      give_back(n, micros)
    end
    if record > 0 and values[record] then
      values[record] = false
      expiries[record] = 0
    end
    answer_shortly(GIVEN_BACK)
  end
end

for i, idle_micros in pairs(expiries) do
  if idle_micros <= 0 then
    redis.call('DEL', KEYS[i])
  else
    local value = values[i] or pack('<dddd', ats[i], useds[i], befores[i], scales[i])
    redis.call('PSETEX', KEYS[i], ceil_div(idle_micros, 1000) + grace_millis, value)
  end
end

return table.concat(answers)
