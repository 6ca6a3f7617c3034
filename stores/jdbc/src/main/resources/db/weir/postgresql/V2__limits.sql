-- Limits, leases, and the history of limit stores outside this database. Times are whole
-- microseconds since the epoch.
--
-- Functions have a version in their names and are never changed once released: nodes of two
-- versions of Weir may share a database, and each calls the functions it was built for.

-- The usage of a limit by a key: the Usage of core.
--   id         kind of limit, policy and key, see UsageId: one text, so that one comparison
--              suffices. Up to 1,538 bytes, which fits into an index.
--   remove_at  a time at or after which the usage equals a fresh one. Because it is indexed, it is
--              set ahead of the actual time and written only when that has caught up: all other
--              updates stay within their page (HOT), and the fill factor leaves room for them.
create table limit_usage (
  at_micros   bigint not null,
  used        bigint not null,
  used_before bigint not null,
  scale       bigint not null,
  remove_at   bigint not null,
  id          text   collate "C" not null primary key
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05);

create index limit_usage_by_removal on limit_usage (remove_at);

-- Granted requests that may be repeated.
--   result  the binding of the request, when it was decided, the number of its decisions, and the
--           decisions, as weir_limit_decide_batch_1 returns them
create table limit_request (
  expires_at bigint   not null,
  result     bigint[] not null,
  id         text     collate "C" not null primary key
) with (autovacuum_vacuum_scale_factor = 0.05);

create index limit_request_by_expiry on limit_request (expires_at);

-- Leases of a resource, and tickets in its queue: the LiveLeases of core.
create table lease (
  expires_at bigint not null,
  places     int    not null,
  resource   text   collate "C" not null,
  id         text   collate "C" not null,
  primary key (resource, id)
) with (autovacuum_vacuum_scale_factor = 0.05);

create index lease_by_expiry on lease (resource, expires_at);

-- A resource that has leases. A transaction that writes its leases locks it.
--   places     sum of the places of all its leases in the table, so that they need not be added up
--   remove_at  a time at or after which the last lease expires; set ahead, as in limit_usage
create table lease_resource (
  places    bigint not null,
  remove_at bigint not null,
  resource  text   collate "C" not null primary key
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05);

create index lease_resource_by_removal on lease_resource (remove_at);

-- Limit stores outside this database, such as Redis. The row is locked while a node prepares the
-- store for use.
--   is_used                whether a node has used the store: if it is empty nevertheless, it has
--                          lost its data
--   since_micros           the latest progress of the store that any node has seen, null if none:
--   written_at_micros      the store has everything written from since_micros to written_at_micros;
--   server                 the server of the store that wrote this; and the time of the last
--   joined_at_micros       progress of another server that this server found. A store that is
--                          behind has lost data.
--   fallback_until_micros  time, by the clock of a node, until which this database may have granted
--                          in place of the store; null if it never has
create table limit_store (
  name                  text    collate "C" not null primary key,
  is_used               boolean not null default false,
  since_micros          bigint,
  written_at_micros     bigint,
  server                bigint,
  joined_at_micros      bigint,
  fallback_until_micros bigint
);

-- For operators: usages with readable ids and times.
create view limit_usage_readable as
select case left(u.id, 1) when 'f' then 'fixed window' when 's' then 'sliding window'
         when 't' then 'token bucket' end as kind,
       substr(u.id, p.start, p.length) as policy,
       substr(u.id, p.start + p.length) as key,
       u.used,
       u.used_before,
       u.scale,
       'epoch'::timestamptz + u.at_micros * interval '1 microsecond' as at,
       'epoch'::timestamptz + u.remove_at * interval '1 microsecond' as remove_at
from limit_usage u
cross join lateral (
  select substr(u.id, 2, strpos(u.id, ':') - 2)::int as length,
         strpos(u.id, ':') + 1 as start) p;

-- The permits that count as used in a sliding window at a time: those of the current window, and a
-- share of those of the window before, rounded up.
create function weir_sliding_used_1(
  p_window bigint, p_at bigint, p_used bigint, p_before bigint, p_now bigint)
returns bigint language plpgsql immutable strict as $$
declare
  v_tick  bigint;
  v_ticks bigint;
  v_left  bigint;
begin
  if p_before = 0 then
    return p_used;
  end if;
  v_tick := (p_window + 1048575) / 1048576;
  v_ticks := p_window / v_tick;
  v_left := p_at + p_window - greatest(p_now, p_at);
  return p_used
    + (p_before * least((v_left + v_tick - 1) / v_tick, v_ticks) + v_ticks - 1) / v_ticks;
