-- Checks messages of a user against the user's entry, one after the other, and counts them.
--
-- KEYS[1]  the entry: a hash, see hot-learn.lua
-- ARGV[1]  the time in microseconds; empty for the clock of Redis
-- ARGV[2]  the version of the user's limit that the node knows
-- ARGV[3]  how long a full entry is trusted, in microseconds
-- ARGV     from the fourth on: the parts of each message
-- Returns  empty if there is no entry. Else packed: the time until the entry ends, the limit, its
--          window in microseconds, 1 for a sliding window; and for each message a result and the
--          units that remain

local UNKNOWN, COUNTED, REFUSED = 0, 1, 2
local FIRST = 4

local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end

local entry = redis.call('HMGET', KEYS[1], 'rateLimit', 'currentCount', 'version', 'endsAt',
  'confirmedAt', 'costBy', 'algorithm', 'windowMicros')
for i = 1, 8 do
  if not entry[i] then
    return ''
  end
end
local limit, count, version = tonumber(entry[1]), tonumber(entry[2]), tonumber(entry[3])
local ends, confirmed = tonumber(entry[4]), tonumber(entry[5])
local is_by_parts, is_sliding = entry[6] == 'PARTS', entry[7] == 'SLIDING_WINDOW'

if version < tonumber(ARGV[2]) or ends <= now then
  redis.call('DEL', KEYS[1])
  return ''
end

local trust = tonumber(ARGV[3])
local counted, is_confirming = 0, false

local function check(cost)
  if cost > limit then
    return UNKNOWN
  end
  if count + cost <= limit then
    -- A sliding window gains units as time passes, so only the database counts there.
    if is_sliding then
      return UNKNOWN
    end
    -- The window begins with the first message: only the database knows when.
    local result = count > 0 and COUNTED or UNKNOWN
    count = count + cost
    counted = counted + cost
    return result
  end
  -- The entry of a sliding window ends when one unit is available, which is too early for others.
  if is_sliding and cost > 1 then
    return UNKNOWN
  end
  local age = now - confirmed
  if age < 0 or age >= trust then
    -- This message asks the database. Whatever it answers replaces the entry, even if it has lost
    -- commits and counts less than before.
    confirmed = now
    is_confirming = true
    return UNKNOWN
  end
  return REFUSED
end

local results = {struct.pack('<dddd', ends - now, limit, tonumber(entry[8]),
  is_sliding and 1 or 0)}
for i = FIRST, #ARGV do
  local result = check(is_by_parts and tonumber(ARGV[i]) or 1)
  results[#results + 1] = struct.pack('<bd', result, limit - count)
end
if counted > 0 then
  redis.call('HINCRBY', KEYS[1], 'currentCount', counted)
end
if is_confirming then
  redis.call('HSET', KEYS[1], 'confirmedAt', string.format('%.0f', now), 'isConfirming', '1')
end
return table.concat(results)
