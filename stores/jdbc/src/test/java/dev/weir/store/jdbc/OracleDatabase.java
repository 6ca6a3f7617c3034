package dev.weir.store.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.internal.Micros;
import dev.weir.slots.SlotObserver;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.slots.internal.PatientNodes;
import dev.weir.store.tck.internal.CheckedDataSource;
import dev.weir.store.tck.internal.OracleSql;
import dev.weir.store.tck.internal.OracleStandIn;
import dev.weir.store.tck.slots.Node;
import java.time.InstantSource;
import java.util.Map;
import javax.sql.DataSource;

/**
 * The Oracle of these tests: the server that {@code WEIR_ORACLE_URL} names, with {@code
 * WEIR_ORACLE_USER} and {@code WEIR_ORACLE_PASSWORD}, otherwise {@link OracleStandIn}. Every
 * statement is checked by {@link OracleSql}, because H2 accepts what Oracle does not.
 */
public final class OracleDatabase {
  private static final String GIVEN_URL = System.getenv().getOrDefault("WEIR_ORACLE_URL", "");

  private final HikariDataSource pool;
  private final HikariDataSource otherPool;

  private OracleDatabase() {
    String url = isReal() ? GIVEN_URL : OracleStandIn.create();
    this.pool = open(url, System.getenv());
    this.otherPool = open(url, System.getenv());
    OraclePool.migrate(pool);
  }

  /** Returns a database whose tables are up to date. */
  public static OracleDatabase get() {
    return Started.ONE;
  }

  /** Returns true if the tests run on an Oracle server. */
  public static boolean isReal() {
    return !GIVEN_URL.isEmpty();
  }

  private static HikariDataSource open(String url, Map<String, String> environment) {
    return OraclePool.open(
        new PoolSettings(
            url,
            environment.getOrDefault("WEIR_ORACLE_USER", ""),
            environment.getOrDefault("WEIR_ORACLE_PASSWORD", ""),
            1,
            12,
            // H2 takes longer than a server would: it executes batches row by row.
            Database.MAX_WAIT));
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
    return PatientNodes.open(Dialect.ORACLE, connections, time, SlotObserver.NONE);
  }

  private static final class Started {
    static final OracleDatabase ONE = new OracleDatabase();
  }
}