end $$;

-- The time until p_cost permits, which are more than remain, are available in a sliding window.
create function weir_sliding_wait_1(
  p_max bigint, p_window bigint, p_at bigint, p_used bigint, p_before bigint, p_cost bigint,
  p_now bigint)
returns bigint language plpgsql immutable strict as $$
declare
  v_tick  bigint;
  v_ticks bigint;
  v_free  bigint;
  v_left  bigint;
begin
  v_tick := (p_window + 1048575) / 1048576;
  v_ticks := p_window / v_tick;
  v_free := p_max - p_cost - p_used;
  v_left := case when v_free < 0 then 0
                 when v_free >= p_before then p_window
                 else v_free * v_ticks / p_before * v_tick end;
  if v_left > 0 then
    return p_at + p_window - v_left - p_now;
  end if;
  -- In the next window, the usage of this one is weighted.
  v_free := p_max - p_cost;
  v_left := case when v_free >= p_used then p_window
                 else v_free * v_ticks / p_used * v_tick end;
  return p_at + 2 * p_window - v_left - p_now;
end $$;

-- Applies one request to one limit, given the usage as it is stored: decides it, or refunds it, by
-- the arithmetic of core.
--
--   p_kind      1 fixed window from its first use, 2 fixed window aligned to the epoch, 3 sliding
--               window, 4 token bucket
--   p_max       permits of a window, or capacity of a bucket
--   p_size      microseconds of a window, or of a refill
--   p_refill    tokens of a refill
--   p_at, p_used, p_before, p_scale   the usage
--   p_cost      permits to take or to refund
--   p_takes     whether to take the permits if they are available, or only to decide
--   p_taken_at  null to decide; for a refund, when the permits were taken
--
-- Returns seven numbers: the usage (at, used, used before); when it will equal a fresh one, null if
-- it already does; the remaining permits; the time until there are more; and the time until a
-- retry, -1 if the request is allowed.
create function weir_limit_apply_1(
  p_kind int, p_max bigint, p_size bigint, p_refill bigint,
  p_at bigint, p_used bigint, p_before bigint, p_scale bigint,
  p_cost bigint, p_now bigint, p_takes boolean, p_taken_at bigint)
returns bigint[] language plpgsql immutable as $$
declare
  v_at          bigint := p_at;
  v_used        bigint := p_used;
  v_before      bigint := 0;
  v_remaining   bigint;
  v_retry_after bigint := -1;
  v_start       bigint;
  v_end         bigint;
