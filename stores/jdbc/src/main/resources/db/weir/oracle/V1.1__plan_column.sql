-- What planning reads of slot_occupancy: the start of each window that has free places, and of each
-- run of full ones. It is null in rows that no plan reads: full windows, removed runs, and locks.
--
-- Oracle commits after each statement of this kind, so each of them is a migration of its own: it
-- was executed or not, and cannot stop half-way.
alter table slot_occupancy add (
  plan_micros number(19) generated always as (
    case when kind = 1 and is_full = 0 or kind = 2 and until_micros > start_micros
      then start_micros end)
);
