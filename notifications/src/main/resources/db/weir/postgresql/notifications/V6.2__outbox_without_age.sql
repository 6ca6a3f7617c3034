-- A message is in the outbox for a moment, so that a claim, once a second, can read all of it. The
-- index made every message slower.
drop index notification_outbox_by_age;