begin
  -- Bring the usage up to the present, and calculate the remaining permits.
  if p_kind = 4 then
    if p_used > 0 and p_scale <> p_size then
      v_used := least((p_used + p_scale - 1) / p_scale, 9007199254740992 / p_size) * p_size;
    end if;
    if p_now > p_at then
      v_used := case when p_now - p_at >= (v_used + p_refill - 1) / p_refill then 0
                     else v_used - (p_now - p_at) * p_refill end;
      v_at := p_now;
    end if;
    v_remaining := greatest(0, (p_max * p_size - v_used) / p_size);
  elsif p_kind = 3 then
    v_before := p_before;
    if p_scale <> p_size and (v_used > 0 or v_before > 0) then
      -- Counted with windows of another size.
      v_start := v_at - ((v_at % p_size) + p_size) % p_size;
      v_end := v_at - p_scale;
      v_end := v_end - ((v_end % p_size) + p_size) % p_size;
      if v_end = v_start then
        v_used := v_used + v_before;
      end if;
      if v_end <> v_start - p_size then
        v_before := 0;
      end if;
      v_used := least(v_used, 8589934592);
      v_at := v_start;
    end if;
    v_start := p_now - ((p_now % p_size) + p_size) % p_size;
    if v_used = 0 and v_before = 0 then
      v_at := v_start;
    elsif v_start > v_at then
      v_before := case when v_start = v_at + p_size then v_used else 0 end;
      v_used := 0;
      v_at := v_start;
    end if;
    v_remaining :=
      greatest(0, p_max - weir_sliding_used_1(p_size, v_at, v_used, v_before, p_now));
  else
    v_end := v_at + p_size;
    if p_kind = 2 then
      v_end := v_end - ((v_at % p_size) + p_size) % p_size;
    end if;
    if v_used = 0 or p_now >= v_end then
      v_used := 0;
      v_at := p_now;
      if p_kind = 2 then
        v_at := p_now - ((p_now % p_size) + p_size) % p_size;
      end if;
      v_end := v_at + p_size;
    end if;
    v_remaining := greatest(0, p_max - v_used);
  end if;

  if p_taken_at is not null then
    -- Refund.
    if p_kind = 4 then
      -- Without the tokens that were refilled since.
      if v_at - p_taken_at < (p_cost * p_size + p_refill - 1) / p_refill then
        v_used := greatest(0,
          v_used - p_cost * p_size + greatest(0, v_at - p_taken_at) * p_refill);
      end if;
    elsif p_taken_at >= v_at then
      v_used := greatest(0, v_used - p_cost);
    elsif p_kind = 3 and p_taken_at >= v_at - p_size then
      v_before := greatest(0, v_before - p_cost);
    end if;
  elsif p_cost > v_remaining then
    -- Refuse.
    v_retry_after :=
      case p_kind
        when 4 then
          (v_used - (p_max - p_cost) * p_size + p_refill - 1) / p_refill + v_at - p_now
        when 3 then
          weir_sliding_wait_1(p_max, p_size, v_at, v_used, v_before, p_cost, p_now)
        else v_end - p_now end;
  elsif p_takes then
    -- Take.
    v_used := v_used + case p_kind when 4 then p_cost * p_size else p_cost end;
    v_remaining := v_remaining - p_cost;
  end if;

  -- The time until there are more permits is the wait for one more than remains.
  return array[v_at, v_used, v_before,
    case when v_used = 0 and v_before = 0 then null
         when p_kind = 4 then (v_used + p_refill - 1) / p_refill + v_at
         when p_kind = 3 and v_used > 0 then v_at + 2 * p_size
         else v_at + p_size end,
    v_remaining,
    case when v_remaining >= p_max then 0
         when p_kind = 4 then
           (v_used - (p_max - v_remaining - 1) * p_size + p_refill - 1) / p_refill + v_at - p_now
         when p_kind = 3 then
           weir_sliding_wait_1(p_max, p_size, v_at, v_used, v_before, v_remaining + 1, p_now)
         else v_end - p_now end,
    v_retry_after];
end $$;

-- Decides a single request of one limit without a request id, with the same result as
-- weir_limit_decide_batch_1. PostgreSQL prepares each expression of a function anew in each
-- transaction. For a batch that cost is small; for a single request it dominates, so this function
-- has few expressions and no arrays of requests.
--
--   p_now         the time to decide by; null for the database's clock, read when the lock is held
--   p_look_first  whether to decide without the lock first, which suffices for a refusal
--   p_id          the usage
--   p_kind, p_max, p_size, p_refill, p_cost   as in weir_limit_apply_1
--
-- Returns when it was decided, the remaining permits, the time until there are more, and the time
-- until a retry, -1 if it is allowed.
create function weir_limit_decide_one_1(
  p_now bigint, p_look_first boolean, p_id text,
  p_kind int, p_max bigint, p_size bigint, p_refill bigint, p_cost bigint)
returns bigint[] language plpgsql volatile as $$
declare
  c_earliest constant bigint := -62135596800000000;
  c_slack    constant bigint := 60000000;  -- remove_at is ahead by at least a minute

  v_locked boolean := not p_look_first;
  v_now    bigint;
  v_known  boolean;

  -- The usage, and the result of weir_limit_apply_1.
  u_tid     tid;
  u_at      bigint;
  u_used    bigint;
  u_before  bigint;
  u_scale   bigint;
  u_remove  bigint;
  v_applied bigint[];
begin
  loop
    if v_locked then
      select l.ctid, l.at_micros, l.used, l.used_before, l.scale, l.remove_at
      into u_tid, u_at, u_used, u_before, u_scale, u_remove
      from limit_usage l where l.id = p_id for update;
    else
      select l.at_micros, l.used, l.used_before, l.scale
      into u_at, u_used, u_before, u_scale
      from limit_usage l where l.id = p_id;
    end if;
    v_known := found;
    if not v_known then
      u_at := c_earliest;
      u_used := 0;
      u_before := 0;
      u_scale := 0;
      u_remove := c_earliest;
    end if;
    v_now := coalesce(p_now, (extract(epoch from clock_timestamp()) * 1000000)::bigint);
    v_applied := weir_limit_apply_1(p_kind, p_max, p_size, p_refill,
      u_at, u_used, u_before, u_scale, p_cost, v_now, true, null);
    if v_applied[7] >= 0 then
      return array[v_now, v_applied[5], v_applied[6], v_applied[7]];
    end if;
    exit when v_locked;
    v_locked := true;
  end loop;

  if v_applied[4] > u_remove then
    u_remove := v_applied[4] + greatest(v_applied[4] - v_now, c_slack);
  end if;
  if v_known then
    -- The row is locked, so its tid is still valid.
    update limit_usage u
    set at_micros = v_applied[1], used = v_applied[2], used_before = v_applied[3],
        scale = case when p_kind < 3 then 1 else p_size end, remove_at = u_remove
    where u.ctid = u_tid;
  else
    insert into limit_usage (id, at_micros, used, used_before, scale, remove_at)
    values (p_id, v_applied[1], v_applied[2], v_applied[3],
            case when p_kind < 3 then 1 else p_size end, u_remove)
    on conflict (id) do nothing;
    if not found then
      raise exception 'another node counted first' using errcode = '40001';
    end if;
  end if;
  return array[v_now, v_applied[5], v_applied[6], v_applied[7]];
