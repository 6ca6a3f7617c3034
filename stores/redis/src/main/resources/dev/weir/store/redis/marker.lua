-- Finds out whether Redis has lost what it kept. Each script begins with this text.
--
-- KEYS[1]  the marker of the slot, packed: since when all that was written is here; when the marker
--          was last written; the server that wrote it; and the time in the marker when that server
--          took over from another. A marker never expires
-- ARGV[1]  the time in microseconds; empty for the clock of Redis
-- ARGV[2]  the latest marker that the node has seen; empty if it has seen none. With a further byte,
--          KEYS[1] is not the marker but another of the keys, and the node's word is taken: while a
--          slot of a Cluster is moved, Redis reaches only one key at a time
--
-- What Redis holds after a restart or a failover is the beginning of what was written, in order. So
-- if the marker is missing or older than one that a node has seen, writes were lost. The server that
-- comes next writes later markers than those that were lost; so it also notes which was the last that
-- it found, and every node that has seen a later one of another server knows of the loss.

local floor, max, min = math.floor, math.max, math.min
local pack, unpacked, call = struct.pack, struct.unpack, redis.call
local NEVER = -62135596800000000

-- The marker is written at most this often: losses that are shorter are not noticed.
local BEAT = 1000000

-- Returned by a script that has done nothing, because a node has to find out first whether this is
-- the first use or a loss; or which markers other nodes have seen, before this server is the first
-- to write after another.
local NO_MARKER, OTHER_SERVER = '', '\1'

local now = tonumber(ARGV[1])
-- Expiry goes by the clock of Redis. A test whose clock stands still must not lose its keys by it.
local grace_millis = now and 3600000 or 1
if not now then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
end

local since, beaten_at, server, joined_at = NEVER, NEVER, 0, NEVER
local MARKER_BYTES = 32
local is_out_of_reach = #ARGV[2] > MARKER_BYTES

-- Redis takes another replication id whenever it starts or becomes a master: when what it holds may
-- no longer be all that was written. 48 bits of it are a whole number.
local function this_server()
  local id = string.match(call('INFO', 'replication'), 'master_replid:(%x+)')
  return id and tonumber(string.sub(id, 1, 12), 16) or 0
end

local function packed_marker()
  return pack('<dddd', since, beaten_at, server, joined_at)
end

local function write_marker()
  -- The clock of another server may be behind.
  beaten_at = max(now, beaten_at)
  call('SET', KEYS[1], packed_marker())
end

-- Goes on with what another server has left.
local function take_over()
  local this = this_server()
  if server ~= this then
    server, joined_at = this, beaten_at
  end
end

-- Takes the marker as it was read; false if there is none and the node has never seen one, so that
-- it has to find out whether this is the first use or a loss.
local function read_marker(marker)
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
    -- What is newer must be greater.
    since = max(now, since + 1, seen_since + 1)
    take_over()
    write_marker()
  end
  return true
end

-- Returns false if another server wrote the marker: a node has to find out first whether later
-- markers are known, so the script returns OTHER_SERVER. Not checked within a beat, because a loss
-- of less than that is not noticed anyway.
local function is_same_server()
  local elapsed = now - beaten_at
  return is_out_of_reach or (elapsed >= 0 and elapsed < BEAT) or server == this_server()
end

-- To be called before something is written; returns false if nothing may be.
local function beat()
  if not is_same_server() then
    return false
  end
  if not is_out_of_reach and now - beaten_at >= BEAT then
    write_marker()
  end
  return true
end

