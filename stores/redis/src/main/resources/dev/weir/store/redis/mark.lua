-- Creates the marker if there is none, and takes it over if another server has written it.
--
-- ARGV[2]  the latest marker that any node is known to have seen
-- ARGV[3]  1 to note the first use, before the history records it; 0 to create the marker after that:
--          where there is neither a marker nor this note, data was lost
-- Returns  the marker; nothing for a note

local marker = call('GET', KEYS[1])
if ARGV[3] == '1' then
  if not marker and #ARGV[2] == 0 then
    call('SET', KEYS[1], FIRST_USE)
  end
  return NO_MARKER
end
if not read_marker(marker) and marker ~= FIRST_USE then
  since = now
end
if not marker or marker == FIRST_USE or server ~= this_server() then
  take_over()
  write_marker()
end
return packed_marker()