end $$;

-- Decides requests in order, by the arithmetic of weir_limit_apply_1, and refunds granted ones.
--
--   p_now           the time to decide by; null for the database's clock, read when the locks are
--                   held
--   p_look_first    whether to decide without locks first, which suffices if nothing is written
--   p_usage_ids     the usages of all requests, each once, in the order in which all nodes lock
--                   them
--   for each request
--     p_limit_counts  the number of its limits
--   for each request, or empty if there is no refund
--     p_taken_at      null to decide; for a refund, when the permits were taken
--   for each request, or empty if none has a request id
--     p_request_ids   its request id, '' for none
--     p_ttls          how long it is remembered
--     p_previous      the previous request in this call with the same request id and of the same
--                     sort (decision or refund), 0 for none
--     p_bindings      five numbers: two of the digest of the request that the id is bound to, one
--                     that identifies the usages of its limits, and two of a note to remember
--   for each limit of all requests
--     p_usage         index in p_usage_ids
--     p_kind, p_max, p_size, p_refill, p_cost   as in weir_limit_apply_1; or p_kind is 0 if the
--                     request waits for this limit in a queue and takes nothing: then p_max is the
--                     remaining permits, p_size the time until there are more, p_refill the wait,
--                     p_cost the position in the queue
--
-- Returns one array: the time; and for each request: whether it was decided now (0), was replayed
-- (1), or has the id of another request (2); when it was decided; the note of the first request if
-- it was replayed, as two numbers; the number of its decisions; and for each decision the remaining
-- permits, the time until there are more, and the time until a retry, -1 if it is allowed, -2 if it
-- waits: then wait and position follow. A refund has no decisions, and its first number is 0 if it
-- was refunded, 1 if the request id is unknown, 2 if it belongs to another request.
--
-- A refund by a request id refunds what was granted under it, whatever the refund names.
create function weir_limit_decide_batch_1(
  p_now bigint, p_look_first boolean, p_usage_ids text[], p_limit_counts int[],
  p_taken_at bigint[], p_request_ids text[], p_ttls bigint[], p_previous int[], p_bindings bigint[],
  p_usage int[], p_kind int[], p_max bigint[], p_size bigint[], p_refill bigint[], p_cost bigint[])
returns bigint[] language plpgsql volatile as $$
declare
  c_earliest constant bigint := -62135596800000000;
  c_slack    constant bigint := 60000000;  -- remove_at is ahead by at least a minute

  v_now     bigint;
  v_locked  boolean := not p_look_first;
  v_reread  boolean := false;
  v_writes  boolean;
  v_changed int;
  v_done    int;
  r         record;

  -- The usages, in the order of p_usage_ids.
  u_tid     tid[];
  u_at      bigint[];
  u_used    bigint[];
  u_before  bigint[];
  u_scale   bigint[];
  u_remove  bigint[];
  u_changed boolean[];

  -- Remembered requests that were granted in earlier calls, and where each begins and ends.
  known       bigint[];
  known_first int[];
  known_last  int[];
  v_known     bigint[];   -- one remembered request

  -- Requests to remember, with the positions of their results, and requests to forget.
  new_ids      text[];
  new_expiries bigint[];
  new_first    int[];
  new_last     int[];
  new_binding  int[];
  refunded_ids text[];
  expired_ids  text[];     -- those of them that had expired already

  v_taken_at     bigint;
  v_request_id   text;
  v_granted      boolean;
  v_refund       int;        -- outcome of a refund
  v_entry        int;        -- position of the next decision of a remembered request
  v_waited       boolean;
  v_result_first int;
  v_limits       int;
  v_offset       int;
  v_usage        int;

  -- The result of weir_limit_apply_1.
  v_applied bigint[];

  -- The results and their number of elements; where those of granted requests begin and end; for
  -- each request, which request of this call was granted under its id, or that it was refunded.
  v_result      bigint[];
  v_size        int;
  granted_first int[];
  granted_last  int[];
  v_grant       int;
  granted_as    int[];
  is_refunded   boolean[];
