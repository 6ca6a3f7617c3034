package dev.weir.notifications.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.internal.Micros;
import dev.weir.notifications.messages.DeferredMessages;
import dev.weir.notifications.messages.MessageRecord;
import dev.weir.notifications.messages.SendRequest;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.PoolSettings;
import dev.weir.store.jdbc.PostgresqlPool;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.tck.SettableClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many deferred messages of one user. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class DeferredMessagesTest {
  private static final int WAITING = 1_000;
  private static final int A_WINDOW = 5;

  /** All rows that were written. */
  private static final String WRITTEN =
      """
      select sum(n_tup_ins + n_tup_upd + n_tup_del) from pg_stat_user_tables
      where relname like 'notification%'
      """;

  private final String url = Database.get().createMigrated();
  private final HikariDataSource witness = Database.openPool(url);

  /** One connection, which publishes its statistics when it is told to. */
  private final HikariDataSource pool =
      PostgresqlPool.open(new PoolSettings(url, "postgres", "", 1, 1, Database.MAX_WAIT));

  private final SettableClock time = new SettableClock(Instant.parse("2026-06-01T12:00:00Z"));
  private final StoreClock clock = databaseMicros -> Micros.ceil(time.instant());
  private final JdbcDeferredMessages deferred = new JdbcDeferredMessages(pool, clock, WAITING);
  private final long user = Letters.newUser();

  DeferredMessagesTest() {
    new JdbcUserLimits(pool, clock).configure(UserLimit.of(user, A_WINDOW, Duration.ofMinutes(1)));
  }

  @AfterEach
  void close() {
    pool.close();
    witness.close();
  }

  @Test
  void windowWritesInProportionToWhatItSendsNotToWhatWaits() {
    for (SendRequest request : Letters.to(user, WAITING)) {
      assertThat(deferred.defer(request, time.instant())).isInstanceOf(SendResult.Deferred.class);
    }
    for (int window = 0; window < 3; window++) {
      long before = written();
      assertThat(releaseAll()).isEqualTo(A_WINDOW);
      // For each message: itself, its deferral, the outbox. For the user: its count, its turn.
      assertThat(written() - before).isLessThanOrEqualTo(3 * A_WINDOW + 5);
      time.move(Duration.ofMinutes(1));
    }
  }

  /** As the dispatch does, until nothing is due. */
  private int releaseAll() {
    int released = 0;
    List<UUID> due = due();
    while (!due.isEmpty()) {
      assertThat(due).hasSizeLessThanOrEqualTo(DeferredMessages.MAX_DUE_OF_USER);
      released += deferred.release(due).size();
      due = due();
    }
    return released;
  }

  private List<UUID> due() {
    return deferred.due(200).stream()
        .map(MessageRecord::message)
        .map(message -> message.id())
        .toList();
  }

  private long written() {
    Database.execute(pool, "select pg_stat_force_next_flush()");
    return Database.number(witness, WRITTEN);
  }

  @Test
  void userHasAMaximumOfDeferredMessages() {
    JdbcDeferredMessages two = new JdbcDeferredMessages(pool, clock, 2);
    SendRequest first = Letters.to(user, "k");
    assertThat(two.defer(first, time.instant())).isInstanceOf(SendResult.Deferred.class);
    assertThat(two.defer(Letters.to(user), time.instant())).isInstanceOf(SendResult.Deferred.class);

    assertThat(two.defer(Letters.to(user), time.instant()))
        .isInstanceOfSatisfying(
            SendResult.TooManyDeferred.class, tooMany -> assertThat(tooMany.max()).isEqualTo(2));

    // A repeated request keeps none.
    assertThat(two.defer(Letters.to(user, "k"), time.instant()))
        .isInstanceOf(SendResult.Deferred.class);
    two.cancel(first.message().id());
    assertThat(two.defer(Letters.to(user), time.instant())).isInstanceOf(SendResult.Deferred.class);
  }

  @Test
  void messageOfANodeOfTheVersionBeforeIsDue() {
    SendRequest request = Letters.to(user);
    deferred.defer(request, time.instant());
    Database.execute(
        witness,
        """
        delete from notification_deferred_user;
        update notification_deferred set user_id = null
        """);

    assertThat(due()).containsExactly(request.message().id());
    assertThat(deferred.release(due())).hasSize(1);
  }

  /** Otherwise such users would be looked at first, and keep others waiting. */
  @Test
  void userWhoseFirstMessageWasCancelledIsLeftOutUntilTheNextIsDue() {
    SendRequest first = Letters.to(user);
    SendRequest second = Letters.to(user);
    deferred.defer(first, time.instant());
    deferred.defer(second, time.instant().plusSeconds(60));
    deferred.cancel(first.message().id());

    assertThat(due()).isEmpty();

    assertThat(Database.number(witness, "select count(*) from notification_deferred_user"))
        .isEqualTo(1);
    assertThat(
            Database.number(
                witness,
                "select count(*) from notification_deferred_user where next_at <= "
                    + Micros.ceil(time.instant())))
        .isZero();
    time.move(Duration.ofSeconds(60));
    assertThat(due()).containsExactly(second.message().id());
    deferred.cancel(second.message().id());
    assertThat(due()).isEmpty();
    assertThat(Database.number(witness, "select count(*) from notification_deferred_user"))
        .isZero();
  }
}
