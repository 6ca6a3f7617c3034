-- Checks messages of users against the users' entries, one after the other, and counts them.
--
-- KEYS     the entries: hashes, see hot-learn.lua
-- ARGV[1]  the time in microseconds; empty for the clock of Redis
-- ARGV[2]  how long a full entry is trusted, in microseconds
-- ARGV     from the third on, for each entry: the version of the user's limit that the node knows,
--          the number of messages, and the parts of each message
-- Returns  packed, for each entry: 0 if there is none. Else 1, the time until the entry ends, the
--          limit, its window in microseconds, 1 for a sliding window; and for each message a
--          result and the units that remain

local UNKNOWN, COUNTED, REFUSED = 0, 1, 2
local NO_ENTRY = struct.pack('<b', 0)

local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end
local trust = tonumber(ARGV[2])

local results = {}

local function check_all(key, min_version, first, last)
  -- Fails for a key that is no hash. Others may write to this Redis, and one user's key must not
  -- fail the check of all.
  local entry = redis.pcall('HMGET', key, 'rateLimit', 'currentCount', 'version', 'endsAt',
    'confirmedAt', 'costBy', 'algorithm', 'windowMicros')
  if entry.err then
    redis.call('DEL', key)
    results[#results + 1] = NO_ENTRY
    return
  end
  for i = 1, 8 do
    if not entry[i] then
      results[#results + 1] = NO_ENTRY
      return
    end
  end
  local limit, count, version = tonumber(entry[1]), tonumber(entry[2]), tonumber(entry[3])
  local ends, confirmed, window = tonumber(entry[4]), tonumber(entry[5]), tonumber(entry[8])
  local is_by_parts, is_sliding = entry[6] == 'PARTS', entry[7] == 'SLIDING_WINDOW'

  local is_readable = limit and count and version and ends and confirmed and window
  if not is_readable or version < min_version or ends <= now then
    redis.call('DEL', key)
    results[#results + 1] = NO_ENTRY
    return
  end

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
    -- The entry of a sliding window ends when one unit is available, which is too early for
    -- others.
    if is_sliding and cost > 1 then
      return UNKNOWN
    end
    local age = now - confirmed
    if age < 0 or age >= trust then
      -- This message asks the database. Whatever it answers replaces the entry, even if it has
      -- lost commits and counts less than before.
      confirmed = now
      is_confirming = true
      return UNKNOWN
    end
    return REFUSED
  end

  results[#results + 1] = struct.pack('<bdddd', 1, ends - now, limit, window,
    is_sliding and 1 or 0)
  for i = first, last do
    local result = check(is_by_parts and tonumber(ARGV[i]) or 1)
    results[#results + 1] = struct.pack('<bd', result, limit - count)
  end
  if counted > 0 then
    redis.call('HINCRBY', key, 'currentCount', counted)
  end
  if is_confirming then
    redis.call('HSET', key, 'confirmedAt', string.format('%.0f', now), 'isConfirming', '1')
  end
end

local next = 3
for _, key in ipairs(KEYS) do
  local messages = tonumber(ARGV[next + 1])
  check_all(key, tonumber(ARGV[next]), next + 2, next + 1 + messages)
  next = next + 2 + messages
end
return table.concat(results)
