package dev.weir.payments.workflows;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.limits.LeaseStore;
import dev.weir.payments.FeedRecord;
import dev.weir.payments.FeedState;
import dev.weir.payments.FeedStatus;
import dev.weir.payments.Payment;
import dev.weir.payments.PaymentStore;
import dev.weir.payments.jdbc.JdbcPaymentStore;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotObserver;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotRequest;
import dev.weir.slots.SlotScheduler;
import dev.weir.slots.SlotStore;
import dev.weir.slots.SlotUpkeep;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.limits.JdbcLeaseStore;
import dev.weir.store.jdbc.slots.internal.JdbcSlotConfigs;
import dev.weir.store.jdbc.slots.internal.JdbcSlotLedger;
import dev.weir.store.jdbc.slots.internal.JdbcSlotUpkeep;
import dev.weir.workflows.SkippedTime;
import dev.weir.workflows.SlotSource;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Payments on a real PostgreSQL and Temporal's test server with skipped time, in front of a
 * downstream that fails.
 */
final class PaymentScene implements AutoCloseable {
  private static final Duration LONG = Duration.ofHours(2);

  /** So that small feeds have several portions and chunks, and chunks of several activities. */
  private static final FeedSizes SIZES = new FeedSizes(40, 30, 3);

  final SkippedTime time;
  final String name;
  final PaymentStore store;
  final SlotScheduler scheduler;
  final SlotUpkeep upkeep;
  final FlakyDownstream downstream;
  final PaymentParts parts;
  final Payments payments;
  final Crashes crashes;

  /** Runs while slots are being assigned. */
  volatile Runnable onAssign = () -> {};

  /** Whether there are no slots any more. */
  volatile boolean isFull;

  private final HikariDataSource pool;
  private final PaymentWorker worker;

  /**
   * How a scene behaves.
   *
   * @param perSecond payments that get a slot in a second
   * @param ceiling max calls within any second
   * @param trouble the share of calls that go wrong
   * @param crashes the share of steps that crash
   * @param giveUpAfter how long payments are tried
   */
  record Settings(
      int perSecond, int ceiling, double trouble, double crashes, Duration giveUpAfter) {
    Settings(int perSecond, int ceiling, double trouble, double crashes) {
      this(perSecond, ceiling, trouble, crashes, Duration.ofHours(24));
    }
  }

  private PaymentScene(
      String name,
      HikariDataSource pool,
      SkippedTime time,
      Settings settings,
      FlakyDownstream downstream,
      Downstream used) {
    this.name = name;
    this.pool = pool;
    this.time = time;
    this.downstream = downstream;
    StoreClock clock = databaseMicros -> time.micros();
    Random random = new Random(1);
    this.upkeep = new JdbcSlotUpkeep(pool, clock);
    this.scheduler =
        SlotScheduler.on(
            SlotStore.of(
                new JdbcSlotLedger(pool, clock, random, SlotObserver.NONE),
                new JdbcSlotConfigs(pool, clock),
                upkeep,
                () -> {}));
    scheduler.configure(name, SlotPolicy.of(settings.perSecond(), Duration.ofSeconds(1)));
    this.store = new JdbcPaymentStore(pool, clock);
    this.crashes = new Crashes(7, settings.crashes());
    LeaseStore leases = crashes.in(LeaseStore.class, new JdbcLeaseStore(pool, clock, () -> {}));
    CallGate gate =
        ConfiguredGate.paced(
            config -> scheduler.config(config).map(SlotConfig::policy),
            new JdbcLeaseStore(pool, clock, () -> {}),
            used.maxCallTime());
    this.parts =
        new PaymentParts(
            crashes.in(PaymentStore.class, store),
            crashes.in(SlotSource.class, interrupted(SlotSource.of(scheduler))),
            new LeaseCeiling(
                leases,
                name,
                settings.ceiling(),
                new LeaseCeiling.Times(
                    used.maxCallTime(), FlakyDownstream.maxLateness(), maxPause(settings))),
            crashes.in(CallGate.class, gate),
            crashes.in(Downstream.class, used),
            Attempts.within(settings.giveUpAfter()),
            "payments-" + name,
            time);
    // What the test asks does not crash.
    this.payments =
        new Payments(
            time.client(),
            new PaymentParts(
                store,
                SlotSource.of(scheduler),
                parts.ceiling(),
                gate,
                used,
                parts.attempts(),
                parts.taskQueue(),
                time),
            SIZES);
    this.worker =
        PaymentWorker.start(
            time.client(), parts, new StepTimes(LONG, LONG), SIZES, SkippedTime.workerOptions());
  }

