-- A call is recorded before it is sent, with result 4 (unknown), which its answer replaces. So a
-- call whose worker has died is known, and that the payment may have been made.
--   in_progress_until  until when its worker may still record the answer; null: it was recorded
--   called_at          by the clock of the database
--   result             1 paid, 2 rejected, 3 to be retried, 4 unknown, 5 to be retried: too many
--                      calls, 6 answered as another payment
alter table payment_call add column in_progress_until bigint;

-- An answer changes no column of an index, so it needs no new entry if the page has room.
alter table payment_call set (fillfactor = 60);
