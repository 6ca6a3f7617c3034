-- Looks whether something was lost, and else changes nothing.
--
-- Returns  the marker, or what a node has to find out first

if not read_marker(call('GET', KEYS[1])) then
  return NO_MARKER
end
if server ~= this_server() then
  return OTHER_SERVER
end
return packed_marker()