begin
  loop
    if v_locked then
      -- One after the other, in the order of p_usage_ids, so that transactions cannot deadlock.
      select array_agg(u.tid), array_agg(coalesce(u.at_micros, c_earliest)),
             array_agg(coalesce(u.used, 0)), array_agg(coalesce(u.used_before, 0)),
             array_agg(coalesce(u.scale, 0)), array_agg(coalesce(u.remove_at, c_earliest))
      into u_tid, u_at, u_used, u_before, u_scale, u_remove
      from unnest(p_usage_ids) with ordinality as n(id, i)
      left join lateral (
        select l.ctid as tid, l.at_micros, l.used, l.used_before, l.scale, l.remove_at
        from limit_usage l where l.id = n.id for update) u on true;
    else
      select array_agg(coalesce(u.at_micros, c_earliest)), array_agg(coalesce(u.used, 0)),
             array_agg(coalesce(u.used_before, 0)), array_agg(coalesce(u.scale, 0))
      into u_at, u_used, u_before, u_scale
      from unnest(p_usage_ids) with ordinality as n(id, i)
      left join lateral (
        select l.at_micros, l.used, l.used_before, l.scale
        from limit_usage l where l.id = n.id offset 0) u on true;
      u_remove := u_at;
    end if;
    u_changed := array_fill(false, array[cardinality(p_usage_ids)]);
    v_now := coalesce(p_now, (extract(epoch from clock_timestamp()) * 1000000)::bigint);

    -- A separate statement after locking, to see what was committed while waiting for the locks.
    if cardinality(p_request_ids) > 0 then
      known := '{}';
      known_first := array_fill(null::int, array[cardinality(p_limit_counts)]);
      known_last := known_first;
      new_ids := '{}';
      new_expiries := '{}';
      new_first := '{}';
      new_last := '{}';
      new_binding := '{}';
      refunded_ids := '{}';
      expired_ids := '{}';
      for r in
        select n.i, m.result from unnest(p_request_ids) with ordinality as n(id, i)
        cross join lateral (
          select l.result from limit_request l
          where l.id = n.id and l.expires_at > v_now offset 0) m
        where n.id <> ''
      loop
        known_first[r.i] := cardinality(known) + 1;
        known := known || r.result;
        known_last[r.i] := cardinality(known);
      end loop;
      -- If a request was granted after the usages were read, its record is found but its usages are
      -- missing, and would stay taken when it is refunded. Both were written together, so the
      -- usages exist now, unless they have been swept.
      if v_locked and not v_reread and cardinality(known) > 0 and cardinality(p_taken_at) > 0
          and array_position(u_tid, null) is not null then
        v_reread := true;
        continue;
      end if;
    end if;

    v_result := array[v_now];
    v_size := 1;
    granted_first := '{}';
    granted_last := '{}';
    granted_as := '{}';
    is_refunded := '{}';
    v_writes := false;
    v_changed := 0;
    v_offset := 0;
    for req in 1 .. cardinality(p_limit_counts) loop
      v_limits := p_limit_counts[req];
      v_taken_at := p_taken_at[req];
      v_request_id := coalesce(p_request_ids[req], '');
      v_result_first := v_size + 1;

      -- Find an earlier grant of the request, in this call or in an earlier one.
      v_known := null;
      if v_request_id <> '' then
        v_grant := case when v_taken_at is null then granted_as[p_previous[req]] end;
        if v_grant is not null then
          v_known := p_bindings[5 * v_grant - 4 : 5 * v_grant]
            || v_result[granted_first[v_grant] + 1]
            || v_result[granted_first[v_grant] + 4 : granted_last[v_grant]];
        elsif known_first[req] is not null then
          v_known := known[known_first[req] : known_last[req]];
        end if;
      end if;
      if v_known is not null and v_taken_at is null then
        granted_as[req] := v_grant;
        if v_known[1] <> p_bindings[5 * req - 4] or v_known[2] <> p_bindings[5 * req - 3] then
          v_result := v_result || array[2, v_now, 0, 0, 0];
        elsif v_known[3] <> p_bindings[5 * req - 2] then
          -- The rules have changed since, so the decisions do not belong to these limits.
          v_result := v_result || array[1, v_known[6], v_known[4], v_known[5], 0];
        else
          v_result := v_result || array[1, v_known[6], v_known[4], v_known[5]]
            || v_known[7 : cardinality(v_known)];
        end if;
        v_size := cardinality(v_result);
        v_offset := v_offset + v_limits;
        continue;
      end if;

      if v_taken_at is not null then
        v_refund := 0;
        if v_request_id <> '' then
          -- A request id is refunded once, with the permits and the time of its grant.
          if v_known is null or is_refunded[p_previous[req]] then
            v_refund := 1;
            is_refunded[req] := is_refunded[p_previous[req]];
          elsif v_known[1] <> p_bindings[5 * req - 4] or v_known[2] <> p_bindings[5 * req - 3] then
            v_refund := 2;
          else
            is_refunded[req] := true;
            v_taken_at := v_known[6];
          end if;
        end if;
        v_granted := v_refund = 0;
        v_entry := 8;
      else
        v_granted := true;
        -- All or nothing: decide all limits before anything is taken.
        if v_limits > 1 then
          for i in v_offset + 1 .. v_offset + v_limits loop
            continue when p_kind[i] = 0;
            v_usage := p_usage[i];
            v_applied := weir_limit_apply_1(p_kind[i], p_max[i], p_size[i], p_refill[i],
              u_at[v_usage], u_used[v_usage], u_before[v_usage], u_scale[v_usage],
              p_cost[i], v_now, false, null);
            v_granted := v_granted and v_applied[7] < 0;
          end loop;
        end if;
      end if;
      v_result[v_size + 1] := case when v_taken_at is null then 0 else v_refund end;
      v_result[v_size + 2] := v_now;
      v_result[v_size + 3] := 0;
      v_result[v_size + 4] := 0;
      v_result[v_size + 5] := case when v_taken_at is null then v_limits else 0 end;
      v_size := v_size + 5;

      for i in v_offset + 1 .. v_offset + v_limits loop
        v_usage := p_usage[i];
        if v_taken_at is null and p_kind[i] = 0 then
          v_result[v_size + 1] := p_max[i];
          v_result[v_size + 2] := p_size[i];
          v_result[v_size + 3] := -2;
          v_result[v_size + 4] := p_refill[i];
          v_result[v_size + 5] := p_cost[i];
          v_size := v_size + 5;
          continue;
        end if;
        if v_taken_at is not null then
          -- Nothing is refunded for a limit that was waited for, or if the rules have changed.
          v_waited := p_kind[i] = 0;
          if v_known is not null then
            v_waited := v_waited or v_known[3] <> p_bindings[5 * req - 2]
              or v_known[v_entry + 2] = -2;
            v_entry := v_entry + case when v_known[v_entry + 2] = -2 then 5 else 3 end;
          end if;
          -- A fresh usage has nothing to refund.
          continue when not v_granted or v_waited or u_scale[v_usage] = 0;
        end if;
        v_applied := weir_limit_apply_1(p_kind[i], p_max[i], p_size[i], p_refill[i],
          u_at[v_usage], u_used[v_usage], u_before[v_usage], u_scale[v_usage],
          p_cost[i], v_now, v_granted, v_taken_at);
        if v_taken_at is null then
          if v_applied[7] >= 0 then
            v_granted := false;
          end if;
          v_result[v_size + 1] := v_applied[5];
          v_result[v_size + 2] := v_applied[6];
          v_result[v_size + 3] := v_applied[7];
          v_size := v_size + 3;
        end if;
        if v_granted then
          u_at[v_usage] := v_applied[1];
          u_used[v_usage] := v_applied[2];
          u_before[v_usage] := v_applied[3];
          u_scale[v_usage] := case when p_kind[i] < 3 then 1 else p_size[i] end;
          if v_applied[4] > u_remove[v_usage] then
            u_remove[v_usage] := v_applied[4] + greatest(v_applied[4] - v_now, c_slack);
          end if;
          if not u_changed[v_usage] then
            u_changed[v_usage] := true;
            v_changed := v_changed + 1;
          end if;
          v_writes := true;
        end if;
      end loop;
      v_offset := v_offset + v_limits;

      if v_request_id <> '' and (v_granted or v_taken_at is not null) then
        v_writes := true;
        if not v_granted then
          expired_ids := expired_ids || v_request_id;
        elsif v_taken_at is null then
          granted_as[req] := req;
          granted_first[req] := v_result_first;
          granted_last[req] := v_size;
          new_ids := new_ids || v_request_id;
          new_expiries := new_expiries || (v_now + p_ttls[req]);
          new_first := new_first || (v_result_first + 1);
          new_last := new_last || v_size;
          new_binding := new_binding || (5 * req - 4);
        else
          refunded_ids := refunded_ids || v_request_id;
        end if;
      end if;
    end loop;

    exit when v_locked or not v_writes;
    v_locked := true;
  end loop;

  if not v_writes then
    return v_result;
  end if;

  -- The rows are locked, so their tids are still valid.
  update limit_usage u
  set at_micros = n.at_micros, used = n.used, used_before = n.used_before, scale = n.scale,
      remove_at = n.remove_at
  from unnest(u_tid, u_at, u_used, u_before, u_scale, u_remove, u_changed)
    as n(tid, at_micros, used, used_before, scale, remove_at, changed)
  where u.ctid = n.tid and n.changed;
  get diagnostics v_done = row_count;
  v_changed := v_changed - v_done;

  -- Another transaction may have inserted the same rows since: then decide everything again.
  if v_changed > 0 then
    insert into limit_usage (id, at_micros, used, used_before, scale, remove_at)
    select n.id, n.at_micros, n.used, n.used_before, n.scale, n.remove_at
    from unnest(p_usage_ids, u_tid, u_at, u_used, u_before, u_scale, u_remove, u_changed)
      as n(id, tid, at_micros, used, used_before, scale, remove_at, changed)
    where n.changed and n.tid is null
    on conflict (id) do nothing;
    get diagnostics v_done = row_count;
    if v_done < v_changed then
      raise exception 'another node counted first' using errcode = '40001';
    end if;
  end if;

  if cardinality(new_ids) > 0 then
    insert into limit_request as l (id, expires_at, result)
    select n.id, n.expires_at,
           p_bindings[n.binding : n.binding + 4] || v_result[n.first]
             || v_result[n.first + 3 : n.last]
    from unnest(new_ids, new_expiries, new_first, new_last, new_binding)
      as n(id, expires_at, first, last, binding)
    order by n.id
    on conflict (id) do update set expires_at = excluded.expires_at, result = excluded.result
    where l.expires_at <= v_now;
    get diagnostics v_done = row_count;
    if v_done < cardinality(new_ids) then
      raise exception 'another node granted the request first' using errcode = '40001';
    end if;
  end if;
  if cardinality(refunded_ids) > 0 then
    delete from limit_request where id = any(refunded_ids);
    get diagnostics v_done = row_count;
    if v_done < cardinality(refunded_ids) then
      raise exception 'another node refunded the request first' using errcode = '40001';
    end if;
  end if;
  if cardinality(expired_ids) > 0 then
    delete from limit_request where id = any(expired_ids) and expires_at <= v_now;
  end if;
  return v_result;
