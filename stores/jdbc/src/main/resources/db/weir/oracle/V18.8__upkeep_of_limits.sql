-- The row that one node at a time locks. May be repeated, if the note of this migration is lost.
insert into exclusive_task (lock_number, description)
  select 512802517506, 'upkeep of limits' from dual
  where not exists (select 1 from exclusive_task where lock_number = 512802517506);
