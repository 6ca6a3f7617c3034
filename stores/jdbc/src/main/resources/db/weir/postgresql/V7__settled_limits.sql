-- A usage knows the numbers by which it was counted, and a limit that has other numbers first
-- settles the past by them. These functions follow those with lower numbers in V2, which nodes of
-- the version before still call: they leave scale 1 for windows and used_before 0 for buckets, which
-- counts as the numbers of the limit that finds them.
--
--   limit_usage.scale        microseconds of a window, or of a refill
--   limit_usage.used_before  of a bucket that is in debt, the tokens of a refill

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
-- Returns eight numbers: the usage (at, used, used before), whose scale is p_size; when it will
-- equal a fresh one, null if it already does; the remaining permits; the time until there are more;
-- the time until a retry, -1 if the request is allowed; and 1 if the usage was counted by other
-- numbers or by a clock that was far ahead, so that it has to be written even if the request is
-- refused, else 0.
create function weir_limit_apply_2(
  p_kind int, p_max bigint, p_size bigint, p_refill bigint,
  p_at bigint, p_used bigint, p_before bigint, p_scale bigint,
  p_cost bigint, p_now bigint, p_takes boolean, p_taken_at bigint)
returns bigint[] language plpgsql immutable as $$
declare
  c_ahead constant bigint := 1000000;  -- a clock may be corrected by this much

  v_at          bigint := p_at;
  v_used        bigint := p_used;
  v_before      bigint := 0;
  v_settled     bigint := 0;
  v_former      bigint;
  v_remaining   bigint;
  v_retry_after bigint := -1;
  v_start       bigint;
  v_end         bigint;
begin
  -- Bring the usage up to the present, and calculate the remaining permits.
  if p_kind = 4 then
    v_former := p_refill;
    if (p_used > 0 and (p_scale <> p_size or (p_before <> p_refill and p_before <> 0)))
        or (p_at - p_now > c_ahead
            and p_at - p_now > (p_max * p_size + p_refill - 1) / p_refill) then
      v_settled := 1;
      v_former := case when p_before = 0 then p_refill else p_before end;
      if p_at - p_now > greatest(c_ahead, (p_max * p_size + p_refill - 1) / p_refill) then
        v_at := p_now;
      end if;
    end if;
    if p_now > v_at then
      v_used := case when p_now - v_at >= (v_used + v_former - 1) / v_former then 0
                     else v_used - (p_now - v_at) * v_former end;
      v_at := p_now;
    end if;
    if v_settled = 1 and v_used > 0 and p_scale <> p_size then
      v_used := least((v_used + p_scale - 1) / p_scale, 9007199254740992 / p_size) * p_size;
    end if;
    v_remaining := greatest(0, (p_max * p_size - v_used) / p_size);
  elsif p_kind = 3 then
    v_before := p_before;
    if (v_used > 0 or v_before > 0)
        and (p_scale <> p_size or p_at - p_now > greatest(p_size, c_ahead)) then
      -- What counts now by the former windows counts as used in the present one.
      v_settled := 1;
      v_start := p_now - ((p_now % p_scale) + p_scale) % p_scale;
      if v_start > v_at then
        v_before := case when v_start = v_at + p_scale then v_used else 0 end;
        v_used := 0;
        v_at := v_start;
      end if;
      v_used := least(weir_sliding_used_1(p_scale, v_at, v_used, v_before, p_now), 8589934592);
      v_before := 0;
      v_at := case when v_at - p_now > greatest(least(p_scale, p_size), c_ahead) then p_now
                   else greatest(p_now, v_at) end;
      v_at := v_at - ((v_at % p_size) + p_size) % p_size;
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
    if v_used > 0 and ((p_scale <> p_size and p_scale >= 1000)
        or p_at - p_now > greatest(p_size, c_ahead)) then
      -- An open window keeps its count. It gets longer, or ends at its former end or one new window
      -- from now.
      v_settled := 1;
      v_former := case when p_scale >= 1000 then p_scale else p_size end;
      if p_at - p_now > greatest(least(v_former, p_size), c_ahead) then
        v_at := p_now;
      end if;
      if p_now >= v_at + v_former then
        v_used := 0;
      elsif p_kind = 2 then
        v_at := greatest(p_now, v_at);
        v_at := v_at - ((v_at % p_size) + p_size) % p_size;
      else
        v_at := least(greatest(p_now, v_at), v_at + greatest(0, v_former - p_size));
      end if;
    end if;
    v_end := v_at + p_size;
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
  return array[v_at, v_used,
    case when p_kind <> 4 then v_before when v_used = 0 then 0 else p_refill end,
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
    v_retry_after,
    v_settled];
