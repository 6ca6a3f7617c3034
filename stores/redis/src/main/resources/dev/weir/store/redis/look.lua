-- Looks whether something was lost, and else changes nothing.
--
-- ARGV[3]  1 to fail if Redis takes no writes: the marker is written as it is
-- Returns  the marker, or what a node has to find out first

if not read_marker(call('GET', KEYS[1])) then
  return NO_MARKER
end
if server ~= this_server() then
  return OTHER_SERVER
end
if ARGV[3] == '1' then
  call('SET', KEYS[1], packed_marker())
end
return packed_marker()
