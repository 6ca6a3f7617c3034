package dev.weir.notifications.jdbc;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LONG;

import dev.weir.internal.Micros;
import dev.weir.notifications.messages.DeliveryGuarantee;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.MessageLog.Attempt;
import dev.weir.notifications.messages.MessageLog.Delivery;
import dev.weir.notifications.messages.MessageQuery;
import dev.weir.notifications.messages.MessageState;
import dev.weir.notifications.messages.SendLedger.Unpublishable;
import dev.weir.notifications.messages.SendRequest;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.GrownTables;
import dev.weir.store.jdbc.GrownTables.Statistics;
import dev.weir.store.jdbc.StatementReads;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * No statement reads a whole table, even if its plan was made while the table was empty. The outbox
 * is the exception: a claim reads all of it, because a message is there for a moment only.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class MessageScanTest {
  private static final int ROWS = 5_000;
  private static final int ROWS_OF_OUTBOX = 100;
  private static final int ROWS_OF_PAGES = 12_000;

  /** Of the whole outbox, and of what a test has written itself. */
  private static final int MAX_READ = 300;

  @ParameterizedTest
  @EnumSource
  void statementsReadOnlyTheirRowsWhenTheTablesHaveGrown(Statistics taken) {
    assertThat(GrownTables.excesses(taken, MessageScanTest::useEverything, growth(ROWS), MAX_READ))
        .isEmpty();
  }

  private static String growth(int rows) {
    return """
    insert into notification_user
    select -i, 1, 60000000, 1, 1, 0, 0, 0, 0, 'fixed_window', 'message', null
    from generate_series(1, %1$d) i;
    insert into notification_message
      (created_at, changed_at, taken_at, user_id, parts, state, id, idempotency_key, provider,
       provider_id, text)
    select case when i %% 3 < 2 then 9000000000000000 else i end, 0, 0, -i, 1, i %% 3,
      gen_random_uuid(), 'k' || i, 'p', 'i' || i, 't'
    from generate_series(1, %1$d) i;
    insert into notification_outbox
    select 9000000000000000, 0, false, id from notification_message
    where state = 1 and user_id < 0 limit %2$d;
    insert into notification_deferred
    select 9000000000000000, id, user_id from notification_message
    where state = 0 and user_id < 0;
    insert into notification_deferred_user
    select min(due_at), user_id from notification_deferred group by user_id
    on conflict do nothing
    """
        .formatted(rows, ROWS_OF_OUTBOX);
  }

  private static MessageQuery newest(OptionalLong user, Optional<MessageState> state, int max) {
    return new MessageQuery(
        user, state, Instant.EPOCH, Micros.instant(Micros.LATEST), MessageQuery.Cursor.START, max);
  }

  /** Otherwise the messages that are in another state would all be read. */
  @Test
  void pageOfARareStateReadsABoundedNumberOfMessages() {
    try (StatementReads reads = new StatementReads(Database.get().createMigrated())) {
      Database.execute(reads.pool(), growth(ROWS_OF_PAGES));
      Database.execute(
          reads.pool(),
          "update notification_message set state = 4"
              + " where id = (select id from notification_message order by created_at limit 1)");
      JdbcMessageLog log = new JdbcMessageLog(reads.pool());
      MessageQuery first = newest(OptionalLong.empty(), Optional.of(MessageState.FAILED), 100);
      reads.count();

      MessageQuery.Page page = log.list(first);

      // The last of them may be deferred.
      assertThat(reads.maxBySql().values())
          .singleElement(as(LONG))
          .isBetween((long) MessageLists.MAX_READ, MessageLists.MAX_READ + 1L);
      assertThat(page.messages()).isEmpty();
      assertThat(page.next()).isPresent();
      int found = 0;
      int pages = 1;
      for (; page.next().isPresent(); pages++) {
        page =
            log.list(
                new MessageQuery(
                    first.userId(),
                    first.state(),
                    first.from(),
                    first.before(),
                    page.next().get(),
                    first.max()));
        found += page.messages().size();
      }
      assertThat(found).isOne();
      assertThat(pages).isLessThanOrEqualTo(ROWS_OF_PAGES / MessageLists.MAX_READ + 1);
    }
  }

  private static void useEverything(DataSource pool) {
    long user = Letters.newUser();
    JdbcUserLimits limits = new JdbcUserLimits(pool);
    JdbcSendLedger ledger = new JdbcSendLedger(pool);
    JdbcDeferredMessages deferred = new JdbcDeferredMessages(pool, 100);
    JdbcMessageLog log = new JdbcMessageLog(pool);
    limits.configure(UserLimit.of(user, 5, Duration.ofHours(1)));
    limits.list(user - 1, 1);
    List<SendRequest> requests = Letters.to(user, 3);
    List<UUID> ids = requests.stream().map(SendRequest::message).map(Message::id).toList();
    ledger.place(requests);
    assertThat(ledger.withdraw(List.of(ids.get(1), UUID.randomUUID()))).hasSize(1);
    SendRequest tooLarge = Letters.to(user);
    ledger.place(List.of(tooLarge));
    assertThat(ledger.fail(List.of(new Unpublishable(tooLarge.message().id(), "too large"))))
        .hasSize(1);
    // Repeated by key, and by id.
    ledger.place(List.of(Letters.to(user, "k"), Letters.to(user, "k")));
    ledger.place(requests);
    ledger.published(ids.subList(0, 1));
    assertThat(ledger.claimUnpublished(Duration.ZERO, Duration.ofHours(1), 5)).isNotEmpty();
    // One is released, one has no place left, and one is cancelled.
    for (SendRequest request : Letters.to(user, 3)) {
      deferred.defer(request, Instant.EPOCH);
    }
    // As by a node of the version before.
    Database.execute(
        pool, "update notification_deferred set user_id = null where user_id = " + user);
    List<UUID> due = deferred.due(5).stream().map(record -> record.message().id()).toList();
    assertThat(deferred.release(due.subList(0, 2))).hasSize(1);
    deferred.cancel(due.get(2));
    ledger.place(Letters.to(user, 2));
    log.find(ids.getFirst());
    log.finished(ids);
    for (OptionalLong one : List.of(OptionalLong.empty(), OptionalLong.of(user))) {
      for (Optional<MessageState> state :
          List.of(Optional.<MessageState>empty(), Optional.of(MessageState.ACCEPTED))) {
        assertThat(log.list(newest(one, state, 2)).messages()).hasSize(2);
      }
    }
    List<Attempt> attempts = ids.stream().map(Attempt::of).toList();
    log.handOver(attempts, "p", new DeliveryGuarantee.AtMostOnce());
    log.notTaken(attempts);
    log.record(
        List.of(
            new Delivery(
                ids.getFirst(),
                MessageState.SENT,
                Instant.EPOCH,
                "p",
                List.of("id of " + user),
                Optional.empty())));
    assertThat(log.receipt("p", "id of " + user, MessageState.FAILED, Instant.EPOCH)).isTrue();
    log.record(
        List.of(
            new Delivery(
                ids.getLast(),
                MessageState.SENT,
                Instant.EPOCH,
                "p",
                List.of("1 of " + user, "2 of " + user),
                Optional.empty())));
    assertThat(log.receipt("p", "2 of " + user, MessageState.DELIVERED, Instant.EPOCH)).isTrue();
    log.receipt(
        new Delivery(
            ids.getFirst(),
            MessageState.DELIVERED,
            Instant.EPOCH,
            "p",
            List.of(),
            Optional.empty()));
    log.reopen(ids, Instant.now().plusSeconds(60));
    log.reopen(attempts.getFirst());
    assertThat(log.removeOlder(Duration.ofMinutes(-1), 5)).isPositive();
  }
}