end $$;

-- Decides a single request of one limit without a request id, with the same result as
-- weir_limit_decide_batch_2. PostgreSQL prepares each expression of a function anew in each
-- transaction. For a batch that cost is small; for a single request it dominates, so this function
-- has few expressions and no arrays of requests.
--
--   p_now         the time to decide by; null for the database's clock, read when the lock is held
--   p_look_first  whether to decide without the lock first, which suffices for a refusal
--   p_id          the usage
--   p_kind, p_max, p_size, p_refill, p_cost   as in weir_limit_apply_2
--
-- Returns when it was decided, the remaining permits, the time until there are more, and the time
-- until a retry, -1 if it is allowed.
create function weir_limit_decide_one_2(
  p_now bigint, p_look_first boolean, p_id text,
  p_kind int, p_max bigint, p_size bigint, p_refill bigint, p_cost bigint)
returns bigint[] language plpgsql volatile as $$
declare
  c_earliest constant bigint := -62135596800000000;
  c_slack    constant bigint := 60000000;  -- remove_at is ahead by at least a minute

  v_locked boolean := not p_look_first;
  v_now    bigint;
  v_known  boolean;

  -- The usage, and the result of weir_limit_apply_2.
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
    v_applied := weir_limit_apply_2(p_kind, p_max, p_size, p_refill,
      u_at, u_used, u_before, u_scale, p_cost, v_now, true, null);
    if v_applied[7] >= 0 and v_applied[8] = 0 then
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
        scale = p_size, remove_at = u_remove
    where u.ctid = u_tid;
  else
    insert into limit_usage (id, at_micros, used, used_before, scale, remove_at)
    values (p_id, v_applied[1], v_applied[2], v_applied[3], p_size, u_remove)
    on conflict (id) do nothing;
    if not found then
      raise exception 'another node counted first' using errcode = '40001';
    end if;
  end if;
  return array[v_now, v_applied[5], v_applied[6], v_applied[7]];
end $$;

-- Decides requests in order, by the arithmetic of weir_limit_apply_2, and refunds granted ones. The
-- parameters and the result are those of weir_limit_decide_batch_1 in V2.
create function weir_limit_decide_batch_2(
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

  -- The result of weir_limit_apply_2.
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
            v_applied := weir_limit_apply_2(p_kind[i], p_max[i], p_size[i], p_refill[i],
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
        v_applied := weir_limit_apply_2(p_kind[i], p_max[i], p_size[i], p_refill[i],
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
        if v_granted or v_applied[8] = 1 then
          u_at[v_usage] := v_applied[1];
          u_used[v_usage] := v_applied[2];
          u_before[v_usage] := v_applied[3];
          u_scale[v_usage] := p_size[i];
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

-- Settles usages whose limit has changed: the past counts by the numbers by which they were counted,
-- the time from now on by these.
--
--   p_now            the time to settle at; null for the database's clock
--   p_first, p_last  the first and the last id of the usages
--   p_rows           max number of usages in this call, at least 2
--   p_kind, p_max, p_size, p_refill   as in weir_limit_apply_2
--
-- Returns the id to continue from; null if all are settled.
create function weir_limit_settle_1(
  p_now bigint, p_first text, p_last text, p_rows int,
  p_kind int, p_max bigint, p_size bigint, p_refill bigint)
returns text language plpgsql volatile as $$
declare
  c_slack constant bigint := 60000000;  -- remove_at is ahead by at least a minute

  v_now     bigint;
  v_last    text;
  v_count   int := 0;
  v_applied bigint[];
  r         record;
begin
  for r in
    select l.ctid as tid, l.id, l.at_micros, l.used, l.used_before, l.scale, l.remove_at
    from limit_usage l where l.id >= p_first and l.id <= p_last
    order by l.id limit p_rows for update
  loop
    v_count := v_count + 1;
    v_last := r.id;
    v_now := coalesce(p_now, (extract(epoch from clock_timestamp()) * 1000000)::bigint);
    v_applied := weir_limit_apply_2(p_kind, p_max, p_size, p_refill,
      r.at_micros, r.used, r.used_before, r.scale, 1, v_now, false, null);
    if v_applied[8] = 1 then
      update limit_usage u
      set at_micros = v_applied[1], used = v_applied[2], used_before = v_applied[3],
          scale = p_size,
          remove_at = case when v_applied[4] > r.remove_at
                           then v_applied[4] + greatest(v_applied[4] - v_now, c_slack)
                           else r.remove_at end
      where u.ctid = r.tid;
    end if;
  end loop;
  return case when v_count = p_rows then v_last end;
end $$;
