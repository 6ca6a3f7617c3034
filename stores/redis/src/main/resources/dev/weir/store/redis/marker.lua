-- Detects whether Redis has lost data. Each script begins with this text.
--
-- KEYS[1]  the marker of the slot, packed: the time since which all writes are present; the time at
--          which the marker was last written; the server that wrote it; and the time in the marker
--          of another server when this one took over. A marker never expires
-- ARGV[1]  the time in microseconds; empty for the clock of Redis
-- ARGV[2]  the latest marker that the node has seen; empty if it has seen none. With a further byte,
--          KEYS[1] is not the marker but another of the keys, and the node's marker is used: while a
--          slot of a Cluster is moved, Redis can access only one key at a time
--
-- After a restart or a failover, Redis holds a prefix of what was written. So if the marker is missing
-- or older than one that a node has seen, writes were lost. The next server writes later markers than
-- those that were lost; therefore it also records the last marker that it found, and every node that
-- has seen a later one of another server detects the loss.

local floor, max, min = math.floor, math.max, math.min
local pack, unpacked, call = struct.pack, struct.unpack, redis.call
local NEVER = -62135596800000000

-- The min time between two writes of the marker: shorter losses are not detected. While the clock is
-- behind the marker, each write of data writes it as well.
local BEAT = 1000000

-- Returned by a script that has done nothing, because the node first has to determine whether this is
-- the first use or a loss, or which markers other nodes have seen of the server before this one.
local NO_MARKER, OTHER_SERVER = '', '\1'

-- In place of the marker until the history has recorded the first use. Nothing is granted by it, so
-- that nothing can be lost of which the history does not know.
local FIRST_USE = 'first use'

local now = tonumber(ARGV[1])
-- Expiry goes by the clock of Redis. A test whose clock stands still must not lose its keys by it.
local is_test_clock = now ~= nil
local grace_millis = is_test_clock and 3600000 or 1
if not is_test_clock then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
end

local since, beaten_at, server, joined_at = NEVER, NEVER, 0, NEVER
local MARKER_BYTES = 32
local is_out_of_reach = #ARGV[2] > MARKER_BYTES

-- Redis gets a new replication id whenever it starts or becomes a master, so that data may be missing.
-- 48 bits of it fit into a whole number.
local function this_server()
  local id = string.match(call('INFO', 'replication'), 'master_replid:(%x+)')
  return id and tonumber(string.sub(id, 1, 12), 16) or 0
end

local function packed_marker()
  return pack('<dddd', since, beaten_at, server, joined_at)
end

local function write_marker()
  -- Later than before, even if the clock is behind: by its own time the marker would stay the same
  -- until the clock has caught up, and what is lost meanwhile would not be noticed.
  beaten_at = max(now, beaten_at + 1)
  call('SET', KEYS[1], packed_marker())
end

-- Continues with the data of another server.
local function take_over()
  local this = this_server()
  if server ~= this then
    server, joined_at = this, beaten_at
  end
end

-- Sets the marker from the value that was read. Returns false if there is none and the node has never
-- seen one, so that it has to determine whether this is the first use or a loss.
local function read_marker(marker)
  if marker == FIRST_USE then
    marker = false
  end
  if is_out_of_reach then
    since, beaten_at, server, joined_at = unpacked('<dddd', ARGV[2])
    return true
  end
  if marker then
    since, beaten_at, server, joined_at = unpacked('<dddd', marker)
  end
  if #ARGV[2] == 0 then
    return marker and true or false
  end
  local seen_since, seen_beaten_at, seen_server = unpacked('<ddd', ARGV[2])
  local kept_until = server == seen_server and beaten_at or joined_at
  if not marker or since < seen_since
      or (since == seen_since and kept_until < seen_beaten_at) then
    -- A newer marker must be greater. What is here was written less than a beat after the marker that
    -- is here, by a clock that may have been ahead of this one: none of it may seem to be newer.
    since = max(now, since + 1, seen_since + 1, beaten_at + BEAT)
    take_over()
    write_marker()
  end
  return true
end

-- Returns false if another server wrote the marker: the node has to determine first whether later
-- markers are known, so the script returns OTHER_SERVER. Not checked within a beat, because a loss
-- of less than that is not detected anyway.
local function is_same_server()
  local elapsed = now - beaten_at
  return is_out_of_reach or (elapsed >= 0 and elapsed < BEAT) or server == this_server()
end

-- Call this before writing; returns false if nothing may be written.
local function beat()
  if not is_same_server() then
    return false
  end
  local elapsed = now - beaten_at
  if not is_out_of_reach and (elapsed < 0 or elapsed >= BEAT) then
    write_marker()
  end
  return true
end

