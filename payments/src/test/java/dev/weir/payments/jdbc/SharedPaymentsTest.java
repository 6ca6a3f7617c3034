package dev.weir.payments.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.payments.FeedRecord;
import dev.weir.payments.FeedStatus;
import dev.weir.payments.Payment;
import dev.weir.payments.PaymentStore;
import dev.weir.payments.PaymentStore.Chunk;
import dev.weir.payments.PaymentStore.FeedPayment;
import dev.weir.payments.PaymentStore.Opening;
import dev.weir.payments.PaymentStore.Reception;
import dev.weir.store.jdbc.Database;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Payments that several feeds contain: they belong to the first of them that is complete. */
final class SharedPaymentsTest {
  private static final Instant NOON = Instant.parse("2030-01-01T12:00:00Z");

  private final String name = UUID.randomUUID().toString();
  private final PaymentStore store = new JdbcPaymentStore(Database.get().pool());
  private final PaymentStore otherNode = new JdbcPaymentStore(Database.get().otherPool());

  private Payment payment(int number, String amount) {
    return new Payment(
        name + "/" + number,
        new BigDecimal(amount),
        "EUR",
        "from",
        "to",
        Optional.of(NOON),
        "ref",
        "bank");
  }

  private Payment payment(int number) {
    return payment(number, "10.00");
  }

  private FeedRecord record(long line, int number) {
    return record(line, number, "10.00");
  }

  private FeedRecord record(long line, int number, String amount) {
    return new FeedRecord.Accepted(line, payment(number, amount));
  }

  private Reception open(String feed) {
    return ((Opening.Opened) store.open(name + feed, "bank")).reception();
  }

  private List<Payment> payments(Reception reception) {
    return store.chunk(reception.feedId(), 0, 1_000).stream()
        .flatMap(chunk -> chunk.payments().stream())
        .map(FeedPayment::payment)
        .toList();
  }

  private String feedOf(int number) {
    return store.find(payment(number).paymentId()).orElseThrow().feedId();
  }

  @Test
  void feedKeepsAPaymentThatAFeedWhichBreaksOffRepeats() {
    Reception kept = open("f");
    store.add(kept, List.of(record(2, 1)));
    Reception broken = open("g");
    otherNode.add(broken, List.of(record(2, 1)));
    FeedStatus completed = store.complete(kept, "digest");
    assertThat(completed.repeated()).isZero();
    assertThat(payments(kept)).containsExactly(payment(1));
    assertThat(feedOf(1)).isEqualTo(kept.feedId());
  }

  @Test
  void paymentOfAFeedThatBreaksOffBelongsToTheOneThatIsComplete() {
    Reception broken = open("f");
    store.add(broken, List.of(record(2, 1), record(3, 2)));
    Reception later = open("g");
    otherNode.add(
        later, List.of(record(2, 1, "11.00"), record(3, 2), record(4, 2), record(5, 2, "12.00")));
    FeedStatus received = otherNode.complete(later, "digest");
    assertThat(received.read()).isEqualTo(4);
    assertThat(received.repeated()).as("within the feed").isEqualTo(1);
    assertThat(received.rejected()).as("within the feed").isEqualTo(1);
    assertThat(received.paid()).isZero();
    assertThat(payments(later)).containsExactly(payment(1, "11.00"), payment(2));
  }

  @Test
  void contradictionIsFoundWhenTheSecondFeedIsComplete() {
    Reception first = open("f");
    store.add(first, List.of(record(2, 1), record(3, 2)));
    Reception second = open("g");
    otherNode.add(second, List.of(record(2, 1, "99.00"), record(3, 2)));
    FeedStatus completed = otherNode.complete(second, "digest");
    assertThat(completed.rejected() + completed.repeated()).isZero();
    store.add(first, List.of(record(4, 3)));
    FeedStatus late = store.complete(first, "digest");
    assertThat(late.read()).isEqualTo(3);
    assertThat(late.repeated()).isEqualTo(1);
    assertThat(late.rejected()).isEqualTo(1);
    assertThat(late.paid()).isZero();
    assertThat(store.rejects(first.feedId(), 0, 10))
        .containsExactly(
            new FeedRecord.Rejected(
                2,
                "paymentId is that of another payment, with another amount",
                payment(1).paymentId(),
                payment(1).toRecord()));
    assertThat(payments(first)).containsExactly(payment(3));
    assertThat(payments(second)).containsExactly(payment(1, "99.00"), payment(2));
    assertThat(store.complete(first, "digest")).as("again").isEqualTo(late);
  }

  @Test
  void contradictionOfTheFeedThatCameSecondIsFoundToo() {
    Reception first = open("f");
    store.add(first, List.of(record(2, 1), record(3, 2)));
    Reception second = open("g");
    otherNode.add(second, List.of(record(2, 1, "99.00"), record(3, 2)));
    store.complete(first, "digest");
    FeedStatus late = otherNode.complete(second, "digest");
    assertThat(late.repeated()).isEqualTo(1);
    assertThat(late.rejected()).isEqualTo(1);
    assertThat(payments(second)).isEmpty();
    assertThat(payments(first)).containsExactly(payment(1), payment(2));
  }

