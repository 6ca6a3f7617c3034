-- The user of Weir, and what it needs. Run as an administrator, in the pluggable database:
--   sqlplus system@//db.internal:1521/FREEPDB1 @create-user.sql
--
-- Weir creates its tables and views at its first start. They belong to this user.

define weir_password = &1
define weir_tablespace = users

create user weir identified by "&weir_password"
  default tablespace &weir_tablespace quota unlimited on &weir_tablespace;

-- create table covers indexes and identity columns of the user's own tables.
grant create session, create table, create view, create sequence to weir;

-- A node that hangs must not hold a lock forever: a session in which nothing happens for five
-- minutes is ended. Weir's connections are validated before they are used again.
create profile weir_profile limit idle_time 5;
alter user weir profile weir_profile;
