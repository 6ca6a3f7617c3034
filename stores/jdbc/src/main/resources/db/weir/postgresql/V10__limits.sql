-- Limits and leases. Times are whole microseconds since the epoch.
--
-- The numbers of migrations leave gaps, ten for each part of Weir: slots have 1 to 9, limits 10 to
-- 19. Functions carry a version in their names and are never changed: nodes of two versions of Weir
-- may run on one database, each calls the function that it knows.

-- What is used of a limit, for a key: the Usage of core.
--   id         kind of limit, policy and key, see UsageId: one text, so that one comparison tells
--              them apart. At most 1,538 bytes, which an index can hold.
--   remove_at  not before this time the usage equals a fresh one. It runs ahead of the truth and is
--              written only when the truth has caught up, because it is indexed: all other updates
--              stay within their page (HOT), for which the pages have room.
create table limit_usage (
  at_micros     bigint not null,
  used          bigint not null,
  used_before   bigint not null,
  scale         bigint not null,
  remove_at     bigint not null,
  id            text   collate "C" not null primary key
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05);

create index limit_usage_by_removal on limit_usage (remove_at);

-- Demands that were granted and may be repeated, with their answers as weir_limit_decide_1 gives
-- them.
create table limit_request (
  expires_at bigint   not null,
  answer     bigint[] not null,
  id         text     collate "C" not null primary key
) with (autovacuum_vacuum_scale_factor = 0.05);

create index limit_request_by_end on limit_request (expires_at);

-- For people.
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

