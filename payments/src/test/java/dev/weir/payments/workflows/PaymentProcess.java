package dev.weir.payments.workflows;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.payments.PaymentStore;
import dev.weir.payments.feed.internal.FeedFormat;
import dev.weir.payments.feed.internal.FeedReader;
import dev.weir.payments.jdbc.JdbcPaymentStore;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotScheduler;
import dev.weir.store.jdbc.PoolSettings;
import dev.weir.store.jdbc.PostgresqlPool;
import dev.weir.store.jdbc.limits.JdbcLeaseStore;
import dev.weir.store.jdbc.slots.JdbcSlotStore;
import dev.weir.workflows.SlotSource;
import dev.weir.workflows.TemporalConnection;
import io.grpc.StatusRuntimeException;
import io.temporal.worker.WorkerOptions;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A process that receives a feed, makes payments, or both, until it is killed. */
final class PaymentProcess {
  static final String CONFIG = "bank";
  static final Duration CALL_TIMEOUT = Duration.ofSeconds(4);

  /** The bank is on the same machine, which may be busy. */
  static final Duration MAX_LATENESS = Duration.ofSeconds(20);

  /** A process that is killed leaves the places of calls without an answer for so long. */
  private static final Duration MAX_PAUSE = Duration.ofSeconds(40);

  private static final Logger log = LoggerFactory.getLogger(PaymentProcess.class);
  private static final Duration GRACE = Duration.ofSeconds(10);
  private static final long RECONCILER_MILLIS = 2_000;
  private static final int MAX_STARTS = 20;

  /** The database may be starting, on a machine with much else to do, which may stop workflows. */
  private static final Duration MAX_CONNECT = Duration.ofMinutes(4);

  private static final Duration FIRST_WAIT = Duration.ofMillis(200);
  private static final Duration MAX_WAIT = Duration.ofSeconds(2);

  /** Shorter than those of a real worker, so that a test need not wait for minutes. */
  private static final StepTimes TIMES =
      new StepTimes(Duration.ofSeconds(10), Duration.ofSeconds(8));

  /** So that a small feed has several portions and chunks. */
  private static final FeedSizes SIZES = new FeedSizes(120, 120, 2);

  private PaymentProcess() {}

  /**
   * What a process needs.
   *
   * @param feed the feed to receive, whose id is the name of the file; empty if none
   * @param isWorker whether to make payments, after that
   * @param giveUpAfter how long payments are tried
   * @param callTimeout the time after which a call is given up
   */
  record Task(
      String temporal,
      String databaseUrl,
      URI bank,
      int ceiling,
      String feed,
      boolean isWorker,
      Halt halt,
      Duration giveUpAfter,
      Duration callTimeout) {
    private List<String> words() {
      return List.of(
          temporal,
          databaseUrl,
          bank.toString(),
          Integer.toString(ceiling),
          feed,
          Boolean.toString(isWorker),
          halt.toString(),
          giveUpAfter.toString(),
          callTimeout.toString());
    }

    private static Task parse(String... words) {
      return new Task(
          words[0],
          words[1],
          URI.create(words[2]),
          Integer.parseInt(words[3]),
          words[4],
          Boolean.parseBoolean(words[5]),
          Halt.parse(words[6]),
          Duration.parse(words[7]),
          Duration.parse(words[8]));
    }
  }

