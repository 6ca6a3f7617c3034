-- Puts a marker where there is none, and lets this server go on where another has written it.
--
-- ARGV[2]  the latest marker that any node is known to have seen
-- ARGV[3]  1 if nothing can have been written before, 0 if it was lost
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