  /** A call whose worker crashes keeps its place for so long, and many of them do. */
  private static Duration maxPause(Settings settings) {
    return settings.crashes() > 0 ? Duration.ofSeconds(5) : Duration.ofMinutes(15);
  }

  private SlotSource interrupted(SlotSource slots) {
    return new SlotSource() {
      @Override
      public List<PacedSlot> assign(List<SlotRequest> requests) {
        onAssign.run();
        if (isFull) {
          return requests.stream().<PacedSlot>map(it -> new PacedSlot.None("it is full")).toList();
        }
        return slots.assign(requests);
      }

      @Override
      public Optional<Instant> confirm(String eventId) {
        return slots.confirm(eventId);
      }

      @Override
      public void cancel(String eventId) {
        slots.cancel(eventId);
      }
    };
  }

  static PaymentScene open(Settings settings) {
    return open(newName(), TestDatabase.open(), settings);
  }

  /** Opens a scene whose parts share a number of connections. */
  static PaymentScene open(Settings settings, int connections) {
    return open(newName(), TestDatabase.open(connections), settings);
  }

  /** Opens a scene with another downstream than {@link #downstream}. */
  static PaymentScene open(Settings settings, Function<SkippedTime, Downstream> downstream) {
    SkippedTime time = new SkippedTime();
    return new PaymentScene(
        newName(),
        TestDatabase.open(),
        time,
        settings,
        new FlakyDownstream(time, 42, 0),
        downstream.apply(time));
  }

  private static PaymentScene open(String name, HikariDataSource pool, Settings settings) {
    SkippedTime time = new SkippedTime();
    FlakyDownstream downstream = new FlakyDownstream(time, 42, settings.trouble());
    return new PaymentScene(name, pool, time, settings, downstream, downstream);
  }

  private static String newName() {
    return UUID.randomUUID().toString().substring(0, 8);
  }

  /**
   * Returns a scene with the same payments, on a Temporal server that knows nothing of them. It
   * must be closed before this one.
   */
  PaymentScene onAnotherTemporal(Settings settings) {
    return open(name, pool, settings);
  }

  Payment payment(int number) {
    return payment(number, Optional.empty());
  }

  Payment payment(int number, Optional<Instant> requestedTime) {
    return new Payment(
        name + "-" + number,
        new BigDecimal("12.50"),
        "EUR",
        "DE89370400440532013000",
        "GB29NWBK60161331926819",
        requestedTime,
        "invoice " + number,
        "");
  }

  /** Returns the records of payments, from line 2 on, as behind a header. */
  Iterator<FeedRecord> feed(int count) {
    return feed(IntStream.range(0, count).mapToObj(this::payment).toList());
  }

  static Iterator<FeedRecord> feed(List<Payment> payments) {
    return IntStream.range(0, payments.size())
        .<FeedRecord>mapToObj(i -> new FeedRecord.Accepted(i + 2, payments.get(i)))
        .iterator();
  }

  FeedStatus receive(String feed, Iterator<FeedRecord> records) {
    return payments.receive(feedId(feed), name, records);
  }

  String feedId(String feed) {
    return name + "/" + feed;
  }

  FeedStatus status(String feed) {
    return payments.feed(feedId(feed)).orElseThrow();
  }

  /** Lets time pass until all payments of a feed have ended. */
  FeedStatus awaitDone(String feed) {
    time.await("the end of feed " + feed, LONG, () -> status(feed).state() == FeedState.DONE);
    return status(feed);
  }

  /** Returns the number of rows. */
  long count(String rows) {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("select count(*) from " + rows)) {
      result.next();
      return result.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(rows, e);
    }
  }

  PaymentReconciler reconciler(Duration grace) {
    return new PaymentReconciler(time.client(), parts, grace);
  }

  @Override
  public void close() {
    worker.close();
    scheduler.close();
    time.close();
    pool.close();
  }
}
