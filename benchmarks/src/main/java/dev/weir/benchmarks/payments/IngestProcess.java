package dev.weir.benchmarks.payments;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.payments.FeedStatus;
import dev.weir.payments.Payment;
import dev.weir.payments.feed.internal.FeedFormat;
import dev.weir.payments.feed.internal.FeedReader;
import dev.weir.payments.jdbc.JdbcPaymentStore;
import dev.weir.payments.workflows.Attempts;
import dev.weir.payments.workflows.CallGate;
import dev.weir.payments.workflows.Downstream;
import dev.weir.payments.workflows.LeaseCeiling;
import dev.weir.payments.workflows.PaymentParts;
import dev.weir.payments.workflows.PaymentWorker;
import dev.weir.payments.workflows.Payments;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotRequest;
import dev.weir.slots.SlotScheduler;
import dev.weir.store.jdbc.PoolSettings;
import dev.weir.store.jdbc.PostgresqlPool;
import dev.weir.store.jdbc.limits.JdbcLeaseStore;
import dev.weir.store.jdbc.slots.JdbcSlotStore;
import dev.weir.workflows.SlotSource;
import dev.weir.workflows.embedded.EmbeddedTemporal;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;

/** A process that is measured once, from a cold start, with an empty database. */
final class IngestProcess {
  private static final String CONFIG = "bank";

  /** Places enough for a million payments within a day. */
  private static final SlotPolicy POLICY = SlotPolicy.of(50, Duration.ofSeconds(1));

  /** As many as a client of the batch API may send at a time. */
  private static final int PORTION = 1_000;

  /** They fill the largest batch of the scheduler, and another while that is written. */
  private static final int MAX_PENDING = 8;

  private static final Duration STEP = Duration.ofMillis(20);

  /** What is measured. */
  enum Subject {
    FEED,
    SLOTS
  }

  /**
   * A result.
   *
   * @param receiving the part of the time until all records were stored
   */
  record Measured(double seconds, double receiving) {
    static Measured parse(String text) {
      String[] numbers = text.strip().split(" ", -1);
      return new Measured(Double.parseDouble(numbers[0]), Double.parseDouble(numbers[1]));
    }
  }

  private IngestProcess() {}

  /** Prints the seconds. */
  public static void main(String[] arguments) throws IOException {
    Subject subject = Subject.valueOf(arguments[0]);
    Measured measured;
    try (HikariDataSource pool =
            PostgresqlPool.open(
                new PoolSettings(
                    arguments[1], arguments[2], arguments[3], 5, 20, Duration.ofMinutes(5)));
        SlotScheduler scheduler = SlotScheduler.on(JdbcSlotStore.on(pool))) {
      scheduler.configure(CONFIG, POLICY);
      int records = Integer.parseInt(arguments[5]);
      measured =
          switch (subject) {
            case SLOTS -> slots(scheduler, records);
            case FEED -> feed(pool, scheduler, Path.of(arguments[4]), records);
          };
    }
    System.out.printf(Locale.ROOT, "%.3f %.3f%n", measured.seconds(), measured.receiving());
    System.exit(0);
  }

  /** Assigns slots as the batch API does: portion after portion, with several under way. */
  private static Measured slots(SlotScheduler scheduler, int events) {
    long beganNanos = System.nanoTime();
    Queue<SlotScheduler.Pending> pending = new ArrayDeque<>();
    for (int from = 0; from < events; from += PORTION) {
      List<SlotRequest> requests = new ArrayList<>(PORTION);
      for (int i = from; i < Math.min(events, from + PORTION); i++) {
        requests.add(SlotRequest.now(String.format(Locale.ROOT, "sim-1-%08d", i), CONFIG));
      }
      pending.add(scheduler.submit(requests));
      if (pending.size() == MAX_PENDING) {
        pending.remove().await();
      }
    }
    pending.forEach(SlotScheduler.Pending::await);
    return new Measured(seconds(beganNanos), 0);
  }

  @SuppressWarnings("try") // The worker works on its own.
  private static Measured feed(
      HikariDataSource pool, SlotScheduler scheduler, Path feed, int records) throws IOException {
    JdbcPaymentStore store = new JdbcPaymentStore(pool);
    try (EmbeddedTemporal temporal = EmbeddedTemporal.start()) {
      HandedOver handedOver = new HandedOver(temporal.connection().client());
      PaymentParts parts =
          new PaymentParts(
              store,
              SlotSource.of(scheduler),
              new LeaseCeiling(
                  new JdbcLeaseStore(pool),
                  CONFIG,
                  50,
                  new LeaseCeiling.Times(
                      Duration.ofSeconds(1), Duration.ZERO, Duration.ofMinutes(1))),
              CallGate.OPEN,
              new Unused(),
              Attempts.within(Duration.ofHours(1)),
              "payments",
              InstantSource.system());
      Payments payments = new Payments(handedOver.client(), parts);
      try (PaymentWorker unused = PaymentWorker.start(handedOver.client(), parts);
          InputStream in = Files.newInputStream(feed)) {
        long beganNanos = System.nanoTime();
        FeedReader reader = FeedReader.open(in, FeedFormat.CSV);
        FeedStatus received = payments.receive("feed", CONFIG, reader.records());
        double receiving = seconds(beganNanos);
        // Unlike the status of a feed, this counts nothing.
        while (!store.startingFeeds(1).isEmpty()) {
          LockSupport.parkNanos(STEP.toNanos());
        }
        double seconds = seconds(beganNanos);
        if (received.read() != records || handedOver.started() != records) {
          throw new IllegalStateException(
              "%d of %s were handed over".formatted(handedOver.started(), received));
        }
        return new Measured(seconds, receiving);
      }
    }
  }

  private static double seconds(long beganNanos) {
    return (System.nanoTime() - beganNanos) / 1e9;
  }

  /** No payment is made. */
  private static final class Unused implements Downstream {
    @Override
    public Answer pay(Payment payment) {
      throw new IllegalStateException("no payment is started");
    }

    @Override
    public Duration maxCallTime() {
      return Duration.ofSeconds(1);
    }

    @Override
    public void close() {}
  }
}
