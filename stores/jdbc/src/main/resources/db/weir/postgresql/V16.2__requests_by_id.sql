-- Requests are found by their ids. A sum is in no index: by statistics of a time when there were few
-- requests, the index of their ends would be read, and with it all that have not ended.
do $$
begin
  execute replace(replace(pg_get_functiondef('weir_limit_decide_batch_3'::regproc),
    'l.expires_at > v_now', 'l.expires_at + 0 > v_now'),
    'and expires_at <= v_now', 'and expires_at + 0 <= v_now');
end $$;
