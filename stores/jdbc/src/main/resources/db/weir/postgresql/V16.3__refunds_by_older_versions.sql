-- A bucket that a later version of its policy has counted is refilled by that one's rate. A node that
-- has not heard of it refunds what was taken while its own, faster rate may have applied: what that
-- has refilled is not given back once more. The function follows weir_limit_decide_batch_3, which
-- nodes of the version before still call, and has the same parameters and result.
create function weir_limit_decide_batch_4(
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

  -- The numbers of the policies; below, those by which a later version has counted take their place.
  v_own_size   bigint[] := p_size;
  v_own_refill bigint[] := p_refill;
  v_cost       bigint;
  v_elapsed    bigint;

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
          where l.id = n.id and l.expires_at + 0 > v_now offset 0) m
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
        v_cost := p_cost[i];
        if v_taken_at is not null and p_kind[i] = 4
            and (p_size[i] <> v_own_size[i] or p_refill[i] <> v_own_refill[i]) then
          -- Nor what the own rate has refilled.
          v_elapsed := greatest(0, greatest(v_now, u_at[v_usage]) - v_taken_at);
          v_cost :=
            case when v_elapsed >= (v_cost * v_own_size[i] + v_own_refill[i] - 1) / v_own_refill[i]
                 then 0
                 else (v_cost * v_own_size[i] - v_elapsed * v_own_refill[i]) / v_own_size[i] end;
        end if;
        v_applied := weir_limit_apply_2(p_kind[i], p_max[i], p_size[i], p_refill[i],
          u_at[v_usage], u_used[v_usage], u_before[v_usage], u_scale[v_usage],
          v_cost, v_now, v_granted, v_taken_at);
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
    delete from limit_request where id = any(expired_ids) and expires_at + 0 <= v_now;
  end if;
  return v_result;
end $$;