  @Test
  void feedThatIsSentAgainClaimsOnlyWhatItContainsThen() {
    Reception first = open("f");
    store.add(first, List.of(record(2, 1), record(3, 2)));
    Reception second = open("g");
    store.add(second, List.of(record(2, 1), record(3, 2)));
    Reception firstAgain = open("f");
    store.add(second, List.of(record(4, 1), record(5, 2, "12.00")));
    store.add(firstAgain, List.of(record(2, 2)));
    FeedStatus completed = store.complete(second, "digest");
    assertThat(completed.repeated()).isEqualTo(1);
    assertThat(completed.rejected()).isEqualTo(1);
    assertThat(payments(second)).containsExactly(payment(1), payment(2));
    assertThat(store.complete(firstAgain, "digest").repeated()).isEqualTo(1);

    Reception third = open("h");
    store.add(third, List.of(record(2, 3)));
    Reception fourth = open("i");
    store.add(fourth, List.of(record(2, 3)));
    Reception fourthAgain = open("i");
    FeedStatus empty = store.complete(fourthAgain, "digest");
    assertThat(empty.read() + empty.repeated()).isZero();
    store.complete(third, "digest");
    assertThat(feedOf(3)).isEqualTo(third.feedId());
  }

  @Test
  void threeFeedsOfTheSamePaymentPayItOnce() {
    List<Reception> receptions = List.of(open("f"), open("g"), open("h"));
    for (Reception reception : receptions) {
      store.add(reception, List.of(record(2, 1)));
    }
    assertThat(store.complete(receptions.get(2), "digest").repeated()).isZero();
    assertThat(store.complete(receptions.get(1), "digest").repeated()).isEqualTo(1);
    assertThat(store.complete(receptions.get(0), "digest").repeated()).isEqualTo(1);
    assertThat(feedOf(1)).isEqualTo(receptions.get(2).feedId());
  }

  @Test
  void paymentOfTwoFeedsReceivedTogetherBelongsToOne() throws Exception {
    int portions = 30;
    List<Reception> receptions = List.of(open("f"), open("g"));
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> receivers = new ArrayList<>();
      CountDownLatch ready = new CountDownLatch(2);
      for (Reception reception : receptions) {
        PaymentStore node = receivers.isEmpty() ? store : otherNode;
        boolean isReversed = !receivers.isEmpty();
        receivers.add(
            threads.submit(
                () -> {
                  ready.countDown();
                  ready.await();
                  for (int i = 0; i < portions; i++) {
                    int first = 2 * (isReversed ? portions - 1 - i : i);
                    node.add(
                        reception, List.of(record(2 * i + 2, first), record(2 * i + 3, first + 1)));
                  }
                  return node.complete(reception, "digest");
                }));
      }
      for (Future<?> receiver : receivers) {
        receiver.get();
      }
    }
    List<Payment> owned = new ArrayList<>();
    for (Reception reception : receptions) {
      FeedStatus feed = store.feed(reception.feedId()).orElseThrow();
      List<Payment> payments = payments(reception);
      assertThat(feed.read()).isEqualTo(2L * portions);
      assertThat(feed.repeated()).isEqualTo(2L * portions - payments.size());
      assertThat(feed.paid()).isZero();
      owned.addAll(payments);
    }
    assertThat(owned).hasSize(2 * portions).doesNotHaveDuplicates();
  }

  /** As many as make each of them wait for several others, were their orders to matter. */
  @Test
  void feedsOfTheSamePaymentsInDifferentOrdersAreAllReceived() throws Exception {
    int size = 2_000;
    int portion = 1_000;
    int feeds = 6;
    List<Reception> receptions = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<FeedStatus>> receivers = new ArrayList<>();
      CountDownLatch ready = new CountDownLatch(feeds);
      for (int feed = 0; feed < feeds; feed++) {
        Reception reception = open("f" + feed);
        receptions.add(reception);
        PaymentStore node = feed % 2 == 0 ? store : otherNode;
        List<FeedRecord> records = records(order(size, feed));
        receivers.add(
            threads.submit(
                () -> {
                  ready.countDown();
                  ready.await();
                  for (int from = 0; from < size; from += portion) {
                    node.add(reception, records.subList(from, from + portion));
                  }
                  return node.complete(reception, "digest");
                }));
      }
      for (Future<FeedStatus> receiver : receivers) {
        assertThat(receiver.get().read()).isEqualTo(size);
      }
    }
    List<String> owned = new ArrayList<>();
    for (int feed = 0; feed < feeds; feed++) {
      Reception reception = receptions.get(feed);
      List<Integer> order = order(size, feed);
      List<FeedPayment> payments =
          store.chunk(reception.feedId(), 0, size).map(Chunk::payments).orElse(List.of());
      for (FeedPayment payment : payments) {
        // Its own line, whichever order it was stored in.
        assertThat(payment.payment()).isEqualTo(payment(order.get((int) payment.line() - 2)));
        owned.add(payment.payment().paymentId());
      }
      FeedStatus status = store.feed(reception.feedId()).orElseThrow();
      assertThat(status.repeated()).isEqualTo(size - payments.size());
      assertThat(status.rejected()).isZero();
    }
    assertThat(owned).hasSize(size).doesNotHaveDuplicates();
  }

  /** Numbers in order, in the reverse order, and shuffled. */
  private static List<Integer> order(int size, int seed) {
    List<Integer> numbers = new ArrayList<>(IntStream.range(0, size).boxed().toList());
    if (seed == 1) {
      Collections.reverse(numbers);
    } else if (seed > 1) {
      Collections.shuffle(numbers, new Random(seed));
    }
    return numbers;
  }

  private List<FeedRecord> records(List<Integer> numbers) {
    List<FeedRecord> records = new ArrayList<>();
    for (int number : numbers) {
      records.add(record(records.size() + 2, number));
    }
    return records;
  }
}
