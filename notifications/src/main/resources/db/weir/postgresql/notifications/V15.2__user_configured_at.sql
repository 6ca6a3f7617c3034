-- When the limit of a user was configured; null in rows of the version before.
alter table notification_user add column configured_at bigint;
