package dev.weir.store.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.weir.core.internal.Micros;
import dev.weir.engine.slots.SlotObserver;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.slots.internal.JdbcSlotConfigs;
import dev.weir.store.jdbc.slots.internal.JdbcSlotLedger;
import dev.weir.store.jdbc.slots.internal.JdbcSlotUpkeep;
import dev.weir.store.tck.slots.Node;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Random;
import javax.sql.DataSource;

/**
 * The Oracle of these tests: the server that {@code WEIR_ORACLE_URL} names, with {@code
 * WEIR_ORACLE_USER} and {@code WEIR_ORACLE_PASSWORD}, otherwise H2 in its Oracle mode, in memory.
 * Every statement is checked by {@link OracleSql}, because H2 accepts what Oracle does not.
 */
public final class OracleDatabase {
  private static final String H2 = "jdbc:h2:mem:weir;MODE=Oracle;DB_CLOSE_DELAY=-1";

  private final HikariDataSource pool;
  private final HikariDataSource otherPool;

  private OracleDatabase() {
    this.pool = open(System.getenv());
    this.otherPool = open(System.getenv());
    OraclePool.migrate(pool);
  }

  /** Returns a database whose tables are up to date. */
  public static OracleDatabase get() {
    return Started.ONE;
  }

  private static HikariDataSource open(Map<String, String> environment) {
    String url = environment.getOrDefault("WEIR_ORACLE_URL", "");
    if (!url.isEmpty()) {
      return OraclePool.open(
          new PoolSettings(
              url,
              environment.getOrDefault("WEIR_ORACLE_USER", ""),
              environment.getOrDefault("WEIR_ORACLE_PASSWORD", ""),
              1,
              12,
              Duration.ofSeconds(5)));
    }
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(H2 + ";LOCK_TIMEOUT=10000");
    config.setMaximumPoolSize(12);
    return new HikariDataSource(config);
  }

  /** Returns the connections of one node. */
  public DataSource pool() {
    return CheckedDataSource.of(pool).dataSource();
  }

  /** Returns the connections of another node. */
  public DataSource otherPool() {
    return CheckedDataSource.of(otherPool).dataSource();
  }

  public static Node node(DataSource connections, InstantSource clock) {
    StoreClock time = databaseMicros -> Micros.ceil(clock.instant());
    return new Node(
        new JdbcSlotLedger(Dialect.ORACLE, connections, time, new Random(1), SlotObserver.NONE, 4),
        new JdbcSlotConfigs(Dialect.ORACLE, connections, time),
        new JdbcSlotUpkeep(Dialect.ORACLE, connections, time));
  }

  private static final class Started {
    static final OracleDatabase ONE = new OracleDatabase();
  }
}
