-- Finds out whether Redis has lost what it kept. Each script begins with this text.
--
-- KEYS[1]  the marker of the slot: since when all that was written is here, and when the marker
--          was last written; packed. A marker never expires
-- ARGV[1]  the time in microseconds; empty for the clock of Redis
-- ARGV[2]  the latest marker that the node has seen; empty if it has seen none. With a further byte,
--          KEYS[1] is not the marker but another of the keys, and the node's word is taken: while a
--          slot of a Cluster is moved, Redis reaches only one key at a time
--
-- What Redis holds after a restart or a failover is the beginning of what was written, in order. So
-- if the marker is missing or older than one that a node has seen, writes were lost.

local floor, max, min = math.floor, math.max, math.min
local pack, unpacked, call = struct.pack, struct.unpack, redis.call
local NEVER = -62135596800000000

-- The marker is written at most this often: losses that are shorter are not noticed.
local BEAT = 1000000

local now = tonumber(ARGV[1])
-- Expiry goes by the clock of Redis. A test whose clock stands still must not lose its keys by it.
local grace_millis = now and 3600000 or 1
if not now then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
end

local since, beaten_at = NEVER, NEVER
local MARKER_BYTES = 16
local is_out_of_reach = #ARGV[2] > MARKER_BYTES

local function write_marker()
  beaten_at = now
  call('SET', KEYS[1], pack('<dd', since, beaten_at))
end

-- Takes the marker as it was read; false if there is none and the node has never seen one, so that
-- it has to find out whether this is the first use or a loss.
local function read_marker(marker)
  if is_out_of_reach then
    since, beaten_at = unpacked('<dd', ARGV[2])
    return true
  end
  if marker then
    since, beaten_at = unpacked('<dd', marker)
  end
  if #ARGV[2] == 0 then
    return marker and true or false
  end
  local seen_since, seen_beaten_at = unpacked('<dd', ARGV[2])
  if not marker or since < seen_since
      or (since == seen_since and beaten_at < seen_beaten_at) then
    -- The clock of another server may be behind; what is newer must still be greater.
    since = max(now, since + 1, seen_since + 1)
    write_marker()
  end
  return true
end

-- To be called by whatever writes something.
local function beat()
  if now - beaten_at >= BEAT and not is_out_of_reach then
    write_marker()
  end
end

