package dev.weir.store.jdbc.slots.internal;

import dev.weir.store.jdbc.internal.Dialect;

/**
 * The PL/SQL that writes a batch in one round trip: it locks the configurations, compares their
 * sequence numbers and the time, writes, commits, and returns the time, or null if it wrote
 * nothing.
 *
 * <p>The rows arrive as JSON, in texts of up to {@link #MAX_BYTES}: arrays of objects would need
 * types in the database, and classes of Oracle's driver. The statements are those that MariaDB has
 * in its Oracle mode as well, where tests run them; only the parts that are parameters of {@link
 * #body} differ there.
 */
final class OracleBlock {
  /** A text in PL/SQL has up to 32,767 bytes. */
  static final int MAX_BYTES = 32_000;

  /** A text in SQL has up to 4,000 bytes. */
  static final int MAX_TEXT_BYTES = 4_000;

  private static final String NOW =
      """
      l_age := systimestamp - timestamp '1970-01-01 00:00:00 +00:00';
        l_now := extract(day from l_age) * 86400000000 + extract(hour from l_age) * 3600000000
          + extract(minute from l_age) * 60000000 + trunc(extract(second from l_age) * 1000000);\
      """;

  private static final String DECLARATIONS =
      """
        l_configs   clob := p_configs;
        l_slots     clob := p_slots;
        l_occupancy clob := p_occupancy;
        l_seq       number(19);
        l_now       number(19);
        l_stale     number(1) := 0;
      """;

  private static final String BODY =
      """
      begin
        for c in (
          select j.config_id, j.seq
          from json_table(l_configs, '$[*]' columns (
            config_id number(10) path '$.c',
            seq       number(19) path '$.s')) j
          order by j.config_id)
        loop
          begin
            select o.until_micros into l_seq from slot_occupancy o
            where o.config_id = c.config_id and o.grid = 0 and o.kind = 0 and o.start_micros = 0
            $for_update;
            if l_seq <> c.seq then
              l_stale := 1;
            end if;
          exception
            when no_data_found then
              l_stale := 1;
          end;
        end loop;
        $now
        if l_stale = 1 or l_now < p_earliest or l_now > p_latest then
          rollback;
          p_now := null;
        else
          insert into slot (event_id, config_id, version, requested, window_start, place, scheduled,
                            assigned_at, state)
          select j.event_id, j.config_id, j.version, j.requested, j.window_start, j.place,
                 j.scheduled, p_assigned_at, 0
          from json_table(l_slots, '$[*]' columns (
            event_id     varchar2(1024) path '$.e',
            config_id    number(10) path '$.c',
            version      number(10) path '$.v',
            requested    number(19) path '$.r',
            window_start number(19) path '$.w',
            place        number(10) path '$.p',
            scheduled    number(19) path '$.s')) j;
          for o in (
            select j.config_id, j.grid, j.kind, j.start_micros, j.until_micros, j.taken, j.off_grid,
                   j.is_full, j.places
            from json_table(l_occupancy, '$[*]' columns (
              config_id    number(10) path '$.c',
              grid         number(10) path '$.g',
              kind         number(1) path '$.k',
              start_micros number(19) path '$.s',
              until_micros number(19) path '$.u',
              taken        number(10) path '$.t',
              off_grid     number(10) path '$.o',
              is_full      number(1) path '$.f',
              places       varchar2(4000) path '$.p')) j)
          loop
            update slot_occupancy
            set until_micros = o.until_micros, taken = o.taken, off_grid = o.off_grid,
                is_full = o.is_full, places = hextoraw(o.places)
            where config_id = o.config_id and grid = o.grid and kind = o.kind
              and start_micros = o.start_micros;
            if sql%rowcount = 0 then
              insert into slot_occupancy (config_id, grid, kind, start_micros, until_micros, taken,
                                          off_grid, is_full, places)
              values (o.config_id, o.grid, o.kind, o.start_micros, o.until_micros, o.taken,
                      o.off_grid, o.is_full, hextoraw(o.places));
            end if;
          end loop;
          commit;
          p_now := l_now;
        end if;
      exception
        when others then
          rollback;
          raise;
      end;
      """;

  static final String SKIP = "for update skip locked";

  private OracleBlock() {}

  /**
   * Returns the body with its declarations, for a procedure with the parameters of {@link #call}.
   *
   * @param forUpdate the clause that locks a configuration
   * @param now an assignment of the time in microseconds to {@code l_now}
   */
  static String body(String forUpdate, String now) {
    return DECLARATIONS + BODY.replace("$for_update", forUpdate).replace("$now", now);
  }

  /**
   * Returns the anonymous block. Its parameters are the configurations, the slots, the time at
   * which they are assigned, the occupancy, and the earliest and latest time to write at; the last
   * one returns the time.
   */
  static String call(boolean waits) {
    return """
    declare
      procedure write_batch (
        p_configs varchar2, p_slots varchar2, p_assigned_at number, p_occupancy varchar2,
        p_earliest number, p_latest number, p_now out number)
      as
        l_age interval day(9) to second(6);
    %s
    begin
      write_batch(?, ?, ?, ?, ?, ?, ?);
    end;
    """
        .formatted(body(waits ? Dialect.ORACLE.forUpdate() : SKIP, NOW));
  }
}