end $$;

-- Executes steps on leases in order, by the rules of core.
--
--   p_now          the time to decide by; null for the database's clock, read when the locks are
--                  held
--   p_resources    the resources of the steps, each once, in the order in which all nodes lock them
--   p_may_grant    for each resource, whether a step may grant a lease, so that its row must exist
--   for each step
--     p_step         1 acquire, 2 renew, 3 release, 4 join a queue, 5 end all, 6 release after a
--                    delay
--     p_resource     index in p_resources
--     p_ids          id of the lease
--     p_places       places of the lease
--     p_max          max places of the resource
--     p_micros       time to live of the lease, a queue's delay for each place, or the delay after
--                    which to release
--
-- Returns one array, with for each step: 1 held, 2 full, 3 gone; the places held by all leases; and
-- the lease's places and expiry if it is held, or 0 and the wait until enough places are free.
create function weir_lease_step_1(
  p_now bigint, p_resources text[], p_may_grant boolean[],
  p_step int[], p_resource int[], p_ids text[], p_places int[], p_max int[], p_micros bigint[])
returns bigint[] language plpgsql volatile as $$
declare
  c_earliest constant bigint := -62135596800000000;
  c_slack    constant bigint := 60000000;

  v_now           bigint;
  v_held          bigint[];   -- places held of each resource, null if it does not exist
  v_held_before   bigint[];
  v_remove        bigint[];
  v_remove_before bigint[];
  v_resource      text;
  v_places        bigint;
  v_expires_at    bigint;
  v_index         int;
  v_result        bigint[];
