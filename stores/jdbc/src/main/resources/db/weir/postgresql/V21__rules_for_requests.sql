-- Rules match requests by path and method, may queue them, have a mode, and record their author.

alter table rule_version
  add column path_pattern   text,                          -- null: used only by name
  add column methods        text    not null default '',   -- separated by commas; empty: all
  add column key_by         text    not null default 'ip', -- separated by commas
  add column queue_enabled  boolean not null default false,
  add column max_queue_size int     not null default 0,
  add column delay_millis   int     not null default 100,
  add column lease_micros   bigint,                        -- null: not a concurrency limit
  add column priority       int     not null default 0,
  add column mode           text    not null default 'enforce',
  add column changed_by     text    not null default '';
