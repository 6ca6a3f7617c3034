package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.payments.FeedRecord;
import dev.weir.payments.FeedState;
import dev.weir.payments.FeedStatus;
import dev.weir.payments.Payment;
import dev.weir.payments.jdbc.JdbcPaymentStore;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotScheduler;
import dev.weir.store.jdbc.limits.JdbcLeaseStore;
import dev.weir.store.jdbc.slots.JdbcSlotStore;
import dev.weir.workflows.SlotSource;
import dev.weir.workflows.TemporalConnection;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Iterator;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The same code on a real Temporal server, in real time, if the environment variable {@code
 * WEIR_TEST_TEMPORAL} names one as host and port.
 */
final class RealTemporalIT {
  private static final String ADDRESS = System.getenv().getOrDefault("WEIR_TEST_TEMPORAL", "");
  private static final int PAYMENTS = 500;
  private static final int CEILING = 50;
  private static final Duration MAX_WAIT = Duration.ofMinutes(5);

  private final String name = UUID.randomUUID().toString().substring(0, 8);

  @Test
  void paysOnceBelowTheCeiling() {
    assumeTrue(!ADDRESS.isEmpty(), "skipped: WEIR_TEST_TEMPORAL names no Temporal server");
    InstantSource clock = InstantSource.system();
    FlakyDownstream downstream = new FlakyDownstream(clock, 42, 0.1);
    try (HikariDataSource pool = TestDatabase.open();
        SlotScheduler scheduler = SlotScheduler.on(JdbcSlotStore.on(pool));
        TemporalConnection temporal =
            TemporalConnection.open(TemporalConnection.Settings.plain(ADDRESS, "default"))) {
      scheduler.configure(name, SlotPolicy.of(40, Duration.ofSeconds(1)));
      PaymentParts parts =
          new PaymentParts(
              new JdbcPaymentStore(pool),
              SlotSource.of(scheduler),
              new LeaseCeiling(
                  new JdbcLeaseStore(pool),
                  name,
                  CEILING,
                  new LeaseCeiling.Times(
                      downstream.maxCallTime(),
                      FlakyDownstream.maxLateness(),
                      Duration.ofMinutes(15))),
              CallGate.OPEN,
              downstream,
              Attempts.within(Duration.ofHours(1)),
              "payments-" + name,
              clock);
      Payments payments = new Payments(temporal.client(), parts);
      try (PaymentWorker worker = PaymentWorker.start(temporal.client(), parts)) {
        assertThat(worker).isNotNull();
        payments.receive(name, name, feed());
        FeedStatus done = awaitDone(payments);
        assertThat(done.paid()).isEqualTo(PAYMENTS);
        assertThat(downstream.booked()).hasSize(PAYMENTS);
        assertThat(downstream.maxInASecond()).isLessThanOrEqualTo(CEILING);
      }
    }
  }

  private Iterator<FeedRecord> feed() {
    return IntStream.range(0, PAYMENTS)
        .<FeedRecord>mapToObj(
            i ->
                new FeedRecord.Accepted(
                    i + 2,
                    new Payment(
                        name + "-" + i,
                        BigDecimal.TEN,
                        "EUR",
                        "from",
                        "to",
                        Optional.empty(),
                        "",
                        "")))
        .iterator();
  }

  private FeedStatus awaitDone(Payments payments) {
    Instant end = Instant.now().plus(MAX_WAIT);
    FeedStatus feed = payments.feed(name).orElseThrow();
    while (feed.state() != FeedState.DONE) {
      assertThat(Instant.now()).as("the feed is %s", feed).isBefore(end);
      LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
      feed = payments.feed(name).orElseThrow();
    }
    return feed;
  }
}
