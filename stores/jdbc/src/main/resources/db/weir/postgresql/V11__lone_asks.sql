-- One ask can be decided by itself, without arrays.
--
-- PostgreSQL prepares each expression of a function anew in each transaction. For a batch that is
-- little, for a lonely caller it was most of the time: so the fewer expressions are met, the better.

-- One ask of one limit, of a usage as it is stored: Limit.decide and Limit.refund of core.
--
--   p_kind, p_most, p_size, p_refill   as in weir_limit_wait_1
--   p_take     whether to take the cost if it is there, or only say so
--   p_taken    null to decide; to give back, when it was taken
--
-- Answers the usage (at, used, used before), when it will equal a fresh one, null if it does; and
-- what remains, after which time there is more, and after which time to try again, -1 if it is
-- allowed.
create function weir_limit_ask_1(
  p_kind int, p_most bigint, p_size bigint, p_refill bigint,
  p_at bigint, p_used bigint, p_before bigint, p_scale bigint,
  p_cost bigint, p_now bigint, p_take boolean, p_taken bigint)
returns bigint[] language plpgsql immutable as $$
declare
  v_at      bigint := p_at;
  v_used    bigint := p_used;
  v_before  bigint := 0;
  v_remains bigint;
  v_retry   bigint := -1;
  v_start   bigint;
  v_ends    bigint;
begin
  -- Limit.settle and Limit.remaining.
  if p_kind = 4 then
    if p_used > 0 and p_scale <> p_size then
      v_used := least((p_used + p_scale - 1) / p_scale, 9007199254740992 / p_size) * p_size;
    end if;
    if p_now > p_at then
      v_used := case when p_now - p_at >= (v_used + p_refill - 1) / p_refill then 0
                     else v_used - (p_now - p_at) * p_refill end;
      v_at := p_now;
    end if;
    v_remains := greatest(0, (p_most * p_size - v_used) / p_size);
  elsif p_kind = 3 then
    v_before := p_before;
    if p_scale <> p_size and (v_used > 0 or v_before > 0) then
      -- Counted with other windows: SlidingWindow.converted.
      v_start := v_at - ((v_at % p_size) + p_size) % p_size;
      v_ends := v_at - p_scale;
      v_ends := v_ends - ((v_ends % p_size) + p_size) % p_size;
      if v_ends = v_start then
        v_used := v_used + v_before;
      end if;
      if v_ends <> v_start - p_size then
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
    v_remains :=
      greatest(0, p_most - weir_sliding_weighed_1(p_size, v_at, v_used, v_before, p_now));
  else
    v_ends := v_at + p_size;
    if p_kind = 2 then
      v_ends := v_ends - ((v_at % p_size) + p_size) % p_size;
    end if;
    if v_used = 0 or p_now >= v_ends then
      v_used := 0;
      v_at := p_now;
      if p_kind = 2 then
        v_at := p_now - ((p_now % p_size) + p_size) % p_size;
      end if;
      v_ends := v_at + p_size;
    end if;
    v_remains := greatest(0, p_most - v_used);
  end if;

  if p_taken is not null then
    -- Limit.giveBack.
    if p_kind = 4 then
      -- Not what has refilled since.
      if v_at - p_taken < (p_cost * p_size + p_refill - 1) / p_refill then
        v_used := greatest(0,
          v_used - p_cost * p_size + greatest(0, v_at - p_taken) * p_refill);
      end if;
    elsif p_taken >= v_at then
      v_used := greatest(0, v_used - p_cost);
    elsif p_kind = 3 and p_taken >= v_at - p_size then
      v_before := greatest(0, v_before - p_cost);
    end if;
  elsif p_cost > v_remains then
    -- Limit.waitMicros, which is never nothing here: of most kinds it is one term, for which no
    -- further function is called.
    v_retry :=
      case p_kind
        when 4 then
          (v_used - (p_most - p_cost) * p_size + p_refill - 1) / p_refill + v_at - p_now
        when 3 then
          weir_limit_wait_1(3, p_most, p_size, p_refill, v_at, v_used, v_before, p_cost, p_now)
        else v_ends - p_now end;
  elsif p_take then
    -- Limit.take.
    v_used := v_used + case p_kind when 4 then p_cost * p_size else p_cost end;
    v_remains := v_remains - p_cost;
  end if;

  -- Limit.idleMicros, from now on; and Limit.waitMicros for one more than remains.
  return array[v_at, v_used, v_before,
    case when v_used = 0 and v_before = 0 then null
         when p_kind = 4 then (v_used + p_refill - 1) / p_refill + v_at
         when p_kind = 3 and v_used > 0 then v_at + 2 * p_size
         else v_at + p_size end,
    v_remains,
    case when v_remains >= p_most then 0
         when p_kind = 4 then
           (v_used - (p_most - v_remains - 1) * p_size + p_refill - 1) / p_refill + v_at - p_now
         when p_kind = 3 then
           weir_limit_wait_1(3, p_most, p_size, p_refill,
                             v_at, v_used, v_before, v_remains + 1, p_now)
         else v_ends - p_now end,
    v_retry];