  static Process start(Task task, Path logFile) throws IOException {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // Short lives on a machine with much to do: start quickly, compile lightly.
    words.addAll(
        List.of("-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"));
    words.addAll(List.of("-cp", System.getProperty("java.class.path")));
    words.add(PaymentProcess.class.getName());
    words.addAll(task.words());
    return new ProcessBuilder(words)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(logFile.toFile()))
        .start();
  }

  public static void main(String[] arguments) throws IOException {
    Task task = Task.parse(arguments);
    InstantSource clock = InstantSource.system();
    try (HikariDataSource pool =
            PostgresqlPool.open(
                new PoolSettings(task.databaseUrl(), "postgres", "", 1, 10, MAX_CONNECT));
        SlotScheduler scheduler = SlotScheduler.on(JdbcSlotStore.on(pool));
        TemporalConnection temporal =
            TemporalConnection.open(
                new TemporalConnection.Settings(task.temporal(), "default", Optional.empty(), ""));
        Downstream bank =
            new HttpDownstream(
                new HttpDownstream.Settings(task.bank(), task.callTimeout(), ""), clock)) {
      Halt halt = task.halt();
      PaymentParts parts =
          new PaymentParts(
              halt.in(PaymentStore.class, new JdbcPaymentStore(pool)),
              halt.in(SlotSource.class, SlotSource.of(scheduler)),
              new LeaseCeiling(
                  new JdbcLeaseStore(pool),
                  CONFIG,
                  task.ceiling(),
                  new LeaseCeiling.Times(task.callTimeout(), MAX_LATENESS, MAX_PAUSE)),
              ConfiguredGate.paced(
                  config -> scheduler.config(config).map(SlotConfig::policy),
                  new JdbcLeaseStore(pool),
                  task.callTimeout()),
              halt.in(Downstream.class, bank),
              new Attempts(task.giveUpAfter(), FIRST_WAIT, MAX_WAIT),
              "payments",
              clock);
      if (!task.feed().isEmpty()) {
        receive(Path.of(task.feed()), temporal, parts);
      }
      if (task.isWorker()) {
        work(temporal, parts);
      }
    }
    // The threads of a connection that did not end in time must not keep the process.
    System.exit(0);
  }

  /** Starts a worker. On a busy machine, the first call of Temporal may take too long. */
  private static PaymentWorker startWorker(TemporalConnection temporal, PaymentParts parts) {
    for (int i = 1; ; i++) {
      try {
        return PaymentWorker.start(
            temporal.client(),
            parts,
            TIMES,
            SIZES,
            // The test server, unlike a real one, leaves tasks in the queue of the worker that had
            // the workflow last, even if it is dead. Zero makes all workers use the common queue.
            WorkerOptions.newBuilder()
                .setStickyQueueScheduleToStartTimeout(Duration.ZERO)
                .setDefaultDeadlockDetectionTimeout(MAX_CONNECT.toMillis()));
      } catch (StatusRuntimeException e) {
        if (i == MAX_STARTS) {
          throw e;
        }
        log.warn("Temporal cannot be reached yet: {}", e.getMessage());
      }
    }
  }

  private static void receive(Path feed, TemporalConnection temporal, PaymentParts parts)
      throws IOException {
    try (InputStream in = Files.newInputStream(feed)) {
      FeedReader reader = FeedReader.open(in, FeedFormat.CSV);
      var unused =
          new Payments(temporal.client(), parts, SIZES)
              .receive(feed.getFileName().toString(), CONFIG, reader.records());
    }
  }

  private static void work(TemporalConnection temporal, PaymentParts parts) throws IOException {
    PaymentReconciler reconciler = new PaymentReconciler(temporal.client(), parts, GRACE);
    try (ScheduledExecutorService rounds = Executors.newSingleThreadScheduledExecutor();
        PaymentWorker worker = startWorker(temporal, parts)) {
      log.info("{} is ready", worker);
      var unused =
          rounds.scheduleWithFixedDelay(
              () -> {
                try {
                  reconciler.run();
                } catch (RuntimeException e) {
                  // The database or Temporal is away, and the next round finds what is left.
                  log.warn("This round has failed: {}", e.getMessage());
                }
              },
              RECONCILER_MILLIS,
              RECONCILER_MILLIS,
              TimeUnit.MILLISECONDS);
      // It ends with the process that started it.
      while (System.in.read() >= 0) {
        log.debug("Nothing is expected here");
      }
      rounds.shutdownNow();
    }
  }
}
