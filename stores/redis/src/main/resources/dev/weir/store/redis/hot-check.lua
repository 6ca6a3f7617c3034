-- Checks a message against the entry of its user, and counts it.
--
-- KEYS[1]  the entry: a hash, see hot-learn.lua
-- ARGV[1]  the time in microseconds; empty for the clock of Redis
-- ARGV[2]  the parts of the message
-- ARGV[3]  the version of the user's limit that the node knows
-- ARGV[4]  how long a full entry is trusted, in microseconds
-- Returns  empty if the database must decide; else packed numbers: the units that remain, the time
--          until the entry ends, the limit, its window in microseconds, 1 for a sliding window

local PASS = ''

local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end

local entry = redis.call('HMGET', KEYS[1], 'rateLimit', 'currentCount', 'version', 'endsAt',
  'confirmedAt', 'costBy', 'algorithm', 'windowMicros')
for i = 1, 8 do
  if not entry[i] then
    return PASS
  end
end
local limit, count, version = tonumber(entry[1]), tonumber(entry[2]), tonumber(entry[3])
local ends, confirmed = tonumber(entry[4]), tonumber(entry[5])
local is_sliding = entry[7] == 'SLIDING_WINDOW'

if version < tonumber(ARGV[3]) or ends <= now then
  redis.call('DEL', KEYS[1])
  return PASS
end

local cost = entry[6] == 'PARTS' and tonumber(ARGV[2]) or 1
if cost > limit then
  return PASS
end
if count + cost <= limit then
  -- A sliding window gains units as time passes, so only the database counts there.
  if not is_sliding then
    redis.call('HINCRBY', KEYS[1], 'currentCount', cost)
  end
  return PASS
end
-- The entry of a sliding window ends when one unit is available, which is too early for others.
if is_sliding and cost > 1 then
  return PASS
end

local age = now - confirmed
if age < 0 or age >= tonumber(ARGV[4]) then
  -- This message asks the database. Whatever it answers replaces the entry, even if it has lost
  -- commits and counts less than before.
  redis.call('HSET', KEYS[1], 'confirmedAt', string.format('%.0f', now), 'isConfirming', '1')
  return PASS
end
return struct.pack('<ddddd', limit - count, ends - now, limit, tonumber(entry[8]),
  is_sliding and 1 or 0)
