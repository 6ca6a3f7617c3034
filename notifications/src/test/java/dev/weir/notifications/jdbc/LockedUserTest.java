package dev.weir.notifications.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.internal.Micros;
import dev.weir.notifications.messages.MessageRecord;
import dev.weir.notifications.messages.SendRequest;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.tck.SettableClock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A foreign transaction holds the row of one user, such as one of an operator. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LockedUserTest {
  private final String url = Database.get().createMigrated();
  private final HikariDataSource pool = Database.openPool(url);
  private final SettableClock time = new SettableClock(Instant.parse("2026-06-01T12:00:00Z"));
  private final StoreClock clock = databaseMicros -> Micros.ceil(time.instant());
  private final JdbcSendLedger ledger = new JdbcSendLedger(pool, clock);
  private final JdbcDeferredMessages deferred = new JdbcDeferredMessages(pool, clock, 100);
  private final long locked = Letters.newUser();
  private final long other = Letters.newUser();

  @BeforeEach
  void configure() {
    JdbcUserLimits limits = new JdbcUserLimits(pool, clock);
    for (long user : List.of(locked, other)) {
      limits.configure(UserLimit.of(user, 100, Duration.ofHours(1)));
    }
  }

  @AfterEach
  void close() {
    pool.close();
  }

  @Test
  void requestsOfOtherUsersAreDecided() throws SQLException {
    try (Connection foreign = lock(locked)) {
      for (int i = 0; i < 3; i++) {
        List<SendResult.Placing> results =
            ledger.place(List.of(Letters.to(locked), Letters.to(other), Letters.to(locked)));

        assertThat(results.get(0)).isEqualTo(new SendResult.Busy(locked));
        assertThat(results.get(1)).isInstanceOf(SendResult.Accepted.class);
        assertThat(results.get(2)).isEqualTo(new SendResult.Busy(locked));
      }
      long unknown = Letters.newUser();
      assertThat(ledger.place(List.of(Letters.to(unknown), Letters.to(locked))))
          .containsExactly(new SendResult.UnknownUser(unknown), new SendResult.Busy(locked));
      foreign.rollback();
    }
    assertThat(ledger.place(Letters.to(locked, 2)))
        .allMatch(result -> result instanceof SendResult.Accepted);
  }

  @Test
  void messagesOfOtherUsersAreWithdrawn() throws SQLException {
    SendRequest first = Letters.to(locked);
    SendRequest second = Letters.to(other);
    ledger.place(List.of(first, second));
    try (Connection foreign = lock(locked)) {
      assertThat(ledger.withdraw(List.of(first.message().id(), second.message().id())))
          .extracting(withdrawn -> withdrawn.message())
          .containsExactly(second.message().id());
      foreign.rollback();
    }
  }

  @Test
  void deferredMessagesOfOtherUsersAreReleased() throws SQLException {
    SendRequest first = Letters.to(locked);
    SendRequest second = Letters.to(other);
    deferred.defer(first, time.instant());
    deferred.defer(second, time.instant());
    try (Connection foreign = lock(locked)) {
      assertThat(deferred.defer(Letters.to(locked), time.instant()))
          .isEqualTo(new SendResult.Busy(locked));
      assertThat(deferred.release(List.of(first.message().id(), second.message().id())))
          .extracting(accepted -> accepted.message())
          .containsExactly(second.message());
      // Or a caller who asks for what is due would get it again and again.
      assertThat(deferred.due(9)).isEmpty();
      foreign.rollback();
    }
    time.move(Duration.ofSeconds(1));
    assertThat(deferred.due(9)).extracting(MessageRecord::message).containsExactly(first.message());
    assertThat(deferred.release(List.of(first.message().id()))).hasSize(1);
  }

  private Connection lock(long user) throws SQLException {
    Connection connection = pool.getConnection();
    connection.setAutoCommit(false);
    try (PreparedStatement statement =
        connection.prepareStatement(
            "select 1 from notification_user where user_id = ? for update")) {
      statement.setLong(1, user);
      statement.execute();
    }
    return connection;
  }
}
