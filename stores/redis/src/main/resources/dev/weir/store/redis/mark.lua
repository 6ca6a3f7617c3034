-- Puts a marker where there is none.
--
-- ARGV[2]  empty
-- ARGV[3]  1 if nothing can have been written before, 0 if it was lost

if not redis.call('GET', KEYS[1]) then
  if ARGV[3] == '0' then
    since = now
  end
  write_marker()
end
return ''
