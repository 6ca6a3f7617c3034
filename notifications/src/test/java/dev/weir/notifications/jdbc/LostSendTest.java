package dev.weir.notifications.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.StoreException;
import dev.weir.StoreException.Outcome;
import dev.weir.notifications.messages.SendRequest;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.store.jdbc.Database;
import dev.weir.store.tck.internal.LossyRelay;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Compares what the ledger reports after a lost response with what the database did. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LostSendTest {
  private final Database database = Database.get();
  private final LossyRelay relay = new LossyRelay(database.port());
  private final HikariDataSource pool = database.openThrough(relay.port(), Database.MAX_WAIT);

  /** The ledger under test; the others show what the database contains. */
  private final JdbcSendLedger ledger = new JdbcSendLedger(pool);

  private final JdbcUserLimits limits = new JdbcUserLimits(database.pool());
  private final JdbcMessageLog log = new JdbcMessageLog(database.pool());
  private final long user = Letters.newUser();

  LostSendTest() throws Exception {
    limits.configure(UserLimit.of(user, 2, Duration.ofHours(1)));
  }

  @AfterEach
  void close() throws Exception {
    pool.close();
    relay.close();
  }

  private static Outcome outcomeOf(ThrowingCallable work) {
    return catchThrowableOfType(StoreException.class, work).outcome();
  }

  private long count() {
    return limits.find(user).orElseThrow().currentCount();
  }

  @Test
  void messageWhoseCommitWasNotAnsweredIsFoundByItsId() {
    SendRequest request = Letters.to(user);
    relay.loseAnswerTo("insert into notification_outbox");

    assertThat(outcomeOf(() -> ledger.place(List.of(request)))).isEqualTo(Outcome.UNKNOWN);

    assertThat(relay.lost()).isOne();
    assertThat(log.find(request.message().id())).isPresent();
    assertThat(ledger.place(List.of(request)).getFirst()).isInstanceOf(SendResult.Repeated.class);
    assertThat(count()).isEqualTo(1);
  }

  @Test
  void connectionLostBeforeTheWriteHasCountedNothing() {
    SendRequest request = Letters.to(user);
    relay.loseAnswerTo("for update");

    assertThat(outcomeOf(() -> ledger.place(List.of(request)))).isEqualTo(Outcome.NONE);

    assertThat(relay.lost()).isOne();
    assertThat(log.find(request.message().id())).isEmpty();
    assertThat(count()).isZero();
  }

  @Test
  void withdrawalThatWasNotAnsweredIsDoneOnce() {
    SendRequest request = Letters.to(user);
    ledger.place(List.of(request, Letters.to(user)));
    relay.loseAnswerTo("COMMIT");

    assertThat(outcomeOf(() -> ledger.withdraw(List.of(request.message().id()))))
        .isEqualTo(Outcome.UNKNOWN);

    assertThat(relay.lost()).isOne();
    assertThat(ledger.withdraw(List.of(request.message().id()))).isEmpty();
    assertThat(count()).isEqualTo(1);
  }

  @Test
  void nothingIsCountedWhereTheDatabaseIsGone() throws Exception {
    SendRequest request = Letters.to(user);
    relay.close();

    try (HikariDataSource hasty = database.openThrough(relay.port(), Duration.ofMillis(300))) {
      JdbcSendLedger hurried = new JdbcSendLedger(hasty);
      assertThat(outcomeOf(() -> hurried.place(List.of(request)))).isEqualTo(Outcome.NONE);
    }

    assertThat(count()).isZero();
  }
}
