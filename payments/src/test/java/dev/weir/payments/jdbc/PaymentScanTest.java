package dev.weir.payments.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.payments.FeedRecord;
import dev.weir.payments.FeedScope;
import dev.weir.payments.Payment;
import dev.weir.payments.PaymentCall;
import dev.weir.payments.PaymentQuery;
import dev.weir.payments.PaymentState;
import dev.weir.payments.PaymentStore.Chunk;
import dev.weir.payments.PaymentStore.Opening;
import dev.weir.payments.PaymentStore.Position;
import dev.weir.payments.PaymentStore.Reception;
import dev.weir.payments.PaymentStore.SlotSpan;
import dev.weir.store.jdbc.GrownTables;
import dev.weir.store.jdbc.GrownTables.Statistics;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** No statement about payments reads those of other feeds. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PaymentScanTest {
  private static final int ROWS = 2_000;
  private static final int FEEDS = 300;
  private static final int MAX_READ = 200;
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration DAY = Duration.ofDays(1);

  /**
   * A feed that is being paid, feeds that are done, and one that is being received, which claims
   * what the first one has.
   */
  private static final String GROWTH =
      """
      insert into payment_feed (feed_no, state, reception, read_count, accepted_count,
                                repeated_count, rejected_count, created_at, received_at,
                                config_name, digest, feed_id)
      overriding system value
      select 1000000 + i, case i when 0 then 2 when 1 then 0 else 3 end, 1, 1, 1, 1, 1, 0,
             9000000000000000, 'bank', '', 'grown' || i
      from generate_series(0, %2$d) i;
      insert into payment (line, feed_no, attempts, state, amount, currency, debtor_account,
                           creditor_account, reference, config_name, payment_id)
      select i, 1000000, 0, case when i %% 10 = 0 then 5 else 1 + i %% 2 end, 1, 'EUR', 'd', 'c',
             'r', 'bank', 'open' || i
      from generate_series(1, %1$d) i;
      insert into payment (line, feed_no, attempts, state, amount, currency, debtor_account,
                           creditor_account, reference, config_name, payment_id)
      select i, 1000002 + i %% (%2$d - 1), 1, 3 + i %% 3, 1, 'EUR', 'd', 'c', 'r', 'bank',
             'done' || i
      from generate_series(1, %1$d) i;
      insert into payment_call (called_at, answered_at, feed_no, result, detail, payment_id)
      select line, line, feed_no, case state when 3 then 1 else 3 end, '', payment_id
      from payment where feed_no >= 1000000 and state <> 1;
      insert into payment_audit (recorded_at, ended_at, feed_no, attempts, state, detail,
                                 payment_id)
      select line, line, feed_no, attempts, state, '', payment_id
      from payment where feed_no >= 1000000 and state >= 3;
      insert into payment_claim (line, feed_no, amount, currency, debtor_account,
                                 creditor_account, reference, config_name, payment_id)
      select line, 1000001, amount, currency, debtor_account, creditor_account, reference,
             config_name, payment_id
      from payment where feed_no = 1000000;
      insert into payment_reject (feed_no, line, payment_id, reason, record)
      select 1000001, i, case when i %% 2 = 0 then '' else 'open' || i end, 'r', 'r'
      from generate_series(1, %1$d) i;
      insert into payment_chunk (feed_no, after_line, last_line, slots, without_slot,
                                 first_scheduled, last_scheduled, is_started)
      select 1000000, 10 * i, 10 * i + 10, 10, 0, 9000000000000000, 9000000000000000, true
      from generate_series(0, %1$d / 10 - 1) i;
      insert into slot (requested, window_start, scheduled, assigned_at, config_id, version,
                        place, state, event_id)
      select 0, 0, 0, 0, 1, 1, 0, 0, payment_id from payment
      where feed_no = 1000000 and line %% 20 <> 0;
      insert into payment_hold (feed_no, held_at)
      select feed_no, 0 from payment_feed where feed_no > 1000001;
      insert into payment_action select 0, 0, 'hold', '', 'ann' from generate_series(1, %1$d)
      """
          .formatted(ROWS, FEEDS);

  @ParameterizedTest
  @EnumSource
  void statementsReadOnlyTheirRowsWhenTheTablesHaveGrown(Statistics taken) {
    assertThat(
            GrownTables.excesses(
                taken, database -> new Usage(database).useEverything(), GROWTH, MAX_READ))
        .isEmpty();
  }

  /** Executes every kind of operation, on feeds of its own. */
  private static final class Usage {
    private final String name = UUID.randomUUID().toString();
    private final JdbcPaymentStore store;

    Usage(DataSource database) {
      this.store = new JdbcPaymentStore(database);
    }

    private FeedRecord record(long line, int number, String amount) {
      return new FeedRecord.Accepted(
          line,
          new Payment(
              id(number),
              new BigDecimal(amount),
              "EUR",
              "from",
              "to",
              Optional.empty(),
              "ref",
              "bank"));
    }

    private String id(int number) {
      return name + "/" + number;
    }

    private Reception open(String feed) {
      return ((Opening.Opened) store.open(name + feed, "bank")).reception();
    }

    private List<FeedRecord> records(int from, int count) {
      List<FeedRecord> records = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        records.add(record(i + 2, from + i, "10"));
      }
      return records;
    }

    void useEverything() {
      String feedId = receive();
      start(feedId);
      pay(feedId);
      act(feedId);
      read(feedId);
      store.closeFeeds();
    }

    private String receive() {
      Reception first = open("first");
      store.add(first, records(1, 20));
      store.add(first, List.of(record(30, 1, "10"), record(31, 2, "11")));
      store.add(first, List.of(new FeedRecord.Rejected(32, "reason", id(99), "record")));
      Reception second = open("second");
      // Claims of what the first one holds, one of which contradicts it.
      store.add(second, records(1, 4));
      store.add(second, List.of(record(40, 5, "12"), record(41, 21, "10"), record(42, 6, "10")));
      store.complete(first, "digest");
      store.complete(second, "digest");
      Reception third = open("third");
      store.add(third, records(50, 3));
      Reception fourth = open("fourth");
      store.add(fourth, records(50, 4));
      store.complete(fourth, "digest");
      store.remove(third);
      Reception silent = open("silent");
      store.add(silent, records(60, 3));
      store.discardGivenUp(Duration.ofSeconds(-1));
      store.open(first.feedId(), "bank");
      return first.feedId();
    }

    private void start(String feedId) {
      assertThat(store.startingFeeds(10)).contains(feedId);
      Chunk chunk = store.chunk(feedId, 0, 15).orElseThrow();
      assertThat(chunk.payments()).hasSize(15);
      store.cancel(id(2));
      store.assigned(
          feedId,
          chunk,
          SlotSpan.NONE.and(Instant.EPOCH),
          List.of(new FeedRecord.Rejected(4, "no slot", id(3), "record")));
      store.assigned(feedId, chunk, SlotSpan.NONE.and(Instant.EPOCH), List.of());
      store.chunk(feedId, 0, 15);
      assertThat(store.cancelled(feedId, chunk)).hasSize(1);
      store.started(feedId, 0);
      store.allStarted(feedId);
      store.startedUntil(feedId);
      assertThat(store.overdue(Instant.EPOCH.plusSeconds(1), new Position(0, 0), 5)).isNotEmpty();
      store.cancelledWithSlots(3);
    }

    private void pay(String feedId) {
      for (int i = 4; i < 10; i++) {
        store.begin(id(i));
        Instant begun = store.beginCall(id(i), 0, HOUR, DAY).orElseThrow();
        store.attempted(new PaymentCall(id(i), begun, begun, PaymentCall.Result.RETRY, "busy"));
      }
      store.begin(id(4));
      Instant begun = store.beginCall(id(4), 1, HOUR, DAY).orElseThrow();
      store.withdrawCall(id(4), begun);
      begun = store.beginCall(id(4), 1, HOUR, DAY).orElseThrow();
      PaymentCall paid = new PaymentCall(id(4), begun, begun, PaymentCall.Result.PAID, "ok");
      assertThat(store.ended(paid, PaymentState.PAID)).isTrue();
      store.withoutSlot(id(5), begun);
      assertThat(store.failed(id(5), begun, "no slot")).isTrue();
      assertThat(store.notStarted(id(6), "id is taken")).isTrue();
      store.cancel(id(7));
      store.firstCall(id(8));
      store.hasUnknownCall(id(8), begun);
      store.failed(id(8), begun, "refused");
      store.failed(id(9), begun, "refused");
      store.isHeld(id(8));
      store.holdIfRestored();
      assertThat(store.callsTooMany(feedId)).isZero();
      assertThat(store.maxCallsInASecond(feedId)).isPositive();
      assertThat(store.calls(feedId, 1_000_000, 10)).isNotEmpty();
    }

    private void act(String feedId) {
      for (FeedScope scope : List.of(new FeedScope.One(feedId), new FeedScope.All())) {
        assertThat(store.hold(scope, "ann")).isTrue();
        store.isAllHeld();
        store.holdReason();
        assertThat(store.resume(scope, "ann")).isTrue();
        assertThat(store.retry(scope, false, "ann", 1).payments()).isOne();
        assertThat(store.cancel(scope, "ann", 2).payments()).isEqualTo(2);
        assertThat(store.retry(scope, true, "ann", 1).payments()).isOne();
      }
    }

    private void read(String feedId) {
      assertThat(store.feed(feedId)).isPresent();
      assertThat(store.feeds("", 2)).hasSize(2);
      store.feeds(feedId, 2);
      assertThat(store.rejects(feedId, 0, 10)).isNotEmpty();
      for (int i = 2; i < 10; i++) {
        store.find(id(i));
      }
      assertThat(store.find(id(99))).isPresent();
      for (FeedScope scope : List.of(new FeedScope.One(feedId), new FeedScope.All())) {
        for (PaymentState state : PaymentState.values()) {
          if (state != PaymentState.REJECTED) {
            store.list(
                new PaymentQuery(
                    scope,
                    state,
                    Instant.EPOCH,
                    Micros.instant(Micros.LATEST),
                    PaymentQuery.Cursor.START,
                    3));
          }
        }
      }
    }
  }
}
