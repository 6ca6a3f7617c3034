package dev.weir.store.jdbc.slots.internal;

import dev.weir.store.jdbc.internal.Dialect;
import java.util.Collection;
import java.util.List;

/**
 * The first part of a writing statement. It advances the sequence numbers of the configurations and
 * yields a table {@code guard} of one row, or of none if a configuration is not in the expected
 * state. Every further part selects from it.
 *
 * <p>The update locks the rows in {@code slot_config}. If it has to wait for such a lock,
 * PostgreSQL checks the condition again on the new row. Other rows that the statement reads may be
 * older than that, which does not matter: windows and runs change only together with the sequence
 * number, so if that is the expected one, they have not changed either.
 */
record OptimisticGuard(String sql, List<Object> parameters) {
  private static final String NOW = Dialect.POSTGRESQL.now();

  /** For a transaction that holds the lock and has advanced the sequence number already. */
  static final OptimisticGuard OPEN =
      new OptimisticGuard("guard as (select 0::bigint as now_micros)", List.of());

  private static final String ONE_CONFIG =
      """
      guard as (
        update slot_config c set seq = c.seq + ? where c.config_id = ? and c.seq = ? %s
        returning %s as now_micros)
      """;

  /**
   * Whether a configuration is one of several and has the expected number. Not by a join, which
   * could be planned as a scan while there are few configurations.
   */
  private static final String IS_EXPECTED =
      """
      config_id = any(?::int[]) and seq = (?::bigint[])[array_position(?::int[], config_id)]
      """;

  /**
   * If only some configurations are in the expected state, their numbers are advanced although
   * nothing is written. That only makes cached views stale.
   */
  private static final String SEVERAL_CONFIGS =
      """
      moved as (
        update slot_config set seq = seq + ?
        where %s %s
        returning %s as now_micros),
      guard as (select max(now_micros) as now_micros from moved having count(*) = ?)
      """;

  private static final String AT_THE_TIME = "and %s between ? and ?".formatted(NOW);

  /** Yields no row while another transaction has locked the configuration. */
  private static final String ONE_FREE_NOW =
      """
      guard as (
        update slot_config c set seq = c.seq + ?
        where c.config_id = (
          select config_id from slot_config where config_id = ? and seq = ?
          for update skip locked) %s
        returning %s as now_micros)
      """
          .formatted(AT_THE_TIME, NOW);

  private static final String SEVERAL_FREE_NOW =
      """
      moved as (
        update slot_config c set seq = c.seq + ?
        where c.config_id = any(array(
          select config_id from slot_config where %s for update skip locked)) %s
        returning %s as now_micros),
      guard as (select max(now_micros) as now_micros from moved having count(*) = ?)
      """
          .formatted(IS_EXPECTED, AT_THE_TIME, NOW);

  private static final String ONE_CONFIG_AT_ANY_TIME = ONE_CONFIG.formatted("", NOW);
  private static final String ONE_CONFIG_NOW = ONE_CONFIG.formatted(AT_THE_TIME, NOW);
  private static final String SEVERAL_AT_ANY_TIME = SEVERAL_CONFIGS.formatted(IS_EXPECTED, "", NOW);
  private static final String SEVERAL_NOW =
      SEVERAL_CONFIGS.formatted(IS_EXPECTED, AT_THE_TIME, NOW);

  /** For a transaction that holds the locks of the configurations. */
  static OptimisticGuard locked(Collection<JdbcWindows> configs, int step) {
    if (configs.size() == 1) {
      ConfigRow row = configs.iterator().next().row();
      return new OptimisticGuard(ONE_CONFIG_AT_ANY_TIME, List.of(step, row.configId(), row.seq()));
    }
    int[] ids = configIds(configs);
    return new OptimisticGuard(
        SEVERAL_AT_ANY_TIME, List.of(step, ids, seqs(configs), ids, configs.size()));
  }

  /**
   * For a statement without locks: sequence numbers and time must be as expected.
   *
   * @param waits whether to wait for locks, or to yield no row if one is held
   */
  static OptimisticGuard unlocked(
      Collection<JdbcWindows> configs,
      int step,
      long nowMicros,
      EstimatedClock.Precision precision,
      boolean waits) {
    long earliest = nowMicros - precision.toleranceMicros();
    long latest = nowMicros + precision.toleranceMicros();
    if (configs.size() == 1) {
      ConfigRow row = configs.iterator().next().row();
      return new OptimisticGuard(
          waits ? ONE_CONFIG_NOW : ONE_FREE_NOW,
          List.of(step, row.configId(), row.seq(), earliest, latest));
    }
    int[] ids = configIds(configs);
    return new OptimisticGuard(
        waits ? SEVERAL_NOW : SEVERAL_FREE_NOW,
        List.of(step, ids, seqs(configs), ids, earliest, latest, configs.size()));
  }

  private static int[] configIds(Collection<JdbcWindows> configs) {
    return configs.stream().mapToInt(config -> config.row().configId()).toArray();
  }

  private static long[] seqs(Collection<JdbcWindows> configs) {
    return configs.stream().mapToLong(config -> config.row().seq()).toArray();
  }
}
