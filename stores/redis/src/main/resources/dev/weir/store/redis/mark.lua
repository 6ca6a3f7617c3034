-- Creates the marker if there is none, and takes it over if another server has written it.
--
-- ARGV[2]  the latest marker that any node is known to have seen
-- ARGV[3]  1 on first use, 0 if the marker was lost
-- Returns  the marker

local marker = call('GET', KEYS[1])
if not read_marker(marker) and ARGV[3] == '0' then
  since = now
end
if not marker or server ~= this_server() then
  take_over()
  write_marker()
end
return packed_marker()
