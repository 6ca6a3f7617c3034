-- Stores what the database has returned about a user, unless the entry is newer.
--
-- KEYS[1]  the entry: a hash of
--            rateLimit, windowMicros, costBy, algorithm, version  the limit
--            currentCount  the units in use, and those of messages that are being decided
--            revision      number of the last change that the database has returned
--            endsAt        when the window ends, or a sliding one has a unit left; a time of Redis
--            confirmedAt   when the database was last asked; a time of Redis
--            isConfirming  1 while a message asks the database
-- ARGV[1]  the time in microseconds; empty for the clock of Redis
-- ARGV[2]  rateLimit, windowMicros, costBy, algorithm, version, currentCount, revision: up to
--          ARGV[8]
-- ARGV[9]  the time until the entry ends, in microseconds

local now = tonumber(ARGV[1])
-- Expiry goes by the clock of Redis. A test whose clock stands still must not lose its keys by it.
local grace_millis = now and 3600000 or 1
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end

local version, revision = tonumber(ARGV[6]), tonumber(ARGV[8])
local entry = redis.pcall('HMGET', KEYS[1], 'version', 'revision', 'isConfirming')
if entry.err then
  -- The key is no hash.
  redis.call('DEL', KEYS[1])
  entry = {}
end
local known_version, known_revision = tonumber(entry[1]), tonumber(entry[2])
if known_version and known_revision and entry[3] ~= '1' then
  -- The same revision is stored: messages that were counted here have been refused by the database.
  if version < known_version or (version == known_version and revision < known_revision) then
    return ''
  end
end

local micros = tonumber(ARGV[9])
redis.call('HSET', KEYS[1], 'rateLimit', ARGV[2], 'windowMicros', ARGV[3], 'costBy', ARGV[4],
  'algorithm', ARGV[5], 'version', ARGV[6], 'currentCount', ARGV[7], 'revision', ARGV[8],
  'isConfirming', '0', 'confirmedAt', string.format('%.0f', now), 'endsAt', string.format('%.0f', now + micros))
redis.call('PEXPIRE', KEYS[1], math.ceil(micros / 1000) + grace_millis)
return ''
