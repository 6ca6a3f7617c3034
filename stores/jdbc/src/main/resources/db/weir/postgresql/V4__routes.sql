-- Routes of the gateway. Times are whole microseconds since the epoch.

-- One row for each route, with the version in force. A transaction that changes the route locks it.
create table route (
  route_id   bigint  generated always as identity primary key,
  path       text    collate "C" not null,
  version    int     not null,
  is_removed boolean not null
);

-- The path of a removed route can be used again.
create unique index route_by_path on route (path) where not is_removed;

-- Versions of routes: append-only, never changed, never deleted. A removal is a version too.
create table route_version (
  route_id   bigint  not null,
  version    int     not null,
  path       text    collate "C" not null,
  upstream   text    not null,
  is_active  boolean not null,
  is_removed boolean not null,
  changed_by text    not null,
  created_at bigint  not null,
  primary key (route_id, version)
);
