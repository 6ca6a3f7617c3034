-- Routes of the gateway. Times are whole microseconds since the epoch; flags are 0 or 1.

-- One row for each route, with the version in force. A transaction that changes the route locks it.
--   path_in_use  unique: the path of a removed route can be used again
create table route (
  route_id    number(19) generated always as identity primary key,
  path        varchar2(1000 char) not null,
  version     number(10) not null,
  is_removed  number(1) not null,
  path_in_use varchar2(1000 char) generated always as (case when is_removed = 0 then path end),
  constraint route_path_in_use unique (path_in_use)
);

-- Versions of routes: append-only, never changed, never deleted. A removal is a version too.
create table route_version (
  route_id   number(19) not null,
  version    number(10) not null,
  path       varchar2(1000 char) not null,
  upstream   varchar2(300 char) not null,
  is_active  number(1) not null,
  is_removed number(1) not null,
  changed_by varchar2(1000 char),
  created_at number(19) not null,
  constraint route_version_key primary key (route_id, version)
);
