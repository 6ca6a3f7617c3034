package dev.weir.payments.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.payments.FeedRecord;
import dev.weir.payments.FeedState;
import dev.weir.payments.FeedStatus;
import dev.weir.payments.PaymentCall;
import dev.weir.payments.PaymentState;
import dev.weir.payments.PaymentStatus;
import dev.weir.payments.PaymentStore;
import dev.weir.payments.PaymentStore.Cancellation;
import dev.weir.payments.PaymentStore.Chunk;
import dev.weir.payments.PaymentStore.FeedPayment;
import dev.weir.payments.PaymentStore.Opening;
import dev.weir.payments.PaymentStore.Reception;
import dev.weir.payments.PaymentStore.SlotSpan;
import dev.weir.payments.ReceptionLostException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Feeds: their reception, and the chunks in which their payments are started. */
final class JdbcPaymentStoreTest {
  private final Feeds feeds = new Feeds();
  private final PaymentStore store = feeds.store();
  private final PaymentStore otherNode = feeds.otherNode();

  @Test
  void countsWhatWasReceived() {
    Reception reception = feeds.open("f");
    store.add(
        reception,
        List.of(
            feeds.record(2, 1),
            feeds.record(3, 1),
            new FeedRecord.Accepted(4, feeds.payment(1, "10.01")),
            new FeedRecord.Rejected(5, "currency is unknown", "", "a,b"),
            feeds.record(6, 2)));
    store.add(reception, List.of(feeds.record(7, 2), feeds.record(8, 3)));
    FeedStatus feed = store.complete(reception, "digest");
    assertThat(feed.state()).isEqualTo(FeedState.STARTING);
    assertThat(feed.read()).isEqualTo(7);
    assertThat(feed.repeated()).isEqualTo(2);
    assertThat(feed.rejected()).isEqualTo(2);
    assertThat(feed.paid()).isZero();
    assertThat(otherNode.rejects(reception.feedId(), 0, 10))
        .containsExactly(
            new FeedRecord.Rejected(
                4,
                "paymentId is that of another payment, with another amount",
                feeds.payment(1).paymentId(),
                feeds.payment(1, "10.01").toRecord()),
            new FeedRecord.Rejected(5, "currency is unknown", "", "a,b"));
    assertThat(otherNode.rejects(reception.feedId(), 4, 10)).hasSize(1);
    assertThat(store.startingFeeds(1_000)).contains(reception.feedId());
  }

  @Test
  void listsTheNewestFeedsFirst() {
    String first = feeds.receive("f", 1);
    String second = feeds.receive("g", 2);
    String third = feeds.receive("h", 3);
    assertThat(otherNode.feeds("", 2)).containsExactly(feeds.status(third), feeds.status(second));
    assertThat(otherNode.feeds(second, 1)).containsExactly(feeds.status(first));
    assertThat(otherNode.feeds(feeds.name() + "unknown", 5)).isEmpty();
  }

  @Test
  void amountIsTheSameWithAnotherScale() {
    feeds.receive("f", 1);
    Reception second = feeds.open("g");
    store.add(second, List.of(new FeedRecord.Accepted(2, feeds.payment(1, "10"))));
    assertThat(store.complete(second, "digest").repeated()).isEqualTo(1);
  }

  @Test
  void receptionThatBreaksOffLeavesNothing() {
    Reception first = feeds.open("f");
    store.add(
        first,
        List.of(
            feeds.record(2, 1), new FeedRecord.Rejected(3, "reason", "", "x"), feeds.record(4, 2)));
    Reception second = feeds.open("f");
    assertThat(second.number()).isNotEqualTo(first.number());
    assertThatThrownBy(() -> store.add(first, List.of(feeds.record(5, 3))))
        .isInstanceOf(ReceptionLostException.class);
    assertThatThrownBy(() -> store.complete(first, "digest"))
        .isInstanceOf(ReceptionLostException.class);
    store.add(second, List.of(feeds.record(2, 2)));
    FeedStatus feed = store.complete(second, "digest");
    assertThat(feed.read()).isEqualTo(1);
    assertThat(feed.repeated()).isZero();
    assertThat(feed.rejected()).isZero();
    assertThat(store.find(feeds.payment(1).paymentId())).isEmpty();
    assertThat(store.rejects(second.feedId(), 0, 10)).isEmpty();
  }

