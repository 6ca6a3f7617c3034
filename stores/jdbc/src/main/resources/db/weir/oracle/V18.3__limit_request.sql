-- Granted requests that may be repeated.
--   grant_numbers  the binding of the request, when it was decided, and its outcomes, as numbers of
--                  eight bytes
create table limit_request (
  id            varchar2(255 char) not null,
  expires_at    number(19) not null,
  grant_numbers blob not null,
  constraint limit_request_key primary key (id)
);
