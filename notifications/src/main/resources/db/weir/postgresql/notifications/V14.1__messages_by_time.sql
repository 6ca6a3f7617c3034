-- Pages of messages, the newest first. With the id, because a batch of messages has one time. No
-- column of these indexes changes, so that changes of messages stay within a page.
create index notification_message_by_time on notification_message (created_at, id);

create index notification_message_by_user on notification_message (user_id, created_at, id);

drop index notification_message_by_age;