begin
  for i in 1 .. cardinality(p_resources) loop
    select l.places, l.remove_at into v_places, v_expires_at
    from lease_resource l where l.resource = p_resources[i] for update;
    if not found and p_may_grant[i] then
      insert into lease_resource (resource, places, remove_at)
      values (p_resources[i], 0, c_earliest)
      on conflict (resource) do nothing;
      select l.places, l.remove_at into v_places, v_expires_at
      from lease_resource l where l.resource = p_resources[i] for update;
      if not found then
        raise exception 'the resource was removed by another transaction' using errcode = '40001';
      end if;
    end if;
    v_held[i] := v_places;
    v_remove[i] := v_expires_at;
  end loop;
  v_now := coalesce(p_now, (extract(epoch from clock_timestamp()) * 1000000)::bigint);
  v_held_before := v_held;
  v_remove_before := v_remove;

  -- Remove leases that have expired.
  for i in 1 .. cardinality(p_resources) loop
    if v_held[i] > 0 then
      with ended as (
        delete from lease l where l.resource = p_resources[i] and l.expires_at <= v_now
        returning l.places)
      select coalesce(sum(ended.places), 0) into v_places from ended;
      v_held[i] := v_held[i] - v_places;
    end if;
  end loop;

  for i in 1 .. cardinality(p_step) loop
    v_index := p_resource[i];
    v_resource := p_resources[v_index];
    v_expires_at := null;
    if v_held[v_index] > 0 then
      select l.places, l.expires_at into v_places, v_expires_at
      from lease l where l.resource = v_resource and l.id = p_ids[i];
    end if;

    if p_step[i] = 3 or p_step[i] = 5 then
      if p_step[i] = 5 then
        delete from lease l where l.resource = v_resource;
        v_held[v_index] := least(v_held[v_index], 0);
      elsif v_expires_at is not null then
        delete from lease l where l.resource = v_resource and l.id = p_ids[i];
        v_held[v_index] := v_held[v_index] - v_places;
      end if;
      v_result := v_result || array[3, coalesce(v_held[v_index], 0), 0, 0];

    elsif p_step[i] = 2 then
      if v_expires_at is null then
        v_result := v_result || array[3, coalesce(v_held[v_index], 0), 0, 0];
      else
        -- A clock that stepped backwards must not shorten the lease.
        if v_now + p_micros[i] > v_expires_at then
          v_expires_at := v_now + p_micros[i];
          update lease l set expires_at = v_expires_at
          where l.resource = v_resource and l.id = p_ids[i];
        end if;
        v_result := v_result || array[1, v_held[v_index], v_places, v_expires_at];
      end if;

    elsif p_step[i] = 6 then
      if v_expires_at is null then
        v_result := v_result || array[3, coalesce(v_held[v_index], 0), 0, 0];
      else
        if v_now + p_micros[i] < v_expires_at then
          v_expires_at := v_now + p_micros[i];
          update lease l set expires_at = v_expires_at
          where l.resource = v_resource and l.id = p_ids[i];
        end if;
        v_result := v_result || array[1, v_held[v_index], v_places, v_expires_at];
      end if;

    elsif v_expires_at is not null then
      v_result := v_result || array[1, v_held[v_index], v_places, v_expires_at];

    elsif v_held[v_index] + p_places[i] > p_max[i] then
      select w.expires_at into v_expires_at
      from (
        select l.expires_at,
               sum(l.places) over (order by l.expires_at rows unbounded preceding) as ended
        from lease l where l.resource = v_resource) w
      where w.ended >= v_held[v_index] + p_places[i] - p_max[i]
      order by w.expires_at limit 1;
      v_result := v_result || array[2, v_held[v_index], 0, v_expires_at - v_now];
      v_expires_at := null;

    else
      v_held[v_index] := v_held[v_index] + p_places[i];
      v_expires_at := v_now
        + case p_step[i] when 4 then v_held[v_index] * p_micros[i] else p_micros[i] end;
      insert into lease (resource, id, places, expires_at)
      values (v_resource, p_ids[i], p_places[i], v_expires_at);
      v_result := v_result || array[1, v_held[v_index], p_places[i], v_expires_at];
    end if;

    if v_expires_at > v_remove[v_index] then
      v_remove[v_index] := v_expires_at + greatest(v_expires_at - v_now, c_slack);
    end if;
  end loop;

  for i in 1 .. cardinality(p_resources) loop
    if v_held[i] <> v_held_before[i] or v_remove[i] <> v_remove_before[i] then
      update lease_resource l set places = v_held[i], remove_at = v_remove[i]
      where l.resource = p_resources[i];
    end if;
  end loop;
  return v_result;
end $$;