  @Test
  void completedFeedIsKnown() {
    String feedId = feeds.receive("f", 1);
    assertThat(otherNode.open(feedId, "bank"))
        .isEqualTo(new Opening.Known(feeds.status(feedId), "digest"));
  }

  @Test
  void paymentOfAFeedThatIsNotCompleteSaysSo() {
    Reception reception = feeds.open("f");
    store.add(reception, List.of(feeds.record(2, 1)));
    PaymentStatus payment = otherNode.find(feeds.payment(1).paymentId()).orElseThrow();
    assertThat(payment.state()).isEqualTo(PaymentState.SCHEDULED);
    assertThat(payment.reason()).startsWith("its feed is not complete");
    store.complete(reception, "digest");
    assertThat(otherNode.find(feeds.payment(1).paymentId()).orElseThrow().reason()).isEmpty();
  }

  @Test
  void nothingIsStartedBeforeAllIsReceived() {
    Reception reception = feeds.open("f");
    store.add(reception, List.of(feeds.record(2, 1)));
    assertThat(store.chunk(reception.feedId(), 0, 10)).isEmpty();
    assertThat(store.startingFeeds(1_000)).doesNotContain(reception.feedId());
    assertThat(store.cancel(feeds.payment(1).paymentId()))
        .contains(new Cancellation(PaymentState.SCHEDULED, false));
    store.complete(reception, "digest");
    assertThat(store.chunk(reception.feedId(), 0, 10)).isPresent();
  }

  @Test
  void chunkKeepsItsLinesAfterACrash() {
    String feedId = feeds.receive("f", 1, 2, 3, 4, 5);
    Chunk first = store.chunk(feedId, 0, 3).orElseThrow();
    assertThat(first)
        .isEqualTo(
            new Chunk(
                0,
                4,
                false,
                List.of(
                    new FeedPayment(2, feeds.payment(1)),
                    new FeedPayment(3, feeds.payment(2)),
                    new FeedPayment(4, feeds.payment(3)))));
    store.assigned(
        feedId, first, SlotSpan.NONE.and(Feeds.NOON).and(Feeds.NOON.plusSeconds(2)), List.of());
    store.begin(feeds.payment(2).paymentId());
    assertThat(store.startedUntil(feedId)).isZero();
    assertThat(otherNode.chunk(feedId, 0, 3).orElseThrow())
        .as("one that runs may have lost its workflow as well")
        .isEqualTo(first);
    store.ended(
        Feeds.call(feeds.payment(2), Feeds.NOON, PaymentCall.Result.PAID), PaymentState.PAID);
    assertThat(feeds.status(feedId).started()).as("what has ended was started").isEqualTo(1);
    assertThat(otherNode.chunk(feedId, 0, 3).orElseThrow())
        .isEqualTo(
            new Chunk(
                0,
                4,
                false,
                List.of(
                    new FeedPayment(2, feeds.payment(1)), new FeedPayment(4, feeds.payment(3)))));
    store.assigned(feedId, first, SlotSpan.NONE.and(Feeds.NOON.minusSeconds(9)), List.of());
    store.started(feedId, 0);
    assertThat(store.startedUntil(feedId)).isEqualTo(4);
    FeedStatus feed = feeds.status(feedId);
    assertThat(feed.assigned()).isEqualTo(2);
    assertThat(feed.started()).isEqualTo(2);
    assertThat(feed.firstScheduled()).contains(Feeds.NOON);
    assertThat(feed.lastScheduled()).contains(Feeds.NOON.plusSeconds(2));
    assertThat(store.chunk(feedId, 4, 3).orElseThrow().payments()).hasSize(2);
    assertThat(store.chunk(feedId, 6, 3)).isEmpty();
  }

