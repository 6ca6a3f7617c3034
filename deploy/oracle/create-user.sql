-- The user of Weir, and what it needs. Run as an administrator, in the pluggable database:
--   sqlplus system@//db.internal:1521/FREEPDB1 @create-user.sql
-- It asks for the password of the new user, without showing it.
--
-- Weir creates its tables and views at its first start. They belong to this user.

whenever sqlerror exit failure rollback
whenever oserror exit failure rollback
set verify off

accept weir_password char prompt 'Password for the user weir: ' hide
define weir_tablespace = users

-- Sessions are not ended because they are idle: the pool keeps them. The password of a service does
-- not expire while the service runs.
create profile weir_profile limit
  idle_time unlimited
  password_life_time unlimited;

create user weir identified by "&weir_password"
  default tablespace &weir_tablespace quota unlimited on &weir_tablespace
  profile weir_profile;

-- create table covers indexes and identity columns of the user's own tables.
grant create session, create table, create view, create sequence to weir;

-- A node that hangs must not hold a lock forever: a session that is idle while others wait for it is
-- ended after five minutes. It needs 19c or newer, applies to all users of the pluggable database,
-- and is for its administrator to decide:
--   alter system set max_idle_blocker_time = 5;

exit
