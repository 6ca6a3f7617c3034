package dev.weir.payments.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.payments.FeedScope;
import dev.weir.payments.FeedState;
import dev.weir.payments.PaymentStore;
import dev.weir.payments.PaymentStore.Chunk;
import dev.weir.payments.PaymentStore.SlotSpan;
import dev.weir.store.jdbc.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Payments that are tried again while their feeds are closed. */
final class RetriedPaymentsTest {
  private final Feeds feeds = new Feeds();
  private final PaymentStore store = feeds.store();
  private final PaymentStore otherNode = feeds.otherNode();

  /** Its feed would count as done with a payment that nobody looks for. */
  @Test
  void feedIsOpenIfItIsClosedWhileAPaymentOfItIsTriedAgain() throws Exception {
    String feedId = feeds.receive("f", 1);
    Chunk chunk = store.chunk(feedId, 0, 10).orElseThrow();
    store.assigned(feedId, chunk, SlotSpan.NONE.and(Feeds.NOON), List.of());
    store.started(feedId, 0);
    store.allStarted(feedId);
    String id = feeds.payment(1).paymentId();
    store.begin(id);
    assertThat(store.failed(id, Feeds.NOON, "no slot")).isTrue();
    try (Connection other = Database.get().pool().getConnection();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      other.setAutoCommit(false);
      Future<PaymentStore.Portion> retried;
      try (PreparedStatement lock =
          other.prepareStatement("select from payment where payment_id = ? for update")) {
        lock.setString(1, id);
        lock.execute();
        retried = threads.submit(() -> store.retry(new FeedScope.One(feedId), false, "ann", 10));
        awaitWaiting(other);
        otherNode.closeFeeds();
        assertThat(feeds.status(feedId).state()).isEqualTo(FeedState.DONE);
      } finally {
        other.rollback();
      }
      assertThat(retried.get().payments()).isOne();
    }
    assertThat(feeds.status(feedId).state()).isEqualTo(FeedState.STARTED);
    otherNode.closeFeeds();
    assertThat(feeds.status(feedId).state()).isEqualTo(FeedState.STARTED);
  }

  /** Waits until a statement waits for a lock of a transaction. */
  private static void awaitWaiting(Connection connection) throws SQLException {
    String waiting =
        "select count(*) from pg_locks l"
            + " where not l.granted and pg_backend_pid() = any(pg_blocking_pids(l.pid))";
    int count = 0;
    while (count == 0) {
      try (PreparedStatement statement = connection.prepareStatement(waiting);
          ResultSet row = statement.executeQuery()) {
        row.next();
        count = row.getInt(1);
      }
    }
  }
}
