-- The nodes that hand messages to a provider, so that all of them use the same one.
--   provider  identifies the provider and what it is connected to, without secrets
--   seen_at   microseconds since the epoch; a node that has not been seen for long has gone
create table notification_sender (
  seen_at  bigint not null,
  node     uuid   not null primary key,
  provider text   not null
) with (fillfactor = 50);
