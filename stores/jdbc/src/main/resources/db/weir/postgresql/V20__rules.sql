-- Definitions of limits, by rule and by resource. Their usage is stored elsewhere.

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
  algorithm        text    not null, -- fixed_window, sliding_window or token_bucket
  most             bigint  not null, -- max permits in a window, or the capacity of a bucket
  window_micros    bigint,           -- null: a bucket
  is_aligned       boolean not null,
  refill_tokens    bigint,           -- tokens added in each refill_micros; null: a window
  refill_micros    bigint,
  on_store_failure text    not null,
  is_active        boolean not null,
  is_removed       boolean not null,
  created_at       bigint  not null,
  primary key (rule_id, version)
);

create table bucket (
  resource      text   collate "C" not null primary key,
  capacity      bigint not null,
  refill_tokens bigint not null,
  refill_micros bigint not null,
  created_at    bigint not null,
  updated_at    bigint not null
);

create table concurrency (
  resource       text   collate "C" not null primary key,
  max_concurrent int    not null,
  ttl_micros     bigint not null,
  created_at     bigint not null,
  updated_at     bigint not null
);
