package dev.weir.payments.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.payments.FeedState;
import dev.weir.payments.Payment;
import dev.weir.payments.PaymentCall;
import dev.weir.payments.PaymentState;
import dev.weir.payments.PaymentStore;
import dev.weir.payments.PaymentStore.Chunk;
import dev.weir.payments.PaymentStore.OpenPayment;
import dev.weir.payments.PaymentStore.Position;
import dev.weir.payments.PaymentStore.SlotSpan;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OverduePaymentsTest {
  private final Feeds feeds = new Feeds();
  private final PaymentStore store = feeds.store();

  @Test
  void findsPaymentsThatShouldHaveEnded() {
    String feedId = feeds.receive("f", 1, 2, 3, 4);
    Chunk first = store.chunk(feedId, 0, 2).orElseThrow();
    store.assigned(
        feedId, first, SlotSpan.NONE.and(Feeds.NOON).and(Feeds.NOON.plusSeconds(1)), List.of());
    assertThat(overdue(Feeds.NOON.plusSeconds(9))).as("not started yet").isEmpty();
    store.started(feedId, 0);
    Chunk second = store.chunk(feedId, 3, 2).orElseThrow();
    store.assigned(feedId, second, SlotSpan.NONE.and(Feeds.NOON.plusSeconds(5)), List.of());
    store.started(feedId, 3);
    store.allStarted(feedId);
    assertThat(overdue(Feeds.NOON.plusSeconds(1))).isEmpty();
    assertThat(overdue(Feeds.NOON.plusSeconds(2)))
        .containsExactly(feeds.payment(1), feeds.payment(2));
    assertThat(overdue(Instant.MAX)).hasSize(4);
    store.ended(
        Feeds.call(feeds.payment(1), Feeds.NOON, PaymentCall.Result.PAID), PaymentState.PAID);
    assertThat(overdue(Feeds.NOON.plusSeconds(2))).containsExactly(feeds.payment(2));
    for (int i = 2; i <= 4; i++) {
      store.ended(
          Feeds.call(feeds.payment(i), Feeds.NOON, PaymentCall.Result.PAID), PaymentState.PAID);
    }
    store.closeFeeds();
    assertThat(feeds.status(feedId).state()).isEqualTo(FeedState.DONE);
  }

  @Test
  void overduePaymentsGoByTheirOwnSlots() throws SQLException {
    String feedId = feeds.receive("f", 1, 2);
    Chunk chunk = store.chunk(feedId, 0, 10).orElseThrow();
    store.assigned(
        feedId, chunk, SlotSpan.NONE.and(Feeds.NOON).and(Feeds.NOON.plusSeconds(3_600)), List.of());
    store.started(feedId, 0);
    addSlot(feeds.payment(1), Feeds.NOON);
    addSlot(feeds.payment(2), Feeds.NOON.plusSeconds(3_600));
    assertThat(overdue(Feeds.NOON)).isEmpty();
    assertThat(overdue(Feeds.NOON.plusSeconds(1))).containsExactly(feeds.payment(1));
    assertThat(overdue(Feeds.NOON.plusSeconds(3_601)))
        .containsExactly(feeds.payment(1), feeds.payment(2));
    removeSlots();
  }

  private static void removeSlots() throws SQLException {
    try (Connection connection = Database.get().pool().getConnection()) {
      Sql.update(connection, "delete from slot where config_id = -1");
    }
  }

  private static void addSlot(Payment payment, Instant at) throws SQLException {
    try (Connection connection = Database.get().pool().getConnection()) {
      Sql.update(
          connection,
          "insert into slot (requested, window_start, scheduled, assigned_at, config_id, version,"
              + " place, state, event_id) values (0, 0, ?, 0, -1, 1, 0, 0, ?)",
          Micros.ceil(at),
          payment.paymentId());
    }
  }

  /** Reads page by page, one payment each. Other tests have payments in the same tables. */
  private List<Payment> overdue(Instant before) {
    List<Payment> found = new ArrayList<>();
    Position position = Position.START;
    List<OpenPayment> page = store.overdue(before, position, 1);
    while (!page.isEmpty()) {
      if (page.getFirst().payment().paymentId().startsWith(feeds.name())) {
        found.add(page.getFirst().payment());
      }
      page = store.overdue(before, page.getFirst().position(), 1);
    }
    return found;
  }
}
