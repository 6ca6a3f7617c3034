package dev.weir.store.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * Finds out how much statements read of tables that have grown, by plans that were made while the
 * tables were small and by new ones. Both depend on when statistics were taken, which autovacuum
 * does at any time; here it does not.
 */
public final class GrownTables {
  /** When statistics of the tables are taken. */
  public enum Statistics {
    NEVER,
    WHILE_SMALL,

    /** Of pages that are full of rows which are not committed, and so do not count. */
    WHILE_GROWING,
    AFTER_GROWTH
  }

  private static final String STOP_AUTOVACUUM =
      """
      do $$ declare t text; begin
        for t in select tablename from pg_tables where schemaname = 'public' loop
          execute format('alter table %I set (autovacuum_enabled = off)', t);
        end loop;
      end $$
      """;

  /** Published at once, so that no statement seems to have read what this has. */
  private static final String TAKE_STATISTICS = "analyze; select pg_stat_force_next_flush()";

  private GrownTables() {}

  /**
   * Returns the statements that have read more rows than they may, with the number of rows.
   *
   * @param use executes the statements
   * @param growth adds rows that the statements need not read
   * @param maxRead how many rows a statement may read
   */
  public static Map<String, Long> excesses(
      Statistics taken, Consumer<DataSource> use, String growth, long maxRead) {
    String url = Database.get().createMigrated();
    Map<String, Long> reads = new TreeMap<>();
    try (HikariDataSource operator = Database.openPool(url)) {
      Database.execute(operator, STOP_AUTOVACUUM);
      try (StatementReads kept = new StatementReads(url)) {
        use.accept(kept.pool());
        if (taken == Statistics.WHILE_SMALL) {
          Database.execute(operator, TAKE_STATISTICS);
        }
        use.accept(kept.pool());
        grow(operator, growth, taken == Statistics.WHILE_GROWING);
        if (taken == Statistics.AFTER_GROWTH) {
          Database.execute(operator, TAKE_STATISTICS);
        }
        kept.count();
        use.accept(kept.pool());
        reads.putAll(kept.maxBySql());
      }
      try (StatementReads fresh = new StatementReads(url)) {
        fresh.count();
        use.accept(fresh.pool());
        fresh.maxBySql().forEach((sql, rows) -> reads.merge(sql, rows, Math::max));
      }
    }
    if (reads.values().stream().noneMatch(rows -> rows > 0)) {
      throw new IllegalStateException("nothing was read");
    }
    return reads.entrySet().stream()
        .filter(each -> each.getValue() > maxRead)
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  private static void grow(HikariDataSource operator, String growth, boolean takesStatistics) {
    try (Connection connection = operator.getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute(growth);
      if (takesStatistics) {
        Database.execute(operator, TAKE_STATISTICS);
      }
      statement.execute("select pg_stat_force_next_flush()");
      connection.commit();
    } catch (SQLException e) {
      throw new IllegalStateException(growth, e);
    }
  }
}
