-- Ids that the provider gave to the parts of a message that has several, for delivery receipts. A
-- message of one part has its id in notification_message.
--   created_at  that of the message, because ids of providers repeat
--   state       3 delivered, 4 failed; null while there is no receipt
create table notification_part (
  message_id  uuid     not null references notification_message (id) on delete cascade,
  created_at  bigint   not null,
  part        smallint not null,
  state       smallint,
  provider    text     collate "C" not null,
  provider_id text     collate "C" not null,
  primary key (message_id, part)
);

create index notification_part_by_provider
  on notification_part (provider_id, provider, created_at);
