-- Executes one step on the leases of a resource. It repeats dev.weir.limits.Concurrency and
-- Queue; the compatibility kit proves it equal.
--
-- KEYS[1]  the marker
-- KEYS[2]  the leases: a sorted set of their ids by the time at which they end
-- KEYS[3]  a hash of the leases with more than one place: '+' and the id, to the places; and '=' to
--          the sum of their places beyond one each
-- ARGV     the time and the latest marker, see marker.lua; then what to do, and its arguments
-- Returns  what the node has to determine first, see marker.lua; else the marker, outcome, places held
--          by all, places of the lease, its end, wait, packed

local GONE, HELD, FULL = 0, 1, 2

if not read_marker(call('GET', KEYS[1])) then
  return NO_MARKER
end
local action, id = ARGV[3], ARGV[4]
local leases, extras = KEYS[2], KEYS[3]

local function answer(outcome, all, places, ends, wait)
  return packed_marker() .. pack('<Bdddd', outcome, all, places, ends, wait)
end

local beyond = tonumber(redis.call('HGET', extras, '=') or 0)

local function places_of(lease)
  if beyond == 0 then
    return 1
  end
  return tonumber(redis.call('HGET', extras, '+' .. lease) or 1)
end

local function drop_places(lease)
  local places = places_of(lease)
  if places > 1 then
    beyond = beyond - (places - 1)
    if beyond == 0 then
      redis.call('DEL', extras)
    else
      redis.call('HDEL', extras, '+' .. lease)
      redis.call('HSET', extras, '=', beyond)
    end
  end
end

local function ended()
  return redis.call('ZRANGEBYSCORE', leases, '-inf', now)
end

-- Until this time, all places may be held by leases that were lost. The time since which leases may
-- have been granted is unknown if the caller only counts those that are here. Leases that were granted
-- with a former, longer time to live end at held_until.
local function lost_until(given_since, micros, held_until)
  return given_since and given_since < since and max(since + micros, held_until) or NEVER
end

-- current: max places, the time after which all lost leases have ended, the time since which leases
-- may have been granted, the time at which former leases end; or nothing.
if action == 'current' then
  if not is_same_server() then
    return OTHER_SERVER
  end
  local held = redis.call('ZCOUNT', leases, '(' .. string.format('%.0f', now), '+inf') + beyond
  if beyond > 0 then
    for _, lease in ipairs(ended()) do
      held = held - (places_of(lease) - 1)
    end
  end
  if now < lost_until(tonumber(ARGV[7]), tonumber(ARGV[6]), tonumber(ARGV[8])) then
    held = max(held, tonumber(ARGV[5]))
  end
  return answer(GONE, held, 0, 0, 0)
end

if beyond > 0 then
  for _, lease in ipairs(ended()) do
    drop_places(lease)
  end
end
redis.call('ZREMRANGEBYSCORE', leases, '-inf', now)

local function held_by_all()
  return redis.call('ZCARD', leases) + beyond
end

-- Returns the time until leases with that number of places have ended. Each lease has at least one
-- place; beyond a max number of places, those of each lease are not looked up, and the wait may be too
-- long.
local MAX_INSPECTED = 1000

local function wait(places)
  if beyond == 0 or places > MAX_INSPECTED then
    local last = redis.call('ZRANGE', leases, places - 1, places - 1, 'WITHSCORES')
    if #last == 0 then
      last = redis.call('ZRANGE', leases, -1, -1, 'WITHSCORES')
    end
    return tonumber(last[2]) - now
  end
  local freed, from = 0, 0
  while true do
    local part = redis.call('ZRANGE', leases, from, from + 99, 'WITHSCORES')
    for i = 1, #part, 2 do
      freed = freed + places_of(part[i])
      if freed >= places then
        return tonumber(part[i + 1]) - now
      end
    end
    if #part == 0 then
      error('only ' .. freed .. ' places are held, not ' .. places)
    end
    from = from + 100
  end
end

local function hold(places, ends)
  redis.call('ZADD', leases, ends, id)
  if places > 1 then
    beyond = beyond + places - 1
    redis.call('HSET', extras, '+' .. id, places, '=', beyond)
  end
end

-- The keys end with the last lease, by its own time: one counted from a time that Redis has read at
-- another moment of this step might end the keys before the lease.
local function expire()
  local last = redis.call('ZREVRANGE', leases, 0, 0, 'WITHSCORES')
  local command, millis = 'PEXPIREAT', math.ceil(last[2] / 1000) + grace_millis
  if is_test_clock then
    command, millis = 'PEXPIRE', math.ceil((last[2] - now) / 1000) + grace_millis
  end
  redis.call(command, leases, millis)
  if beyond > 0 then
    redis.call(command, extras, millis)
  end
end

local ends = tonumber(redis.call('ZSCORE', leases, id) or nil)

if action == 'release' then
  if ends then
    if not beat() then
      return OTHER_SERVER
    end
    drop_places(id)
    redis.call('ZREM', leases, id)
  end
  return answer(GONE, held_by_all(), 0, 0, 0)
end

if action == 'renew' then
  if not ends then
    return answer(GONE, held_by_all(), 0, 0, 0)
  end
  -- A clock that stepped backwards must not shorten the lease.
  ends = max(ends, now + tonumber(ARGV[5]))
  if not beat() then
    return OTHER_SERVER
  end
  redis.call('ZADD', leases, ends, id)
  expire()
  return answer(HELD, held_by_all(), places_of(id), ends, 0)
end

-- release_after: the delay. The keys keep their expiry, which is later.
if action == 'release_after' then
  if not ends then
    return answer(GONE, held_by_all(), 0, 0, 0)
  end
  ends = math.min(ends, now + tonumber(ARGV[5]))
  if not beat() then
    return OTHER_SERVER
  end
  redis.call('ZADD', leases, ends, id)
  return answer(HELD, held_by_all(), places_of(id), ends, 0)
end

-- acquire: places, max places, time to live. join: 1, max places, delay for each place. Then the time
-- since which leases may have been granted, and the time at which former leases end.
local places, max_places, micros = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local given_since = tonumber(ARGV[8])
local held = held_by_all()
-- Nor the lease of this id: it may have been released, and its place given to another, which was lost.
local all_free_at = lost_until(
  given_since, action == 'join' and max_places * micros or micros, tonumber(ARGV[9]))
if now < all_free_at then
  return answer(FULL, max_places, 0, 0, all_free_at - now)
end
if ends then
  return answer(HELD, held, places_of(id), ends, 0)
end
if places > max_places - held then
  return answer(FULL, held, 0, 0, wait(places - (max_places - held)))
end
ends = now + (action == 'join' and (held + 1) * micros or micros)
if not beat() then
  return OTHER_SERVER
end
hold(places, ends)
expire()
return answer(HELD, held + places, places, ends, 0)
