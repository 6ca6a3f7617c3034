package dev.weir.store.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.StoreException;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotUpkeep;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.OraclePool;
import dev.weir.store.jdbc.PoolSettings;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.limits.internal.JdbcLimitUpkeep;
import dev.weir.store.jdbc.slots.internal.JdbcSlotConfigs;
import dev.weir.store.jdbc.slots.internal.JdbcSlotUpkeep;
import dev.weir.store.tck.internal.Await;
import dev.weir.store.tck.internal.OracleStandIn;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A database that ends the session of a lock under the node that holds it. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ExclusiveTaskTest {
  private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");

  /** Connections of a pool, in the order in which they were given away. */
  private static final class Seen {
    final List<Connection> connections = new CopyOnWriteArrayList<>();
    final AtomicInteger commits = new AtomicInteger();
    final DataSource database;

    Seen(DataSource pool) {
      this.database =
          (DataSource)
              Proxy.newProxyInstance(
                  Seen.class.getClassLoader(),
                  new Class<?>[] {DataSource.class},
                  (self, method, arguments) -> {
                    Object result = call(pool, method, arguments);
                    return result instanceof Connection connection ? watched(connection) : result;
                  });
    }

    private Connection watched(Connection connection) {
      connections.add(connection);
      return (Connection)
          Proxy.newProxyInstance(
              Seen.class.getClassLoader(),
              new Class<?>[] {Connection.class},
              (self, method, arguments) -> {
                if (method.getName().equals("commit")) {
                  commits.incrementAndGet();
                }
                return call(connection, method, arguments);
              });
    }

    private static @Nullable Object call(Object on, Method method, Object @Nullable [] arguments)
        throws Throwable {
      try {
        return method.invoke(on, arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }

    /** Ends the session of the first connection, as the database does. */
    void endFirst() {
      try {
        connections.getFirst().unwrap(Connection.class).close();
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private record Step(Dialect dialect, String name, Consumer<SlotUpkeep> run) {
    @Override
    public String toString() {
      return dialect + ": " + name;
    }
  }

  static Stream<Step> steps() {
    List<Step> steps = new ArrayList<>();
    for (Dialect dialect : Dialect.values()) {
      steps.add(new Step(dialect, "now", SlotUpkeep::now));
      steps.add(new Step(dialect, "count", upkeep -> upkeep.countLeaked(NOON, 4)));
      steps.add(new Step(dialect, "reclaim", upkeep -> upkeep.reclaim(NOON, 4)));
      steps.add(new Step(dialect, "remove", upkeep -> upkeep.removePast(NOON, 4)));
      steps.add(new Step(dialect, "tidy", upkeep -> upkeep.tidy(4)));
    }
    return steps.stream();
  }

  private static HikariDataSource open(Dialect dialect) {
    return switch (dialect) {
      case POSTGRESQL -> Database.openPool(Database.get().createMigrated());
      case ORACLE -> {
        HikariDataSource pool =
            OraclePool.open(
                new PoolSettings(OracleStandIn.create(), "", "", 1, 8, Database.MAX_WAIT));
        OraclePool.migrate(pool);
        yield pool;
      }
    };
  }

  @ParameterizedTest
  @MethodSource("steps")
  void upkeepThatLostItsLockMakesNoStep(Step step) {
    try (HikariDataSource pool = open(step.dialect())) {
      Seen seen = new Seen(pool);
      SlotUpkeep upkeep = new JdbcSlotUpkeep(step.dialect(), seen.database, StoreClock.DATABASE);
      SlotUpkeep other = new JdbcSlotUpkeep(step.dialect(), pool, StoreClock.DATABASE);
      List<String> done = new ArrayList<>();

      assertThatThrownBy(
              () ->
                  upkeep.runExclusively(
                      () -> {
                        step.run().accept(upkeep);
                        done.add("with the lock");
                        seen.endFirst();
                        // A server notices the end of a session some time after its client.
                        Await.until(() -> other.runExclusively(() -> done.add("other")));
                        step.run().accept(upkeep);
                        done.add("without the lock");
                      }))
          .isInstanceOf(StoreException.class);

      assertThat(done).containsExactly("with the lock", "other");
      assertThat(upkeep.runExclusively(() -> step.run().accept(upkeep))).isTrue();
    }
  }

  @Test
  void upkeepOfLimitsThatLostItsLockMakesNoStep() {
    try (HikariDataSource pool = open(Dialect.POSTGRESQL)) {
      Seen seen = new Seen(pool);
      JdbcLimitUpkeep upkeep = new JdbcLimitUpkeep(seen.database, StoreClock.DATABASE);
      List<Integer> removed = new ArrayList<>();

      assertThatThrownBy(
              () ->
                  upkeep.runExclusively(
                      () -> {
                        removed.add(upkeep.removeExpired(4));
                        seen.endFirst();
                        removed.add(upkeep.removeExpired(4));
                      }))
          .isInstanceOf(StoreException.class);

      assertThat(removed).containsExactly(0);
    }
  }

  /** Another node is not to wait for one configuration while others are tidied. */
  @Test
  void oracleTidiesEachConfigurationInATransactionOfItsOwn() {
    try (HikariDataSource pool = open(Dialect.ORACLE)) {
      JdbcSlotConfigs configs = new JdbcSlotConfigs(Dialect.ORACLE, pool, StoreClock.DATABASE);
      for (int i = 0; i < 3; i++) {
        configs.configure("c" + i, 0, SlotPolicy.of(1, Duration.ofSeconds(4)));
        Database.execute(
            pool,
            "insert into slot_occupancy (config_id, grid, kind, start_micros, until_micros, taken,"
                + " off_grid, is_full) select config_id, grid, 2, 40, 40, 0, 0, 0"
                + " from slot_config where name = 'c%s'".formatted(i));
      }
      Seen seen = new Seen(pool);
      SlotUpkeep upkeep = new JdbcSlotUpkeep(Dialect.ORACLE, seen.database, StoreClock.DATABASE);

      assertThat(upkeep.runExclusively(() -> upkeep.tidy(4))).isTrue();

      assertThat(seen.commits.get()).isGreaterThanOrEqualTo(3);
      assertThat(
              Database.number(pool, "select count(*) from slot_occupancy where start_micros = 40"))
          .isZero();
    }
  }
}
