package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.StoreException;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import dev.weir.slots.SlotPolicy;
import dev.weir.store.jdbc.internal.Timeouts;
import dev.weir.store.jdbc.limits.JdbcLimitStore;
import dev.weir.store.jdbc.slots.internal.Account;
import dev.weir.store.jdbc.slots.internal.JdbcSlotConfigs;
import dev.weir.store.tck.slots.Node;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class MigrationTest {
  private static final String APPLIED = "select count(*) from weir_migration where version = '1'";

  private final String url = Database.get().createEmpty();
  private final HikariDataSource pool = Database.openPool(url);

  @AfterEach
  void close() {
    pool.close();
  }

  @Test
  void isDoneOnce() {
    PostgresqlPool.migrate(pool);
    PostgresqlPool.migrate(pool);

    assertThat(Database.number(pool, APPLIED)).isEqualTo(1);
  }

  @RepeatedTest(3)
  void nodesThatStartTogetherWaitForEachOther() throws Exception {
    try (HikariDataSource other = Database.openPool(url)) {
      List<FutureTask<Boolean>> nodes =
          List.of(pool, other, pool, other).stream()
              .map(
                  each ->
                      new FutureTask<>(
                          () -> {
                            PostgresqlPool.migrate(each);
                            return true;
                          }))
              .toList();
      nodes.forEach(Thread.ofPlatform()::start);
      for (FutureTask<Boolean> node : nodes) {
        assertThat(node.get()).isTrue();
      }
    }
    assertThat(Database.number(pool, APPLIED)).isEqualTo(1);
  }

  @Test
  void statementMayTakeLongerThanThePoolAllows() {
    Database.execute(pool, "create table rest (id int)");
    Database.execute(
        pool,
        """
        create function dawdle() returns event_trigger language plpgsql as '
        begin
          if not exists (select from rest) then
            insert into rest values (1);
            perform pg_sleep(3.5);
          end if;
        end'
        """);
    Database.execute(
        pool,
        """
        create event trigger dawdle on ddl_command_start
        when tag in ('CREATE VIEW') execute function dawdle()
        """);
    try (HikariDataSource hasty =
        Database.openPool(url + "&options=-c%20statement_timeout=3s%20-c%20lock_timeout=3s")) {
      PostgresqlPool.migrate(hasty);

      assertThat(Database.number(pool, APPLIED)).isEqualTo(1);
      assertThat(
              Database.number(
                  hasty, "select setting from pg_settings where name = 'statement_timeout'"))
          .isEqualTo(3_000);
    }
    assertThat(Database.number(pool, "select count(*) from rest")).isEqualTo(1);
  }

  @Test
  void connectionsOfMigrationsWaitForADayAndAreNotThoseOfThePool() throws SQLException {
    try (Connection migrating = Migrations.connections(pool).getConnection();
        Connection pooled = pool.getConnection()) {
      assertThat(migrating.getNetworkTimeout()).isEqualTo(Duration.ofDays(1).toMillis());
      assertThat(pooled.getNetworkTimeout()).isEqualTo(Timeouts.SOCKET.toMillis());
    }
  }

  @Test
  void livesInADatabaseThatHasOtherTables() {
    Database.execute(pool, "create table orders (id int)");

    PostgresqlPool.migrate(pool);

    assertThat(Database.number(pool, APPLIED)).isEqualTo(1);
  }

  @Test
  void partThatComesLaterMayHaveALowerNumber() {
    PostgresqlPool.migrate(pool);
    Database.execute(pool, "drop view slot_readable");
    Database.execute(
        pool,
        "drop table slot_config_version, slot_config, slot, slot_window, full_run, counted_span");
    Database.execute(pool, "delete from weir_migration where version = '1'");

    PostgresqlPool.migrate(pool);

    assertThat(Database.number(pool, APPLIED)).isEqualTo(1);
  }

  /** So a migration needs a number above all that the version before it knows. */
  @Test
  void nodeStartsOnTablesOfTheNextVersionIfItsNumbersAreHigher() {
    PostgresqlPool.migrate(pool);
    addMigration("99", "V99__later.sql");

    PostgresqlPool.migrate(pool);

    addMigration("1.99", "V1.99__later.sql");
    assertThatThrownBy(() -> PostgresqlPool.migrate(pool)).isInstanceOf(StoreException.class);
  }

  @Test
  void productWithoutItsJarHasNoTables() {
    PostgresqlPool.migrate(pool);

    assertThat(
            Database.number(
                pool, "select count(*) from pg_class where relname ~ '^(payment|notification)'"))
        .isZero();
  }

  @Test
  void nodeWithoutAProductStartsOnTablesThatHaveIt() {
    PostgresqlPool.migrate(pool);
    addMigration("5", "V5__notifications.sql");
    addMigration("6", "V6__payments.sql");
    addMigration("1.99", "payments/V1.99__later.sql");

    PostgresqlPool.migrate(pool);

    assertThat(Database.number(pool, APPLIED)).isEqualTo(1);
  }

  /** Adds a migration that this version does not know. */
  private void addMigration(String version, String script) {
    Database.execute(
        pool,
        """
        insert into weir_migration
        select installed_rank + 1, '%s', 'later', type, '%s', 7, installed_by, installed_on,
               execution_time, success
        from weir_migration order by installed_rank desc limit 1
        """
            .formatted(version, script));
  }

  @Test
  void tablesThatCannotBeUpgradedAreRefusedWithAdvice() {
    PostgresqlPool.migrate(pool);
    Database.execute(pool, "update weir_migration set checksum = 7 where version = '1'");
    Database.execute(
        pool, "update weir_migration set version = '30', checksum = 8 where version = '4'");

    assertThatThrownBy(() -> PostgresqlPool.migrate(pool))
        .isInstanceOf(StoreException.class)
        .hasMessage(
            "Weir's tables were created by a build that cannot be upgraded to this one;"
                + " use an empty database or data folder");
  }

  @Test
  void viewShowsUsagesToPeople() {
    PostgresqlPool.migrate(pool);
    Policy policy = Policy.of("å:𝄞", TokenBucket.of(10, Duration.ofDays(10)));
    new JdbcLimitStore(pool).take(policy, "user:7", 3);

    assertThat(
            Database.number(
                pool,
                """
                select count(*) from limit_usage_readable
                where kind = 'token bucket' and policy = 'å:𝄞' and key = 'user:7'
                  and used = 3 * scale and at > now() - interval '1 hour'
                """))
        .isEqualTo(1);
  }

  @Test
  void viewShowsSlotsToPeople() {
    PostgresqlPool.migrate(pool);
    Node node = Database.node(pool, InstantSource.fixed(Account.NOON));
    Account account = Account.open(node, 4);
    account.assign(node, "a", Account.NOON.plusMillis(500));
    node.ledger().confirm(account.id("a"));

    assertThat(
            Database.number(
                pool,
                """
                select count(*) from slot_readable
                where state = 'confirmed' and scheduled_time = '2026-06-01T12:00:02Z'
                  and requested_time = '2026-06-01T12:00:00.5Z'
                  and window_start = '2026-06-01T12:00:00Z'
                """))
        .isEqualTo(1);
  }

  @Test
  void firstConfigurationIsMadeOnceByAnyNumberOfNodes() throws Exception {
    PostgresqlPool.migrate(pool);
    JdbcSlotConfigs configs = new JdbcSlotConfigs(pool, StoreClock.DATABASE);
    List<FutureTask<Boolean>> nodes =
        List.of(1, 2, 3, 4, 5, 6).stream()
            .map(
                max ->
                    new FutureTask<>(
                        () -> {
                          new JdbcSlotConfigs(pool, StoreClock.DATABASE)
                              .configure("default", 0, SlotPolicy.of(max, Duration.ofSeconds(4)));
                          return true;
                        }))
            .toList();
    nodes.forEach(Thread.ofVirtual()::start);
    for (FutureTask<Boolean> node : nodes) {
      assertThat(node.get()).isTrue();
    }

    assertThat(configs.history("default")).hasSize(1);
  }
}
