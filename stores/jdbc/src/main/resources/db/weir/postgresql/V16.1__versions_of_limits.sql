-- A usage knows which version of its policy has counted it, and is settled by later ones only: a node
-- that has not heard of a change must not undo it for the others. These functions follow those with
-- lower numbers in V7, which nodes of the version before still call: they leave the version as it is.
--
--   limit_usage.counted_by  the version of the policy; 0 if it has none, or is not known

alter table limit_usage add column counted_by integer not null default 0;

-- Decides a single request of one limit without a request id, with the same result as
-- weir_limit_decide_batch_3. PostgreSQL prepares each expression of a function anew in each
-- transaction. For a batch that cost is small; for a single request it dominates, so this function
-- has few expressions and no arrays of requests.
--
--   p_now         the time to decide by; null for the database's clock, read when the lock is held
--   p_look_first  whether to decide without the lock first, which suffices for a refusal
--   p_id          the usage
--   p_kind, p_max, p_size, p_refill, p_cost   as in weir_limit_apply_2
--   p_version     the version of the policy, 0 if it has none
--   p_created     when the policy was created
--
-- Returns when it was decided, the remaining permits, the time until there are more, and the time
-- until a retry, -1 if it is allowed.
create function weir_limit_decide_one_3(
  p_now bigint, p_look_first boolean, p_id text,
  p_kind int, p_max bigint, p_size bigint, p_refill bigint, p_cost bigint,
  p_version int, p_created bigint)
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
  u_version int;
  v_applied bigint[];
begin
  loop
    if v_locked then
      select l.ctid, l.at_micros, l.used, l.used_before, l.scale, l.remove_at, l.counted_by
      into u_tid, u_at, u_used, u_before, u_scale, u_remove, u_version
      from limit_usage l where l.id = p_id for update;
    else
      select l.at_micros, l.used, l.used_before, l.scale, l.counted_by
      into u_at, u_used, u_before, u_scale, u_version
      from limit_usage l where l.id = p_id;
    end if;
    v_known := found;
    if not v_known then
      u_at := c_earliest;
      u_used := 0;
      u_before := 0;
      u_scale := 0;
      u_remove := c_earliest;
      u_version := 0;
    end if;
    -- A later version has counted the usage: it is counted on as that one does.
    if p_version < u_version and p_version > 0 and u_at >= p_created and u_used + u_before > 0
        and (p_kind <> 4 or p_max <= 9007199254740992 / u_scale) then
      p_version := u_version;
      p_size := u_scale;
      if p_kind = 4 then
        p_refill := u_before;
      elsif p_kind <> 3 then
        p_kind := 1 + u_before;
      end if;
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
        scale = p_size, remove_at = u_remove, counted_by = p_version
    where u.ctid = u_tid;
  else
    insert into limit_usage (id, at_micros, used, used_before, scale, remove_at, counted_by)
    values (p_id, v_applied[1], v_applied[2], v_applied[3], p_size, u_remove, p_version)
    on conflict (id) do nothing;
    if not found then
      raise exception 'another node counted first' using errcode = '40001';
    end if;
  end if;
  return array[v_now, v_applied[5], v_applied[6], v_applied[7]];
end $$;