end $$;

-- One demand of one ask, without a request id: as weir_limit_decide_2 does it.
--
--   p_id       the usage
--   p_now, p_look   as there
--
-- Answers when it was decided, what remains, after which time there is more, and after which time
-- to try again, -1 if it is allowed.
create function weir_limit_decide_one_1(
  p_now bigint, p_look boolean, p_id text,
  p_kind int, p_most bigint, p_size bigint, p_refill bigint, p_cost bigint)
returns bigint[] language plpgsql volatile as $$
declare
  c_earliest constant bigint := -62135596800000000;
  c_slack    constant bigint := 60000000;  -- remove_at runs ahead by at least a minute

  v_locked boolean := not p_look;
  v_now    bigint;
  v_known  boolean;

  -- The usage, and what weir_limit_ask_1 says.
  u_tid    tid;
  u_at     bigint;
  u_used   bigint;
  u_before bigint;
  u_scale  bigint;
  u_remove bigint;
  a        bigint[];
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
    a := weir_limit_ask_1(p_kind, p_most, p_size, p_refill,
      u_at, u_used, u_before, u_scale, p_cost, v_now, true, null);
    if a[7] >= 0 then
      return array[v_now, a[5], a[6], a[7]];
    end if;
    exit when v_locked;
    v_locked := true;
  end loop;

  if a[4] > u_remove then
    u_remove := a[4] + greatest(a[4] - v_now, c_slack);
  end if;
  if v_known then
    -- The row is locked: it lies where it lay.
    update limit_usage u
    set at_micros = a[1], used = a[2], used_before = a[3],
        scale = case when p_kind < 3 then 1 else p_size end, remove_at = u_remove
    where u.ctid = u_tid;
  else
    insert into limit_usage (id, at_micros, used, used_before, scale, remove_at)
    values (p_id, a[1], a[2], a[3], case when p_kind < 3 then 1 else p_size end, u_remove)
    on conflict (id) do nothing;
    if not found then
      raise exception 'another node counted first' using errcode = '40001';
    end if;
  end if;
  return array[v_now, a[5], a[6], a[7]];
end $$;

-- Decides demands, in order, by the arithmetic of weir_limit_ask_1; gives back what was granted. The
-- parameters are those of weir_limit_decide_1, and:
--
--   for each demand, or empty if none has a request id
--     p_bindings five numbers: two of the digest of the request that the id belongs to, one for the
--                usages that its asks count in, and two of a note that is remembered
--   for each ask of all demands
--     p_kind     0 if the ask is waited for, and nothing is to be taken: then p_most is what remains,
--                p_size after which time there is more, p_refill the wait, p_cost the position
--
-- Answers, in one array, the time; and for each demand: whether it was decided now (0), replayed (1)
-- or has the request id of another request (2); when it was decided; the note of the first, if it
-- was replayed, as two numbers; the number of its decisions; and for each of them what remains, after
-- which time there is more, and after which time to try again, -1 if it is allowed, -2 if it is
-- waited for: then wait and position follow. To what is given back there are no decisions, and the
-- first number is 0 if it was, 1 if the request id is not known, 2 if it is another request's.
--
-- A request is remembered as its binding, when it was decided, the number of its decisions, and
-- these. What is given back by a request id is what was granted under it, whatever is asked.
create function weir_limit_decide_2(
  p_now bigint, p_look boolean, p_ids text[], p_asks int[], p_taken bigint[],
  p_requests text[], p_ttls bigint[], p_repeats int[], p_bindings bigint[],
  p_usage int[], p_kind int[], p_most bigint[], p_size bigint[], p_refill bigint[], p_cost bigint[])
