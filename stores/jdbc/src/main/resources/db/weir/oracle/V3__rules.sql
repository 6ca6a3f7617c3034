-- Definitions of limits: rules, and the limits of named resources. Usage is stored elsewhere: in
-- Oracle limits are not counted. Times are whole microseconds since the epoch; flags are 0 or 1.

-- One row for each rule, with the version in force. A transaction that changes the rule locks it.
--   name_in_use  unique: the name of a removed rule can be used again
create table rule (
  rule_id     number(19) generated always as identity primary key,
  name        varchar2(100 char) not null,
  version     number(10) not null,
  is_removed  number(1) not null,
  name_in_use varchar2(100 char) generated always as (case when is_removed = 0 then name end),
  constraint rule_name_in_use unique (name_in_use)
);

-- Versions of rules: append-only, never changed, never deleted. A removal is a version too. Texts
-- that may be empty are null then: methods means all, changed_by unknown.
create table rule_version (
  rule_id          number(19) not null,
  version          number(10) not null,
  name             varchar2(100 char) not null,
  path_pattern     varchar2(1000 char),
  methods          varchar2(1000 char),
  key_by           varchar2(2000 char),
  algorithm        varchar2(30 char) not null,
  max_permits      number(19) not null,
  window_micros    number(19),
  is_aligned       number(1) not null,
  refill_tokens    number(19),
  refill_micros    number(19),
  lease_micros     number(19),
  queue_enabled    number(1) not null,
  max_queue_size   number(10) not null,
  delay_millis     number(10) not null,
  priority         number(10) not null,
  rule_mode        varchar2(30 char) not null,
  on_store_failure varchar2(30 char) not null,
  is_active        number(1) not null,
  is_removed       number(1) not null,
  changed_by       varchar2(1000 char),
  created_at       number(19) not null,
  constraint rule_version_key primary key (rule_id, version)
);

-- Token buckets of named resources.
create table bucket_definition (
  resource_name varchar2(255 char) not null,
  capacity      number(19) not null,
  refill_tokens number(19) not null,
  refill_micros number(19) not null,
  created_at    number(19) not null,
  updated_at    number(19) not null,
  constraint bucket_definition_key primary key (resource_name)
);

-- Concurrency limits of named resources.
create table concurrency_definition (
  resource_name  varchar2(255 char) not null,
  max_concurrent number(10) not null,
  ttl_micros     number(19) not null,
  created_at     number(19) not null,
  updated_at     number(19) not null,
  constraint concurrency_definition_key primary key (resource_name)
);