-- Decides requests in order, by the arithmetic of weir_limit_apply_2, and refunds granted ones. The
-- parameters and the result are those of weir_limit_decide_batch_1 in V2, and for each limit
-- p_version and p_created as above.
create function weir_limit_decide_batch_3(
  p_now bigint, p_look_first boolean, p_usage_ids text[], p_limit_counts int[],
  p_taken_at bigint[], p_request_ids text[], p_ttls bigint[], p_previous int[], p_bindings bigint[],
  p_usage int[], p_kind int[], p_max bigint[], p_size bigint[], p_refill bigint[], p_cost bigint[],
  p_version int[], p_created bigint[])
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

  -- Whether a policy has a version.
  v_numbered boolean := p_version <> array_fill(0, array[cardinality(p_version)]);
  r         record;

  -- The usages, in the order of p_usage_ids.
  u_tid     tid[];
  u_at      bigint[];
  u_used    bigint[];
  u_before  bigint[];
  u_scale   bigint[];
  u_remove  bigint[];
  u_version int[];
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
             array_agg(coalesce(u.scale, 0)), array_agg(coalesce(u.remove_at, c_earliest)),
             array_agg(coalesce(u.counted_by, 0))
      into u_tid, u_at, u_used, u_before, u_scale, u_remove, u_version
      from unnest(p_usage_ids) with ordinality as n(id, i)
      left join lateral (
        select l.ctid as tid, l.at_micros, l.used, l.used_before, l.scale, l.remove_at, l.counted_by
        from limit_usage l where l.id = n.id for update) u on true;
    else
      select array_agg(coalesce(u.at_micros, c_earliest)), array_agg(coalesce(u.used, 0)),
             array_agg(coalesce(u.used_before, 0)), array_agg(coalesce(u.scale, 0)),
             array_agg(coalesce(u.counted_by, 0))
      into u_at, u_used, u_before, u_scale, u_version
      from unnest(p_usage_ids) with ordinality as n(id, i)
      left join lateral (
        select l.at_micros, l.used, l.used_before, l.scale, l.counted_by
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
      if v_numbered then
        -- A later version has counted a usage: it is counted on as that one does.
        for i in v_offset + 1 .. v_offset + v_limits loop
          v_usage := p_usage[i];
          if p_kind[i] <> 0 and p_version[i] < u_version[v_usage] and p_version[i] > 0
              and u_at[v_usage] >= p_created[i] and u_used[v_usage] + u_before[v_usage] > 0
              and (p_kind[i] <> 4 or p_max[i] <= 9007199254740992 / u_scale[v_usage]) then
            p_version[i] := u_version[v_usage];
            p_size[i] := u_scale[v_usage];
            if p_kind[i] = 4 then
              p_refill[i] := u_before[v_usage];
            elsif p_kind[i] <> 3 then
              p_kind[i] := 1 + u_before[v_usage];
            end if;
          end if;
        end loop;
      end if;
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
          u_version[v_usage] := p_version[i];
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
      remove_at = n.remove_at, counted_by = n.counted_by
  from unnest(u_tid, u_at, u_used, u_before, u_scale, u_remove, u_version, u_changed)
    as n(tid, at_micros, used, used_before, scale, remove_at, counted_by, changed)
  where u.ctid = n.tid and n.changed;
  get diagnostics v_done = row_count;
  v_changed := v_changed - v_done;

  -- Another transaction may have inserted the same rows since: then decide everything again.
  if v_changed > 0 then
    insert into limit_usage (id, at_micros, used, used_before, scale, remove_at, counted_by)
    select n.id, n.at_micros, n.used, n.used_before, n.scale, n.remove_at, n.counted_by
    from unnest(p_usage_ids, u_tid, u_at, u_used, u_before, u_scale, u_remove, u_version, u_changed)
      as n(id, tid, at_micros, used, used_before, scale, remove_at, counted_by, changed)
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
-- the time from now on by these. What a later version has counted is left to it.
--
--   p_now            the time to settle at; null for the database's clock
--   p_first, p_last  the first and the last id of the usages
--   p_rows           max number of usages in this call, at least 2
--   p_kind, p_max, p_size, p_refill   as in weir_limit_apply_2
--   p_version, p_created   as above
--
-- Returns the id to continue from; null if all are settled.
create function weir_limit_settle_2(
  p_now bigint, p_first text, p_last text, p_rows int,
  p_kind int, p_max bigint, p_size bigint, p_refill bigint, p_version int, p_created bigint)
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
    select l.ctid as tid, l.id, l.at_micros, l.used, l.used_before, l.scale, l.remove_at, l.counted_by
    from limit_usage l where l.id >= p_first and l.id <= p_last
    order by l.id limit p_rows for update
  loop
    v_count := v_count + 1;
    v_last := r.id;
    continue when p_version < r.counted_by and p_version > 0 and r.at_micros >= p_created;
    v_now := coalesce(p_now, (extract(epoch from clock_timestamp()) * 1000000)::bigint);
    v_applied := weir_limit_apply_2(p_kind, p_max, p_size, p_refill,
      r.at_micros, r.used, r.used_before, r.scale, 1, v_now, false, null);
    if v_applied[8] = 1 or p_version > r.counted_by then
      update limit_usage u
      set at_micros = v_applied[1], used = v_applied[2], used_before = v_applied[3],
          scale = p_size, counted_by = p_version,
          remove_at = case when v_applied[4] > r.remove_at
                           then v_applied[4] + greatest(v_applied[4] - v_now, c_slack)
                           else r.remove_at end
      where u.ctid = r.tid;
    end if;
  end loop;
  return case when v_count = p_rows then v_last end;
end $$;
