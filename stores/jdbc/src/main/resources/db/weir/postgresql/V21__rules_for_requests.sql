-- Rules cover requests, let wait, only look on, and say who made them.

alter table rule_version
  add column path_pattern   text,                          -- null: only asked for by name
  add column methods        text    not null default '',   -- separated by commas; none: all
  add column key_by         text    not null default 'ip', -- separated by commas
  add column queue_enabled  boolean not null default false,
  add column max_queue_size int     not null default 0,
  add column delay_millis   int     not null default 100,
  add column lease_micros   bigint,                        -- null: not a concurrency
  add column priority       int     not null default 0,
  add column mode           text    not null default 'enforce',
  add column changed_by     text    not null default '';
