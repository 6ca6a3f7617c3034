package dev.weir.benchmarks.limits;

import dev.weir.benchmarks.slots.BenchDatabase;
import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.jdbc.PrimaryKeyMapper;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.postgresql.Bucket4jPostgreSQL;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** Bucket4j on PostgreSQL, in each of its two modes, with a separate table. */
final class Bucket4jPostgresql {
  /** How it prevents concurrent changes while it reads and writes. */
  enum Way {
    SELECT_FOR_UPDATE("Bucket4j, select for update", "bucket4j_select_for_update"),
    ADVISORY_LOCK("Bucket4j, advisory lock", "bucket4j_advisory_lock");

    final String title;
    private final String table;

    Way(String title, String table) {
      this.title = title;
      this.table = table;
    }

    private ProxyManager<String> on(DataSource database) {
      return switch (this) {
        case SELECT_FOR_UPDATE ->
            Bucket4jPostgreSQL.selectForUpdateBasedBuilder(database)
                .primaryKeyMapper(PrimaryKeyMapper.STRING)
                .table(table)
                .build();
        case ADVISORY_LOCK ->
            Bucket4jPostgreSQL.advisoryLockBasedBuilder(database)
                .primaryKeyMapper(PrimaryKeyMapper.STRING)
                .lockIdSupplier(key -> (long) key.hashCode())
                .table(table)
                .build();
      };
    }
  }

  private final ProxyManager<String> proxies;
  private final BucketConfiguration configuration;

  private Bucket4jPostgresql(ProxyManager<String> proxies, BucketConfiguration configuration) {
    this.proxies = proxies;
    this.configuration = configuration;
  }

  /** Creates an empty table, as its documentation describes. */
  static Bucket4jPostgresql create(
      BenchDatabase database, DataSource pool, Way way, long capacity, Duration refill)
      throws SQLException {
    database.execute("drop table if exists " + way.table);
    database.execute(
        """
        create table %s (
          id varchar primary key, state bytea, expires_at bigint, explicit_lock bigint)
        """
            .formatted(way.table));
    BucketConfiguration configuration =
        BucketConfiguration.builder()
            .addLimit(Bandwidth.builder().capacity(capacity).refillGreedy(capacity, refill).build())
            .build();
    return new Bucket4jPostgresql(way.on(pool), configuration);
  }

  boolean take(String key) {
    return proxies.builder().build(key, () -> configuration).tryConsume(1);
  }
}
