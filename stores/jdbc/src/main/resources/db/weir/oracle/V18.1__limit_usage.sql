-- The usage of a limit by a key: the Usage of core. Times are whole microseconds since the epoch.
--   id          kind of limit, policy and key in one text: "t3:api:user7"
--   used_scale  by which numbers it was counted: see Usage.scale
--   remove_at   a time at or after which the usage equals a fresh one. Because it is indexed, it is
--               set ahead of the actual time and changed only when that has caught up
--   counted_by  the version of the policy that has counted it; 0 if it has none
create table limit_usage (
  id          varchar2(520 char) not null,
  at_micros   number(19) not null,
  used        number(19) not null,
  used_before number(19) not null,
  used_scale  number(19) not null,
  remove_at   number(19) not null,
  counted_by  number(10) not null,
  constraint limit_usage_key primary key (id)
);
