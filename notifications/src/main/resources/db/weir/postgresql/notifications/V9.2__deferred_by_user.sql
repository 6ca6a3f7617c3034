-- Deferred messages by user, so that a user without a place is one row to change, however many
-- messages wait.
--   user_id  null in rows of nodes of the version before, until a node adopts them
alter table notification_deferred add column user_id bigint;

update notification_deferred d set user_id = m.user_id
from notification_message m where m.id = d.message_id;

create index notification_deferred_by_user on notification_deferred (user_id, due_at, message_id);

create index notification_deferred_unowned on notification_deferred (message_id)
  where user_id is null;

-- Users with deferred messages, and when one of them may be released next.
create table notification_deferred_user (
  next_at bigint not null,
  user_id bigint not null primary key
) with (fillfactor = 70);

insert into notification_deferred_user (user_id, next_at)
select user_id, min(due_at) from notification_deferred where user_id is not null group by user_id;

create index notification_deferred_user_by_time on notification_deferred_user (next_at, user_id);
