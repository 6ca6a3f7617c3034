-- A refund gives back nothing that was restored before: a window knows since when permits were taken
-- that count in full, whatever its length was then. The function replaces that of V7, which nodes of
-- the version before call as well; the usages that they left count as before.
--
--   limit_usage.at_micros    of a window that was used since, no longer its start
--   limit_usage.used_before  of a fixed window that is in use, 1 if it is aligned to the epoch

-- Applies one request to one limit, given the usage as it is stored: decides it, or refunds it, by
-- the arithmetic of core.
--
--   p_kind      1 fixed window from its first use, 2 fixed window aligned to the epoch, 3 sliding
--               window, 4 token bucket
--   p_max       permits of a window, or capacity of a bucket
--   p_size      microseconds of a window, or of a refill
--   p_refill    tokens of a refill
--   p_at, p_used, p_before, p_scale   the usage. For a window, p_at is the time since which permits
--               were taken that count in full, and p_before of a fixed one 1 if it is aligned
--   p_cost      permits to take or to refund
--   p_takes     whether to take the permits if they are available, or only to decide
--   p_taken_at  null to decide; for a refund, when the permits were taken
--
-- Returns eight numbers: the usage (at, used, used before), whose scale is p_size; when it will
-- equal a fresh one, null if it already does; the remaining permits; the time until there are more;
-- the time until a retry, -1 if the request is allowed; and 1 if the usage was counted by other
-- numbers or by a clock that was far ahead, so that it has to be written even if the request is
-- refused, else 0.
create or replace function weir_limit_apply_2(
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
  v_former_end  bigint;
  v_in_full     bigint;
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
    v_start := v_at - ((v_at % p_size) + p_size) % p_size;
    if (v_used > 0 or v_before > 0)
        and (p_scale <> p_size or v_start - p_now > greatest(p_size, c_ahead)) then
      -- What counts now by the former windows counts as used in the present one.
      v_settled := 1;
      v_former := v_at - ((v_at % p_scale) + p_scale) % p_scale;
      v_in_full := case when v_before = 0 then v_at else v_former end;
      v_start := p_now - ((p_now % p_scale) + p_scale) % p_scale;
      if v_start > v_former then
        v_before := case when v_start = v_former + p_scale then v_used else 0 end;
        v_used := 0;
        v_in_full := v_start;
        v_former := v_start;
      end if;
      v_used := least(weir_sliding_used_1(p_scale, v_former, v_used, v_before, p_now), 8589934592);
      v_before := 0;
      if v_former - p_now > greatest(least(p_scale, p_size), c_ahead) then
        v_at := p_now;
      else
        v_former := greatest(p_now, v_former);
        v_at := greatest(least(v_former, v_in_full),
          v_former - ((v_former % p_size) + p_size) % p_size);
      end if;
      v_start := v_at - ((v_at % p_size) + p_size) % p_size;
    end if;
    v_former := v_start;
    v_start := p_now - ((p_now % p_size) + p_size) % p_size;
    if v_used = 0 and v_before = 0 then
      v_at := p_now;
    elsif v_start <= v_former then
      v_start := v_former;
    elsif v_used > 0 and v_start = v_former + p_size then
      v_at := p_size + case when v_before = 0 then v_at else v_former end;
      v_before := v_used;
      v_used := 0;
    else
      v_used := 0;
      v_before := 0;
      v_at := p_now;
    end if;
    v_remaining :=
      greatest(0, p_max - weir_sliding_used_1(p_size, v_start, v_used, v_before, p_now));
  else
    if v_used > 0 and ((p_scale <> p_size and p_scale >= 1000) or p_before <> p_kind - 1
        or p_at - p_now > greatest(p_size, c_ahead)) then
      -- An open window keeps its count. It gets longer, or ends at its former end or one new window
      -- from now.
      v_settled := 1;
      v_former := case when p_scale >= 1000 then p_scale else p_size end;
      if p_at - p_now > greatest(least(v_former, p_size), c_ahead) then
        v_at := p_now;
      end if;
      v_former_end := v_at + v_former
        - case when p_before = 1 then ((v_at % v_former) + v_former) % v_former else 0 end;
      if p_now >= v_former_end then
        v_used := 0;
      elsif p_kind = 2 then
        v_start := greatest(p_now, v_at);
        v_at := greatest(v_at, v_start - ((v_start % p_size) + p_size) % p_size);
      else
        v_at := greatest(v_at, least(greatest(p_now, v_at), v_former_end - p_size));
      end if;
    end if;
    v_end := v_at + p_size;
    if p_kind = 2 then
      v_end := v_end - ((v_at % p_size) + p_size) % p_size;
    end if;
    if v_used = 0 or p_now >= v_end then
      v_used := 0;
      v_at := p_now;
      v_end := v_at + p_size;
      if p_kind = 2 then
        v_end := v_end - ((v_at % p_size) + p_size) % p_size;
      end if;
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
    elsif p_taken_at >= (case when v_before = 0 then v_at else v_start end) then
      -- Permits that were taken earlier have been restored, at least in part.
      v_used := greatest(0, v_used - p_cost);
    elsif v_before > 0 and p_taken_at >= v_at - p_size then
      v_before := greatest(0, v_before - p_cost);
      if v_before = 0 then
        v_at := v_start;
      end if;
    end if;
  elsif p_cost > v_remaining then
    -- Refuse.
    v_retry_after :=
      case p_kind
        when 4 then
          (v_used - (p_max - p_cost) * p_size + p_refill - 1) / p_refill + v_at - p_now
        when 3 then
          weir_sliding_wait_1(p_max, p_size, v_start, v_used, v_before, p_cost, p_now)
        else v_end - p_now end;
  elsif p_takes then
    -- Take.
    v_used := v_used + case p_kind when 4 then p_cost * p_size else p_cost end;
    v_remaining := v_remaining - p_cost;
  end if;

  -- The time until there are more permits is the wait for one more than remains.
  return array[v_at, v_used,
    case when p_kind = 3 then v_before when v_used = 0 then 0
         when p_kind = 4 then p_refill else p_kind - 1 end,
    case when v_used = 0 and v_before = 0 then null
         when p_kind = 4 then (v_used + p_refill - 1) / p_refill + v_at
         when p_kind = 3 and v_used > 0 then v_start + 2 * p_size
         when p_kind = 3 then v_start + p_size
         else v_end end,
    v_remaining,
    case when v_remaining >= p_max then 0
         when p_kind = 4 then
           (v_used - (p_max - v_remaining - 1) * p_size + p_refill - 1) / p_refill + v_at - p_now
         when p_kind = 3 then
           weir_sliding_wait_1(p_max, p_size, v_start, v_used, v_before, v_remaining + 1, p_now)
         else v_end - p_now end,
    v_retry_after,
    v_settled];
end $$;
