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
local pack, unpacked, call = struct.pack, struct.unpack, redis.call

local DECIDE, PEEK = 0, 1
local REFUSED, GRANTED, REPLAYED, UNREADABLE, GIVEN_BACK = 0, 1, 2, 3, 4
local NEVER, MOST = -62135596800000000, 9007199254740992
local MOST_IN_WINDOW, FINEST = 8589934592, 1048576

-- A usage is kept for so much longer than it is of use, so that one that is soon written again need
-- not be given another time to live, which is most of what writing costs.
local SLACK = 10000000

local now = tonumber(ARGV[1])
-- Expiry goes by the clock of Redis. A test whose clock stands still must not lose its keys by it.
local grace_millis = now and 3600000 or 1
if not now then
  local time = call('TIME')
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

-- What the keys hold: read at once, written at the end, however many demands share a key. A usage
-- is its four numbers and the time until which Redis keeps it at least.

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

-- What is to be written, by key: how long it is of use, and until when it is kept if that is new.
local expiries, kepts = {}, {}

-- The usage of a key; nothing if it holds something else.
local function load(key)
  local value = values[key]
  if not value then
    return NEVER, 0, 0, 0, 0
  end
  if #value ~= 40 then
    return nil
  end
  return unpacked('<ddddd', value)
end

local function keep(key, idle, kept, at, used, before, scale)
  if now + idle > kept then
    kept = now + idle + SLACK
    kepts[key] = kept
  end
  expiries[key] = idle
  values[key] = pack('<ddddd', at, used, before, scale, kept)
end

local answers, answered = {}, 0

-- Decides by one limit alone, which is what nearly all demands want.
local function decide_one(takes, limit, key, cost, a, b, c)
  local at, used, before, scale, kept = load(key)
  if not at then
    answers[answered] = pack('<BBd', UNREADABLE, 0, now)
    return
  end
  at, used, before, scale = limit.settle(a, b, c, at, used, before, scale)
  local left = limit.remaining(a, b, c, at, used, before)
  if cost > left then
    answers[answered] = pack('<BBdBddd', REFUSED, 1, now, 0, left,
        left < a and limit.wait(a, b, c, at, used, before, left + 1) or 0,
        limit.wait(a, b, c, at, used, before, cost))
    return
  end
  if takes then
    used, scale = limit.taken(c, used, cost, b)
    left = left - cost
    keep(key, limit.idle(b, c, at, used, before), kept, at, used, before, scale)
  end
  answers[answered] = pack('<BBdBddd', GRANTED, 1, now, 1, left,
      left < a and limit.wait(a, b, c, at, used, before, left + 1) or 0, 0)
end

-- The asks of a demand that has several or a record, and what is used of each.
local kind, key, cost, a, b, c = {}, {}, {}, {}, {}, {}
local at, used, before, scale, kept, remaining = {}, {}, {}, {}, {}, {}

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

-- Whether all can be settled.
local function settle(n)
  for j = 1, n do
    at[j], used[j], before[j], scale[j], kept[j] = load(key[j])
    if not at[j] then
      return false
    end
    at[j], used[j], before[j], scale[j] =
        kind[j].settle(a[j], b[j], c[j], at[j], used[j], before[j], scale[j])
    remaining[j] = kind[j].remaining(a[j], b[j], c[j], at[j], used[j], before[j])
  end
  return true
end

local function keep_settled(j)
  keep(key[j], kind[j].idle(b[j], c[j], at[j], used[j], before[j]), kept[j],
      at[j], used[j], before[j], scale[j])
end

-- Appends to the answers, and tells whether all is granted.
local function decide(n, takes)
  local granted = true
  for j = 1, n do
    granted = granted and cost[j] <= remaining[j]
  end
  answers[answered] = pack('<BBd', granted and GRANTED or REFUSED, n, now)
  for j = 1, n do
    local left = remaining[j]
    if granted and takes then
      used[j], scale[j] = kind[j].taken(c[j], used[j], cost[j], b[j])
      left = left - cost[j]
      keep_settled(j)
    end
    answers[answered + j] = decision(j, cost[j] <= remaining[j], left)
  end
  answered = answered + n
  return granted
end

local function give_back(n, taken_at)
  for j = 1, n do
    used[j], before[j] =
        kind[j].give_back(b[j], c[j], at[j], used[j], before[j], cost[j], taken_at)
    keep_settled(j)
  end
end

local function work(mode, n, record, micros)
  local readable = settle(n)

  -- A record is the time until which it counts, and the answer.
  local remembered = record > 0 and values[record]
  if remembered and (#remembered < 17 or unpacked('<d', remembered) <= now) then
    remembered = false
  end

  if mode == DECIDE and remembered then
    answers[answered] = string.char(REPLAYED) .. string.sub(remembered, 9)
  elseif not readable then
    answers[answered] = pack('<BBd', UNREADABLE, 0, now)
  elseif mode == DECIDE or mode == PEEK then
    local granted = decide(n, mode == DECIDE)
    if granted and record > 0 then
      values[record] = pack('<dBd', now + micros, n, now)
          .. table.concat(answers, '', answered - n + 1, answered)
      expiries[record], kepts[record] = micros, now + micros
    end
  else
    if record == 0 or remembered then
      give_back(n, micros)
    end
    if record > 0 and values[record] then
      values[record] = false
      expiries[record] = 0
    end
    answers[answered] = pack('<BBd', GIVEN_BACK, 0, now)
  end
end

local demands, position = ARGV[2], 1

while position <= #demands do
  local mode, n, record, micros, number
  mode, n, record, micros, number, key[1], cost[1], a[1], b[1], c[1], position =
      unpacked('<BBHdBHdddd', demands, position)
  answered = answered + 1
  if n == 1 and record == 0 and mode <= PEEK then
    decide_one(mode == DECIDE, kinds[number], key[1], cost[1], a[1], b[1], c[1])
  else
    kind[1] = kinds[number]
    for j = 2, n do
      number, key[j], cost[j], a[j], b[j], c[j], position = unpacked('<BHdddd', demands, position)
      kind[j] = kinds[number]
    end
    work(mode, n, record, micros)
  end
end

for i, idle in pairs(expiries) do
  if idle <= 0 then
    call('DEL', KEYS[i])
  elseif kepts[i] then
    call('PSETEX', KEYS[i], ceil_div(kepts[i] - now, 1000) + grace_millis, values[i])
  else
    call('SETRANGE', KEYS[i], '0', values[i])
  end
end

return table.concat(answers)
