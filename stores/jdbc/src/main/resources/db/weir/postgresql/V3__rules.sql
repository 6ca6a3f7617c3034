-- Definitions of limits: rules, and the limits of named resources. Usage is stored elsewhere.
-- Times are whole microseconds since the epoch.

-- One row for each rule, with the version in force. A transaction that changes the rule locks it.
create table rule (
  rule_id    bigint  generated always as identity primary key,
  name       text    collate "C" not null,
  version    int     not null,
  is_removed boolean not null
);

-- The name of a removed rule can be used again.
create unique index rule_by_name on rule (name) where not is_removed;

-- Versions of rules: append-only, never changed, never deleted. A removal is a version too.
create table rule_version (
  rule_id          bigint  not null,
  version          int     not null,
  name             text    collate "C" not null,
  path_pattern     text,             -- null: used only by name
  methods          text    not null, -- separated by commas; empty: all
  key_by           text    not null, -- separated by commas
  algorithm        text    not null, -- fixed_window, sliding_window, token_bucket or concurrency
  max_permits      bigint  not null, -- of a window, a bucket, or held by leases
  window_micros    bigint,           -- null: not a window
  is_aligned       boolean not null, -- whether windows are aligned to the epoch
  refill_tokens    bigint,           -- tokens added in each refill_micros; null: not a bucket
  refill_micros    bigint,
  lease_micros     bigint,           -- null: not a concurrency limit
  queue_enabled    boolean not null,
  max_queue_size   int     not null,
  delay_millis     int     not null,
  priority         int     not null,
  mode             text    not null,
  on_store_failure text    not null,
  is_active        boolean not null,
  is_removed       boolean not null,
  changed_by       text    not null,
  created_at       bigint  not null,
  primary key (rule_id, version)
);

-- Token buckets of named resources.
create table bucket_definition (
  resource      text   collate "C" not null primary key,
  capacity      bigint not null,
  refill_tokens bigint not null,
  refill_micros bigint not null,
  created_at    bigint not null,
  updated_at    bigint not null
);

-- Concurrency limits of named resources.
create table concurrency_definition (
  resource       text   collate "C" not null primary key,
  max_concurrent int    not null,
  ttl_micros     bigint not null,
  created_at     bigint not null,
  updated_at     bigint not null
);