-- SlidingWindow.weighed: what counts at a time, rounded up.
create function weir_sliding_weighed_1(
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

-- Limit.waitMicros, of a settled usage. Kinds: 1 fixed window from its first use, 2 fixed window
-- aligned to the epoch, 3 sliding window, 4 token bucket. p_size is the window, or the micros of a
-- refill; p_refill the tokens of a refill.
create function weir_limit_wait_1(
  p_kind int, p_most bigint, p_size bigint, p_refill bigint,
  p_at bigint, p_used bigint, p_before bigint, p_cost bigint, p_now bigint)
returns bigint language plpgsql immutable strict as $$
declare
  v_tick  bigint;
  v_ticks bigint;
  v_here  bigint;
  v_left  bigint;
begin
  if p_kind = 4 then
    v_here := p_used - (p_most - p_cost) * p_size;
    if v_here <= 0 then
      return 0;
    end if;
    return (v_here + p_refill - 1) / p_refill + p_at - p_now;
  end if;
  if p_kind = 1 or p_kind = 2 then
    if p_cost <= p_most - p_used then
      return 0;
    elsif p_kind = 1 then
      return p_at + p_size - p_now;
    end if;
    return p_at - ((p_at % p_size) + p_size) % p_size + p_size - p_now;
  end if;
  if p_cost <= p_most - weir_sliding_weighed_1(p_size, p_at, p_used, p_before, p_now) then
    return 0;
  end if;
  v_tick := (p_size + 1048575) / 1048576;
  v_ticks := p_size / v_tick;
  v_here := p_most - p_cost - p_used;
  v_left := case when v_here < 0 then 0
                 when v_here >= p_before then p_size
                 else v_here * v_ticks / p_before * v_tick end;
  if v_left > 0 then
    return p_at + p_size - v_left - p_now;
  end if;
  -- In the next window, what is used here is what weighs.
  v_here := p_most - p_cost;
  v_left := case when v_here >= p_used then p_size
                 else v_here * v_ticks / p_used * v_tick end;
  return p_at + 2 * p_size - v_left - p_now;
end $$;

-- Decides demands, in order, as core does; gives back what was granted.
--
--   p_now      the time that counts; null for the database's, read when the locks are held
--   p_look     whether to look without a lock first: if nothing is to be written, that was it
--   p_ids      the usages that are asked for, each once, in the order in which all nodes lock them
--   for each demand
--     p_asks     the number of its asks
--   for each demand, or empty if there is none to give back
--     p_taken    null to decide; to give back, when it was taken
--   for each demand, or empty if none has a request id
--     p_requests its request id, '' for none
--     p_ttls     for how long it is remembered
--     p_repeats  the demand before it in this call with the same request id, of the same sort
--                (to decide, to give back), 0 for none
--   for each ask of all demands
--     p_usage    which of p_ids
--     p_kind, p_most, p_size, p_refill   as in weir_limit_wait_1
--     p_cost     how much
--
-- Answers, in one array, for each demand: whether it was replayed (1 or 0), when it was decided,
-- the number of its decisions, and for each of them what remains, after which time there is more,
-- and after which time to try again, -1 if it is allowed.
create function weir_limit_decide_1(
  p_now bigint, p_look boolean, p_ids text[], p_asks int[], p_taken bigint[],
  p_requests text[], p_ttls bigint[], p_repeats int[],
  p_usage int[], p_kind int[], p_most bigint[], p_size bigint[], p_refill bigint[], p_cost bigint[])
returns bigint[] language plpgsql volatile as $$
declare
  c_earliest constant bigint := -62135596800000000;
  c_slack    constant bigint := 60000000;  -- remove_at runs ahead by at least a minute

  v_now     bigint;
  v_locked  boolean := not p_look;
  v_writes  boolean;
  v_changed int;
  v_done    int;
  r         record;

  -- The usages, as in p_ids.
  u_tid     tid[];
  u_at      bigint[];
  u_used    bigint[];
  u_before  bigint[];
  u_scale   bigint[];
  u_remove  bigint[];
  u_changed boolean[];

  -- The answers of demands that were granted in earlier calls, and where each begins.
  k         bigint[];
  k_first   int[];

  -- Requests to remember, with where their answers are, and requests to forget.
  n_ids     text[];
  n_ends    bigint[];
  n_first   int[];
  n_last    int[];
  e_ids     text[];
  x_ids     text[];     -- those of them that were over already

  -- The usages of a demand, settled, and what remains of them.
  t_at      bigint[];
  t_used    bigint[];
  t_before  bigint[];
  t_remains bigint[];

  v_at      bigint;
  v_used    bigint;
  v_before  bigint;
  v_remains bigint;
  v_kind    int;
  v_size    bigint;
  v_cost    bigint;
  v_start   bigint;
  v_ends    bigint;
  v_taken   bigint;
  v_request text;
  v_granted boolean;
  v_asks    int;
  v_next    int;
  i         int;
  s         int;

  -- The answers, their number of elements, and where each begins, null if it was refused.
  o         bigint[];
  o_size    int;
  o_granted int[];
begin
  loop
    if v_locked then
      -- One after the other, in the order of p_ids: nobody can wait in a circle.
      select array_agg(u.tid), array_agg(coalesce(u.at_micros, c_earliest)),
             array_agg(coalesce(u.used, 0)), array_agg(coalesce(u.used_before, 0)),
             array_agg(coalesce(u.scale, 0)), array_agg(coalesce(u.remove_at, c_earliest))
      into u_tid, u_at, u_used, u_before, u_scale, u_remove
      from unnest(p_ids) with ordinality as n(id, i)
      left join lateral (
        select l.ctid as tid, l.at_micros, l.used, l.used_before, l.scale, l.remove_at
        from limit_usage l where l.id = n.id for update) u on true;
    else
      select array_agg(coalesce(u.at_micros, c_earliest)), array_agg(coalesce(u.used, 0)),
             array_agg(coalesce(u.used_before, 0)), array_agg(coalesce(u.scale, 0))
      into u_at, u_used, u_before, u_scale
      from unnest(p_ids) with ordinality as n(id, i)
      left join lateral (
        select l.at_micros, l.used, l.used_before, l.scale
        from limit_usage l where l.id = n.id offset 0) u on true;
      u_remove := u_at;
    end if;
    u_changed := array_fill(false, array[cardinality(p_ids)]);
    v_now := coalesce(p_now, (extract(epoch from clock_timestamp()) * 1000000)::bigint);

    -- A statement of its own after the locks: it sees what was committed while they were waited
    -- for.
    if cardinality(p_requests) > 0 then
      k := '{}';
      k_first := array_fill(null::int, array[cardinality(p_asks)]);
      n_ids := '{}';
      n_ends := '{}';
      n_first := '{}';
      n_last := '{}';
      e_ids := '{}';
      x_ids := '{}';
      for r in
        select n.i, q.answer from unnest(p_requests) with ordinality as n(id, i)
        cross join lateral (
          select l.answer from limit_request l
          where l.id = n.id and l.expires_at > v_now offset 0) q
        where n.id <> ''
      loop
        k_first[r.i] := cardinality(k) + 1;
        k := k || r.answer;
      end loop;
    end if;

    o := '{}';
    o_size := 0;
    o_granted := '{}';
    v_writes := false;
    v_changed := 0;
    v_next := 0;
    for d in 1 .. cardinality(p_asks) loop
      v_asks := p_asks[d];
      v_taken := p_taken[d];
      v_request := coalesce(p_requests[d], '');

      if v_request <> '' and v_taken is null then
        -- Granted before, in this call or in an earlier one?
        s := o_granted[p_repeats[d]];
        if s is not null or k_first[d] is not null then
          o_granted[d] := o_size + 1;
          o[o_size + 1] := 1;
          if s is not null then
            for j in 1 .. 2 + 3 * o[s + 2] loop
              o[o_size + 1 + j] := o[s + j];
            end loop;
          else
            s := k_first[d];
            for j in 1 .. 2 + 3 * k[s + 1] loop
              o[o_size + 1 + j] := k[s + j - 1];
            end loop;
          end if;
          o_size := cardinality(o);
          v_next := v_next + v_asks;
          continue;
        end if;
      end if;

      -- Limit.settle and Limit.remaining.
      v_granted := true;
      for j in 1 .. v_asks loop
        i := v_next + j;
        s := p_usage[i];
        v_kind := p_kind[i];
        v_size := p_size[i];
        v_at := u_at[s];
        v_used := u_used[s];
        v_before := 0;
        if v_kind = 4 then
          if v_used > 0 and u_scale[s] <> v_size then
            v_used := least((v_used + u_scale[s] - 1) / u_scale[s], 9007199254740992 / v_size)
                      * v_size;
          end if;
          if v_now > v_at then
            if v_now - v_at >= (v_used + p_refill[i] - 1) / p_refill[i] then
              v_used := 0;
            else
              v_used := v_used - (v_now - v_at) * p_refill[i];
            end if;
            v_at := v_now;
          end if;
          v_remains := greatest(0, (p_most[i] * v_size - v_used) / v_size);
        elsif v_kind = 3 then
          v_before := u_before[s];
          if u_scale[s] <> v_size and (v_used > 0 or v_before > 0) then
            -- Counted with other windows: SlidingWindow.converted.
            v_start := v_at - ((v_at % v_size) + v_size) % v_size;
            v_ends := v_at - u_scale[s];
            v_ends := v_ends - ((v_ends % v_size) + v_size) % v_size;
            if v_ends = v_start then
              v_used := v_used + v_before;
            end if;
            if v_ends <> v_start - v_size then
              v_before := 0;
            end if;
            v_used := least(v_used, 8589934592);
            v_at := v_start;
          end if;
          v_start := v_now - ((v_now % v_size) + v_size) % v_size;
          if v_used = 0 and v_before = 0 then
            v_at := v_start;
          elsif v_start > v_at then
            v_before := case when v_start = v_at + v_size then v_used else 0 end;
            v_used := 0;
            v_at := v_start;
          end if;
          v_remains :=
            greatest(0, p_most[i] - weir_sliding_weighed_1(v_size, v_at, v_used, v_before, v_now));
        else
          v_ends := v_at + v_size;
          if v_kind = 2 then
            v_ends := v_ends - ((v_at % v_size) + v_size) % v_size;
          end if;
          if v_used = 0 or v_now >= v_ends then
            v_used := 0;
            v_at := v_now;
            if v_kind = 2 then
              v_at := v_now - ((v_now % v_size) + v_size) % v_size;
            end if;
          end if;
          v_remains := greatest(0, p_most[i] - v_used);
        end if;
        v_cost := p_cost[i];
        v_granted := v_granted and v_cost <= v_remains;
        -- Of a single ask, which is the usual, the next loop finds all in the variables.
        if v_asks > 1 then
          t_at[j] := v_at;
          t_used[j] := v_used;
          t_before[j] := v_before;
          t_remains[j] := v_remains;
        end if;
      end loop;

      if v_taken is null then
        if v_granted then
          o_granted[d] := o_size + 1;
        end if;
        o[o_size + 1] := 0;
        o[o_size + 2] := v_now;
        o[o_size + 3] := v_asks;
      else
        -- Who has a request id is given back once.
        v_granted := v_request = '' or (k_first[d] is not null and p_repeats[d] = 0);
        o[o_size + 1] := 0;
        o[o_size + 2] := v_now;
        o[o_size + 3] := 0;
      end if;
      o_size := o_size + 3;

      -- Limit.take or Limit.giveBack, and what to say.
      for j in 1 .. v_asks loop
        if v_asks > 1 then
          i := v_next + j;
          s := p_usage[i];
          v_kind := p_kind[i];
          v_size := p_size[i];
          v_cost := p_cost[i];
          v_at := t_at[j];
          v_used := t_used[j];
          v_before := t_before[j];
          v_remains := t_remains[j];
        end if;
        if v_taken is not null then
          -- Of what was never used, nothing is given back.
          continue when not v_granted or u_scale[s] = 0;
          if v_kind = 4 then
            -- Not what has refilled since.
            if v_at - v_taken < (v_cost * v_size + p_refill[i] - 1) / p_refill[i] then
              v_used := greatest(0,
                v_used - v_cost * v_size + greatest(0, v_at - v_taken) * p_refill[i]);
            end if;
          elsif v_taken >= v_at then
            v_used := greatest(0, v_used - v_cost);
          elsif v_kind = 3 and v_taken >= v_at - v_size then
            v_before := greatest(0, v_before - v_cost);
          end if;
        elsif v_granted then
          v_used := v_used + (case v_kind when 4 then v_cost * v_size else v_cost end);
          v_remains := v_remains - v_cost;
        end if;

        if v_granted then
          u_at[s] := v_at;
          u_used[s] := v_used;
          u_before[s] := v_before;
          u_scale[s] := case when v_kind < 3 then 1 else v_size end;
          if not u_changed[s] then
            u_changed[s] := true;
            v_changed := v_changed + 1;
          end if;
          v_writes := true;
          -- Limit.idleMicros.
          if v_used > 0 or v_before > 0 then
            if v_kind = 4 then
              v_ends := (v_used + p_refill[i] - 1) / p_refill[i] + v_at;
            elsif v_kind = 3 and v_used > 0 then
              v_ends := v_at + 2 * v_size;
            else
              v_ends := v_at + v_size;
            end if;
            if v_ends > u_remove[s] then
              u_remove[s] := v_ends + greatest(v_ends - v_now, c_slack);
            end if;
          end if;
        end if;

        continue when v_taken is not null;
        o[o_size + 1] := v_remains;
        o[o_size + 2] := case when v_remains >= p_most[i] then 0
          else weir_limit_wait_1(v_kind, p_most[i], v_size, p_refill[i],
                                 v_at, v_used, v_before, v_remains + 1, v_now) end;
        o[o_size + 3] := case when v_granted or v_cost <= v_remains then -1
          else weir_limit_wait_1(v_kind, p_most[i], v_size, p_refill[i],
                                 v_at, v_used, v_before, v_cost, v_now) end;
        o_size := o_size + 3;
      end loop;
      v_next := v_next + v_asks;

      if v_request <> '' and (v_granted or v_taken is not null) then
        v_writes := true;
        if not v_granted then
          x_ids := x_ids || v_request;
        elsif v_taken is null then
          n_ids := n_ids || v_request;
          n_ends := n_ends || (v_now + p_ttls[d]);
          n_first := n_first || (o_granted[d] + 1);
          n_last := n_last || o_size;
        else
          e_ids := e_ids || v_request;
        end if;
      end if;
    end loop;

    exit when v_locked or not v_writes;
    v_locked := true;
  end loop;

  if not v_writes then
    return o;
  end if;

  -- The rows are locked: they lie where they lay.
  update limit_usage u
  set at_micros = n.at_micros, used = n.used, used_before = n.used_before, scale = n.scale,
      remove_at = n.remove_at
  from unnest(u_tid, u_at, u_used, u_before, u_scale, u_remove, u_changed)
    as n(tid, at_micros, used, used_before, scale, remove_at, changed)
  where u.ctid = n.tid and n.changed;
  get diagnostics v_done = row_count;
  v_changed := v_changed - v_done;

  -- What is new may have come into being elsewhere since: then all has to be decided again.
  if v_changed > 0 then
    insert into limit_usage (id, at_micros, used, used_before, scale, remove_at)
    select n.id, n.at_micros, n.used, n.used_before, n.scale, n.remove_at
    from unnest(p_ids, u_tid, u_at, u_used, u_before, u_scale, u_remove, u_changed)
      as n(id, tid, at_micros, used, used_before, scale, remove_at, changed)
    where n.changed and n.tid is null
    on conflict (id) do nothing;
    get diagnostics v_done = row_count;
    if v_done < v_changed then
      raise exception 'another node counted first' using errcode = '40001';
    end if;
  end if;

  if cardinality(n_ids) > 0 then
    insert into limit_request as l (id, expires_at, answer)
    select n.id, n.ends, o[n.first : n.last]
    from unnest(n_ids, n_ends, n_first, n_last) as n(id, ends, first, last) order by n.id
    on conflict (id) do update set expires_at = excluded.expires_at, answer = excluded.answer
    where l.expires_at <= v_now;
    get diagnostics v_done = row_count;
    if v_done < cardinality(n_ids) then
      raise exception 'another node granted the request first' using errcode = '40001';
    end if;
  end if;
  if cardinality(e_ids) > 0 then
    delete from limit_request where id = any(e_ids);
    get diagnostics v_done = row_count;
    if v_done < cardinality(e_ids) then
      raise exception 'another node gave the request back first' using errcode = '40001';
    end if;
  end if;
  if cardinality(x_ids) > 0 then
    delete from limit_request where id = any(x_ids) and expires_at <= v_now;
  end if;
  return o;
end $$;

-- Whoever holds leases of a resource, or waits in its queue: the LiveLeases of core.
create table lease (
  expires_at bigint not null,
  places     int    not null,
  resource   text   collate "C" not null,
  id         text   collate "C" not null,
  primary key (resource, id)
) with (autovacuum_vacuum_scale_factor = 0.05);

create index lease_by_end on lease (resource, expires_at);

-- A resource that has leases: its lock. Whoever writes its leases holds it.
--   places     of all its leases that are in the table, so that nobody has to add them up
--   remove_at  not before this time the last of them ends; runs ahead, as in limit_usage
create table lease_resource (
  places    bigint not null,
  remove_at bigint not null,
  resource  text   collate "C" not null primary key
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05);

create index lease_resource_by_removal on lease_resource (remove_at);

-- Does steps on leases, in order, as core does.
--
--   p_now        the time that counts; null for the database's, read when the locks are held
--   p_resources  those of the steps, each once, in the order in which all nodes lock them
--   p_makes      for each resource, whether it is taken of, so that it must be there
--   for each step
--     p_step       1 acquire, 2 renew, 3 release, 4 join a queue, 5 end all
--     p_resource   which of p_resources
--     p_ids        the lease
--     p_places     how many places of it
--     p_most       how many there are
--     p_micros     its time to live, or a queue's delay for each place
--
-- Answers, in one array, for each step: 1 held, 2 full, 3 gone; the places that are held by all;
-- and the lease's places and end if it is held, or 0 and the wait until enough are free.
create function weir_lease_step_1(
  p_now bigint, p_resources text[], p_makes boolean[],
  p_step int[], p_resource int[], p_ids text[], p_places int[], p_most int[], p_micros bigint[])
returns bigint[] language plpgsql volatile as $$
declare
  c_earliest constant bigint := -62135596800000000;
  c_slack    constant bigint := 60000000;

  v_now     bigint;
  v_held    bigint[];   -- places held of each resource, null if it is not there
  v_before  bigint[];
  v_remove  bigint[];
  v_was     bigint[];
  v_name    text;
  v_places  bigint;
  v_ends    bigint;
  n         int;
  o         bigint[];
begin
  for i in 1 .. cardinality(p_resources) loop
    select l.places, l.remove_at into v_places, v_ends
    from lease_resource l where l.resource = p_resources[i] for update;
    if not found and p_makes[i] then
      insert into lease_resource (resource, places, remove_at) values (p_resources[i], 0, c_earliest)
      on conflict (resource) do nothing;
      select l.places, l.remove_at into v_places, v_ends
      from lease_resource l where l.resource = p_resources[i] for update;
      if not found then
        raise exception 'the resource came and went' using errcode = '40001';
      end if;
    end if;
    v_held[i] := v_places;
    v_remove[i] := v_ends;
  end loop;
  v_now := coalesce(p_now, (extract(epoch from clock_timestamp()) * 1000000)::bigint);
  v_before := v_held;
  v_was := v_remove;

  -- LiveLeases.at.
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
    n := p_resource[i];
    v_name := p_resources[n];
    v_ends := null;
    if v_held[n] > 0 then
      select l.places, l.expires_at into v_places, v_ends
      from lease l where l.resource = v_name and l.id = p_ids[i];
    end if;

    if p_step[i] = 3 or p_step[i] = 5 then
      if p_step[i] = 5 then
        delete from lease l where l.resource = v_name;
        v_held[n] := least(v_held[n], 0);
      elsif v_ends is not null then
        delete from lease l where l.resource = v_name and l.id = p_ids[i];
        v_held[n] := v_held[n] - v_places;
      end if;
      o := o || array[3, coalesce(v_held[n], 0), 0, 0];

    elsif p_step[i] = 2 then
      if v_ends is null then
        o := o || array[3, coalesce(v_held[n], 0), 0, 0];
      else
        -- A clock that stepped backwards must not shorten it.
        if v_now + p_micros[i] > v_ends then
          v_ends := v_now + p_micros[i];
          update lease l set expires_at = v_ends where l.resource = v_name and l.id = p_ids[i];
        end if;
        o := o || array[1, v_held[n], v_places, v_ends];
      end if;

    elsif v_ends is not null then
      o := o || array[1, v_held[n], v_places, v_ends];

    elsif v_held[n] + p_places[i] > p_most[i] then
      select w.expires_at into v_ends
      from (
        select l.expires_at, sum(l.places) over (order by l.expires_at rows unbounded preceding) as ended
        from lease l where l.resource = v_name) w
      where w.ended >= v_held[n] + p_places[i] - p_most[i]
      order by w.expires_at limit 1;
      o := o || array[2, v_held[n], 0, v_ends - v_now];
      v_ends := null;

    else
      v_held[n] := v_held[n] + p_places[i];
      v_ends := v_now + case p_step[i] when 4 then v_held[n] * p_micros[i] else p_micros[i] end;
      insert into lease (resource, id, places, expires_at)
      values (v_name, p_ids[i], p_places[i], v_ends);
      o := o || array[1, v_held[n], p_places[i], v_ends];
    end if;

    if v_ends > v_remove[n] then
      v_remove[n] := v_ends + greatest(v_ends - v_now, c_slack);
    end if;
  end loop;

  for i in 1 .. cardinality(p_resources) loop
    if v_held[i] <> v_before[i] or v_remove[i] <> v_was[i] then
      update lease_resource l set places = v_held[i], remove_at = v_remove[i]
      where l.resource = p_resources[i];
    end if;
  end loop;
  return o;
end $$;