returns bigint[] language plpgsql volatile as $$
declare
  c_earliest constant bigint := -62135596800000000;
  c_slack    constant bigint := 60000000;  -- remove_at runs ahead by at least a minute

  v_now     bigint;
  v_locked  boolean := not p_look;
  v_again   boolean := false;
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

  -- What is remembered of demands that were granted in earlier calls, and where each begins and ends.
  k         bigint[];
  k_first   int[];
  k_last    int[];
  q         bigint[];   -- what is remembered of one

  -- Requests to remember, with where their answers are, and requests to forget.
  n_ids     text[];
  n_ends    bigint[];
  n_first   int[];
  n_last    int[];
  n_binding int[];
  e_ids     text[];
  x_ids     text[];     -- those of them that were over already

  v_taken   bigint;
  v_request text;
  v_granted boolean;
  v_back    int;        -- what becomes of a refund
  v_entry   int;        -- where the next decision of a remembered request is
  v_waited  boolean;
  v_first   int;
  v_asks    int;
  v_next    int;
  s         int;

  -- What weir_limit_ask_1 says.
  a         bigint[];

  -- The answers and their number of elements; where those of granted requests begin and end; for each
  -- demand which demand of this call was granted under its id, or that it was given back.
  o         bigint[];
  o_size    int;
  o_first   int[];
  o_last    int[];
  g         int;
  g_granted int[];
  g_back    boolean[];
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
      k_last := k_first;
      n_ids := '{}';
      n_ends := '{}';
      n_first := '{}';
      n_last := '{}';
      n_binding := '{}';
      e_ids := '{}';
      x_ids := '{}';
      for r in
        select n.i, m.answer from unnest(p_requests) with ordinality as n(id, i)
        cross join lateral (
          select l.answer from limit_request l
          where l.id = n.id and l.expires_at > v_now offset 0) m
        where n.id <> ''
      loop
        k_first[r.i] := cardinality(k) + 1;
        k := k || r.answer;
        k_last[r.i] := cardinality(k);
      end loop;
      -- A request that was granted after the rows were looked for is known, and its usages are not:
      -- they would stay taken when it is given back. They were written together, so they are there
      -- now, unless they have been swept.
      if v_locked and not v_again and cardinality(k) > 0 and cardinality(p_taken) > 0
          and array_position(u_tid, null) is not null then
        v_again := true;
        continue;
      end if;
    end if;

    o := array[v_now];
    o_size := 1;
    o_first := '{}';
    o_last := '{}';
    g_granted := '{}';
    g_back := '{}';
    v_writes := false;
    v_changed := 0;
    v_next := 0;
    for d in 1 .. cardinality(p_asks) loop
      v_asks := p_asks[d];
      v_taken := p_taken[d];
      v_request := coalesce(p_requests[d], '');
      v_first := o_size + 1;

      -- What is known of the request: a grant in this call or in an earlier one.
      q := null;
      if v_request <> '' then
        g := case when v_taken is null then g_granted[p_repeats[d]] end;
        if g is not null then
          q := p_bindings[5 * g - 4 : 5 * g] || o[o_first[g] + 1] || o[o_first[g] + 4 : o_last[g]];
        elsif k_first[d] is not null then
          q := k[k_first[d] : k_last[d]];
        end if;
      end if;
      if q is not null and v_taken is null then
        g_granted[d] := g;
        if q[1] <> p_bindings[5 * d - 4] or q[2] <> p_bindings[5 * d - 3] then
          o := o || array[2, v_now, 0, 0, 0];
        elsif q[3] <> p_bindings[5 * d - 2] then
          -- The rules have changed since; the decisions are not about these asks.
          o := o || array[1, q[6], q[4], q[5], 0];
        else
          o := o || array[1, q[6], q[4], q[5]] || q[7 : cardinality(q)];
        end if;
        o_size := cardinality(o);
        v_next := v_next + v_asks;
        continue;
      end if;

      if v_taken is not null then
        v_back := 0;
        if v_request <> '' then
          -- Who has a request id is given back once, and what was granted when it was granted.
          if q is null or g_back[p_repeats[d]] then
            v_back := 1;
            g_back[d] := g_back[p_repeats[d]];
          elsif q[1] <> p_bindings[5 * d - 4] or q[2] <> p_bindings[5 * d - 3] then
            v_back := 2;
          else
            g_back[d] := true;
            v_taken := q[6];
          end if;
        end if;
        v_granted := v_back = 0;
        v_entry := 8;
      else
        v_granted := true;
        -- All or nothing: nothing is taken before all have been asked.
        if v_asks > 1 then
          for i in v_next + 1 .. v_next + v_asks loop
            continue when p_kind[i] = 0;
            s := p_usage[i];
            a := weir_limit_ask_1(p_kind[i], p_most[i], p_size[i], p_refill[i],
              u_at[s], u_used[s], u_before[s], u_scale[s], p_cost[i], v_now, false, null);
            v_granted := v_granted and a[7] < 0;
          end loop;
        end if;
      end if;
      o[o_size + 1] := case when v_taken is null then 0 else v_back end;
      o[o_size + 2] := v_now;
      o[o_size + 3] := 0;
      o[o_size + 4] := 0;
      o[o_size + 5] := case when v_taken is null then v_asks else 0 end;
      o_size := o_size + 5;

      for i in v_next + 1 .. v_next + v_asks loop
        s := p_usage[i];
        if v_taken is null and p_kind[i] = 0 then
          o[o_size + 1] := p_most[i];
          o[o_size + 2] := p_size[i];
          o[o_size + 3] := -2;
          o[o_size + 4] := p_refill[i];
          o[o_size + 5] := p_cost[i];
          o_size := o_size + 5;
          continue;
        end if;
        if v_taken is not null then
          -- Of what was waited for, and where the rules have changed since, nothing is given back.
          v_waited := p_kind[i] = 0;
          if q is not null then
            v_waited := v_waited or q[3] <> p_bindings[5 * d - 2] or q[v_entry + 2] = -2;
            v_entry := v_entry + case when q[v_entry + 2] = -2 then 5 else 3 end;
          end if;
          -- Nor of what was never used.
          continue when not v_granted or v_waited or u_scale[s] = 0;
        end if;
        a := weir_limit_ask_1(p_kind[i], p_most[i], p_size[i], p_refill[i],
          u_at[s], u_used[s], u_before[s], u_scale[s], p_cost[i], v_now, v_granted, v_taken);
        if v_taken is null then
          if a[7] >= 0 then
            v_granted := false;
          end if;
          o[o_size + 1] := a[5];
          o[o_size + 2] := a[6];
          o[o_size + 3] := a[7];
          o_size := o_size + 3;
        end if;
        if v_granted then
          u_at[s] := a[1];
          u_used[s] := a[2];
          u_before[s] := a[3];
          u_scale[s] := case when p_kind[i] < 3 then 1 else p_size[i] end;
          if a[4] > u_remove[s] then
            u_remove[s] := a[4] + greatest(a[4] - v_now, c_slack);
          end if;
          if not u_changed[s] then
            u_changed[s] := true;
            v_changed := v_changed + 1;
          end if;
          v_writes := true;
        end if;
      end loop;
      v_next := v_next + v_asks;

      if v_request <> '' and (v_granted or v_taken is not null) then
        v_writes := true;
        if not v_granted then
          x_ids := x_ids || v_request;
        elsif v_taken is null then
          g_granted[d] := d;
          o_first[d] := v_first;
          o_last[d] := o_size;
          n_ids := n_ids || v_request;
          n_ends := n_ends || (v_now + p_ttls[d]);
          n_first := n_first || (v_first + 1);
          n_last := n_last || o_size;
          n_binding := n_binding || (5 * d - 4);
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
    select n.id, n.ends,
           p_bindings[n.binding : n.binding + 4] || o[n.first] || o[n.first + 3 : n.last]
    from unnest(n_ids, n_ends, n_first, n_last, n_binding) as n(id, ends, first, last, binding)
    order by n.id
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
