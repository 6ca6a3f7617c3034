-- Checks whether data was lost; otherwise changes nothing.
--
-- ARGV[3]  1 to fail if Redis does not accept writes: the marker is written unchanged
-- Returns  the marker, or what the node has to determine first

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
