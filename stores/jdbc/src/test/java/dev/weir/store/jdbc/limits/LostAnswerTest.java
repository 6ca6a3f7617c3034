package dev.weir.store.jdbc.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.StoreException;
import dev.weir.StoreException.Outcome;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Concurrency;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotState;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.slots.internal.Account;
import dev.weir.store.tck.internal.LossyRelay;
import dev.weir.store.tck.slots.Node;
import java.sql.Connection;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Locale;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Compares what a store reports after a lost response with what the database did. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LostAnswerTest {
  /** Where there is no connection to wait for. */
  private static final Duration HASTE = Duration.ofMillis(300);

  private final Database database = Database.get();
  private final InstantSource clock = InstantSource.fixed(Account.NOON);
  private final LossyRelay relay = new LossyRelay(database.port());
  private final HikariDataSource pool = database.openThrough(relay.port(), Database.MAX_WAIT);

  /** The node under test; the others show what the database contains. */
  private final Node node = Database.node(pool, clock);

  private final Node witness = Database.node(database.pool(), clock);
  private final Account account = Account.open(witness, 2);

  LostAnswerTest() throws Exception {}

  @AfterEach
  void close() throws Exception {
    pool.close();
    relay.close();
  }

  private static Outcome outcomeOf(ThrowingCallable work) {
    return catchThrowableOfType(StoreException.class, work).outcome();
  }

  @Test
  void slotThatWasGivenAtOnceIsFoundByTheSameId() {
    account.assign(node, "warm", Account.NOON);
    relay.loseAnswerTo("insert into slot ");

    assertThat(outcomeOf(() -> account.assign(node, "a", Account.NOON))).isEqualTo(Outcome.UNKNOWN);

    assertThat(relay.lost()).isOne();
    Slot given = witness.ledger().find(account.id("a")).orElseThrow();
    assertThat(account.assign(node, "a", Account.NOON)).isEqualTo(given);
  }

  @Test
  void slotThatWasGivenUnderTheLockIsFoundByTheSameId() {
    relay.loseAnswerTo("insert into slot ");

    assertThat(outcomeOf(() -> account.assign(node, "a", Account.NOON))).isEqualTo(Outcome.UNKNOWN);

    assertThat(relay.lost()).isOne();
    Slot given = witness.ledger().find(account.id("a")).orElseThrow();
    assertThat(account.assign(node, "a", Account.NOON)).isEqualTo(given);
  }

  @Test
  void connectionLostBeforeTheCommitHasDoneNothing() {
    relay.loseAnswerTo("for update");

    assertThat(outcomeOf(() -> account.assign(node, "a", Account.NOON))).isEqualTo(Outcome.NONE);

    assertThat(relay.lost()).isOne();
    assertThat(witness.ledger().find(account.id("a"))).isEmpty();
  }

  @Test
  void cancellationThatWasCommittedIsUnknown() {
    account.assign(witness, "a", Account.NOON);
    relay.loseAnswerTo("COMMIT");

    assertThat(outcomeOf(() -> node.ledger().cancel(account.id("a")))).isEqualTo(Outcome.UNKNOWN);

    assertThat(relay.lost()).isOne();
    assertThat(witness.ledger().find(account.id("a")).orElseThrow().state())
        .isEqualTo(SlotState.CANCELLED);
  }

  @Test
  void configurationThatWasCommittedIsUnknown() {
    String name = "c-" + UUID.randomUUID();
    relay.loseAnswerTo("COMMIT");

    assertThat(
            outcomeOf(
                () -> node.configs().configure(name, SlotPolicy.of(1, Duration.ofSeconds(1)))))
        .isEqualTo(Outcome.UNKNOWN);

    assertThat(relay.lost()).isOne();
    assertThat(witness.configs().inForce(name)).isPresent();
  }

  @Test
  void readingChangesNothingWhateverIsLost() {
    account.assign(witness, "a", Account.NOON);
    relay.loseAnswerTo("slot");
    assertThat(outcomeOf(() -> node.ledger().find(account.id("a")))).isEqualTo(Outcome.NONE);
    relay.loseAnswerTo("COMMIT");
    assertThat(outcomeOf(() -> node.ledger().forecast(account.config(), Account.NOON, 3)))
        .isEqualTo(Outcome.NONE);
    assertThat(relay.lost()).isEqualTo(2);
  }

  @Test
  void nothingIsDoneIfConnectionsAreRefused() throws Exception {
    relay.close();

    try (HikariDataSource hasty = database.openThrough(relay.port(), HASTE)) {
      Node hurried = Database.node(hasty, clock);
      assertThat(outcomeOf(() -> account.assign(hurried, "a", Account.NOON)))
          .isEqualTo(Outcome.NONE);
    }

    assertThat(witness.ledger().find(account.id("a"))).isEmpty();
  }

  @Test
  void nothingIsDoneWhereAllConnectionsAreInUse() throws Exception {
    try (HikariDataSource hasty = database.openThrough(relay.port(), HASTE);
        Connection inUse = Database.connect(hasty)) {
      assertThat(inUse.isClosed()).isFalse();
      Node hurried = Database.node(hasty, clock);
      assertThat(outcomeOf(() -> account.assign(hurried, "a", Account.NOON)))
          .isEqualTo(Outcome.NONE);
    }
    assertThat(witness.ledger().find(account.id("a"))).isEmpty();
  }

  /** Timeouts of locks and statements, and other errors reported by the server. */
  @Test
  void nothingIsDoneWhereTheServerSaysThatItFailed() {
    account.assign(node, "warm", Account.NOON);
    for (String state : new String[] {"55P03", "57014", "53100", "XX000"}) {
      String trigger = "fail_" + state.toLowerCase(Locale.ROOT);
      Database.execute(
          database.pool(),
          """
          create function %s() returns trigger language plpgsql as
          $$ begin raise exception 'no' using errcode = '%s'; end $$
          """
              .formatted(trigger, state));
      Database.execute(
          database.pool(),
          """
          create trigger %1$s before insert on slot for each row
          when (new.event_id = '%2$s') execute function %1$s()
          """
              .formatted(trigger, account.id(state)));
      try {
        assertThat(outcomeOf(() -> account.assign(node, state, Account.NOON)))
            .as(state)
            .isEqualTo(Outcome.NONE);
        assertThat(witness.ledger().find(account.id(state))).isEmpty();
      } finally {
        Database.execute(database.pool(), "drop trigger %s on slot".formatted(trigger));
        Database.execute(database.pool(), "drop function %s()".formatted(trigger));
      }
    }
  }

  /** A session that is terminated may have committed before: the outcome is unknown. */
  @Test
  void endedSessionIsUnknown() {
    account.assign(node, "warm", Account.NOON);
    Database.execute(
        database.pool(),
        """
        create function end_session() returns trigger language plpgsql as
        $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$
        """);
    Database.execute(
        database.pool(),
        """
        create trigger end_session before insert on slot for each row
        when (new.event_id = '%s') execute function end_session()
        """
            .formatted(account.id("a")));
    try {
      assertThat(outcomeOf(() -> account.assign(node, "a", Account.NOON)))
          .isEqualTo(Outcome.UNKNOWN);
    } finally {
      Database.execute(database.pool(), "drop trigger end_session on slot");
      Database.execute(database.pool(), "drop function end_session()");
    }
  }

  @Test
  void grantIsReplayedByItsRequestId() {
    JdbcLimitStore limits = new JdbcLimitStore(pool);
    Policy policy =
        Policy.of(UUID.randomUUID().toString(), FixedWindow.of(10, Duration.ofDays(300)));
    AcquireRequest request = AcquireRequest.of(new LimitRequest(policy, "k", 3)).withRequestId("r");
    relay.loseAnswerTo("weir_limit_decide");

    assertThat(outcomeOf(() -> limits.decide(request))).isEqualTo(Outcome.UNKNOWN);

    assertThat(relay.lost()).isOne();
    AcquireResult again = limits.decide(request);
    assertThat(again.isReplayed()).isTrue();
    assertThat(limits.usage(policy, "k").used()).isEqualTo(3);
  }

  @Test
  void leaseIsHeldByTheSameId() {
    JdbcLeaseStore leases = new JdbcLeaseStore(pool);
    Concurrency two = Concurrency.of(2, Duration.ofMinutes(10));
    String resource = UUID.randomUUID().toString();
    relay.loseAnswerTo("weir_lease_step");

    assertThat(outcomeOf(() -> leases.acquire(resource, two, "mine", 2)))
        .isEqualTo(Outcome.UNKNOWN);

    assertThat(relay.lost()).isOne();
    assertThat(leases.acquire(resource, two, "mine", 2)).isInstanceOf(LeaseDecision.Held.class);
    assertThat(leases.current(resource)).isEqualTo(2);
  }
}