  @Test
  void chunkThatAnotherWorkerHasRecordedWithOtherLinesIsRefused() {
    String feedId = feeds.receive("f", 1, 2, 3);
    Chunk early = store.chunk(feedId, 0, 2).orElseThrow();
    store.cancel(feeds.payment(1).paymentId());
    Chunk late = otherNode.chunk(feedId, 0, 2).orElseThrow();
    otherNode.assigned(feedId, late, SlotSpan.NONE.and(Feeds.NOON), List.of());
    assertThatThrownBy(
            () -> store.assigned(feedId, early, SlotSpan.NONE.and(Feeds.NOON), List.of()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageEndingWith("ends at line 4, not 3");
    assertThat(store.chunk(feedId, 0, 2)).contains(late);
  }

  @Test
  void cancelledPaymentsOfAChunkAreKnown() {
    String feedId = feeds.receive("f", 1, 2, 3, 4);
    Chunk chunk = store.chunk(feedId, 0, 3).orElseThrow();
    assertThat(store.cancelled(feedId, chunk)).isEmpty();
    store.cancel(feeds.payment(2).paymentId());
    store.cancel(feeds.payment(4).paymentId());
    assertThat(store.cancelled(feedId, chunk)).containsExactly(feeds.payment(2).paymentId());
  }

  @Test
  void paymentWithoutASlotIsRejected() {
    String feedId = feeds.receive("f", 1, 2);
    Chunk chunk = store.chunk(feedId, 0, 10).orElseThrow();
    FeedRecord.Rejected rejected =
        new FeedRecord.Rejected(
            3, "no slot", feeds.payment(2).paymentId(), feeds.payment(2).toRecord());
    store.assigned(feedId, chunk, SlotSpan.NONE.and(Feeds.NOON), List.of(rejected));
    store.assigned(feedId, chunk, SlotSpan.NONE.and(Feeds.NOON), List.of(rejected));
    assertThat(store.rejects(feedId, 0, 10)).containsExactly(rejected);
    PaymentStatus payment = store.find(feeds.payment(2).paymentId()).orElseThrow();
    assertThat(payment.state()).isEqualTo(PaymentState.REJECTED);
    assertThat(payment.reason()).isEqualTo("no slot");
    assertThat(store.begin(feeds.payment(2).paymentId())).isEmpty();
    FeedStatus feed = feeds.status(feedId);
    assertThat(feed.read()).isEqualTo(2);
    assertThat(feed.rejected()).isEqualTo(1);
    assertThat(feed.paid()).isZero();
  }

  @Test
  void paymentWithoutASlotMayBeSentAgain() {
    String feedId = feeds.receive("f", 1, 2, 3);
    Chunk chunk = store.chunk(feedId, 0, 10).orElseThrow();
    store.cancel(feeds.payment(3).paymentId());
    store.assigned(
        feedId,
        chunk,
        SlotSpan.NONE.and(Feeds.NOON),
        List.of(
            new FeedRecord.Rejected(3, "no slot", feeds.payment(2).paymentId(), "x"),
            new FeedRecord.Rejected(4, "no slot", feeds.payment(3).paymentId(), "x")));
    FeedStatus first = feeds.status(feedId);
    assertThat(first.rejected()).isEqualTo(1);
    assertThat(first.cancelled()).as("a payment that was cancelled stays so").isEqualTo(1);
    assertThat(first.paid()).isZero();
    String again = feeds.receive("g", 1, 2, 3);
    assertThat(feeds.status(again).repeated()).isEqualTo(2);
    assertThat(store.chunk(again, 0, 10).orElseThrow().payments())
        .extracting(FeedPayment::payment)
        .containsExactly(feeds.payment(2));
    assertThat(store.find(feeds.payment(2).paymentId()).orElseThrow().feedId()).isEqualTo(again);
    assertThat(feeds.status(feedId)).isEqualTo(first);
  }
}
