package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.StoreException;
import dev.weir.payments.FeedState;
import dev.weir.payments.FeedStatus;
import dev.weir.payments.Payment;
import dev.weir.payments.PaymentStore;
import dev.weir.payments.feed.internal.FeedFormat;
import dev.weir.payments.feed.internal.FeedMaker;
import dev.weir.payments.jdbc.JdbcPaymentStore;
import dev.weir.payments.simulator.DownstreamServer;
import dev.weir.payments.simulator.DownstreamSimulator;
import dev.weir.payments.simulator.SimulatorSettings;
import dev.weir.payments.simulator.calls.CallResult;
import dev.weir.payments.simulator.calls.CallStatistics;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotScheduler;
import dev.weir.store.jdbc.PostgresqlPool;
import dev.weir.store.jdbc.slots.JdbcSlotStore;
import dev.weir.workflows.TemporalConnection;
import io.temporal.api.common.v1.WorkflowExecution;
import io.temporal.api.workflowservice.v1.DescribeWorkflowExecutionRequest;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A feed whose receiver, worker and database are killed: between slot and start, between start and
 * record, between start and confirmation of the slot, between call and audit, and at any time. Each
 * is a process of its own. Temporal's test server, which keeps nothing on disk, and the bank are in
 * the process of the test.
 *
 * <p>Only {@code ./weir faults} runs it. In the gate, {@link PaymentFlowTest} and {@link
 * LargeFeedTest} crash before and after any step, with the same checks of calls, audit and slots,
 * {@link PaymentReconcilerTest} finds feeds and payments that were stored and not started, and the
 * torture kills nodes that make payments, and their database.
 *
 * <p>{@code -Dweir.faults.rounds=N} repeats it with other seeds, {@code -Dweir.payments.count=N}
 * makes the feed larger.
 */
final class PaymentCrashesIT {
  private static final Logger log = LoggerFactory.getLogger(PaymentCrashesIT.class);
  private static final int ROUNDS = Integer.getInteger("weir.faults.rounds", 1);
  private static final long SEED = Long.getLong("weir.faults.seed", 1);

  /** Several chunks, which are portions of the feed as well. */
  private static final int PAYMENTS = Integer.getInteger("weir.payments.count", 300);

  private static final String FEED = "feed";
  private static final int CEILING = 150;
  private static final Duration BOUND = Duration.ofMinutes(15);
  private static final Duration STEP = Duration.ofMillis(50);

  @TempDir private Path folder;

  @Test
  void everyPaymentIsMadeOnceBelowTheCeiling() throws Exception {
    for (int round = 1; round <= ROUNDS; round++) {
      long seed = SEED + round - 1;
      long beganNanos = System.nanoTime();
      try (Scene scene = new Scene(Files.createDirectory(folder.resolve("round-" + round)), seed)) {
        scene.run();
        CallStatistics calls = scene.check();
        log.info(
            "Round {} of payments, seed {}: {} calls of {} payments, max {} in a second, {} ms",
            round,
            seed,
            calls.calls(),
            PAYMENTS,
            calls.maxInSecond(),
            TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos));
      }
    }
  }

  /** One feed and everything that it needs. */
  private static final class Scene implements AutoCloseable {
    private final Path folder;
    private final Random random;
    private final Path feed;
    private final KillablePostgresql database;
    private final LoopbackTemporal temporal;
    private final DownstreamSimulator simulator;
    private final DownstreamServer bank;
    private final HikariDataSource pool;
    private final PaymentStore store;
    private Optional<Process> worker = Optional.empty();

    Scene(Path folder, long seed) throws IOException {
      this.folder = folder;
      this.random = new Random(seed);
      this.feed = folder.resolve(FEED);
      try (OutputStream out = Files.newOutputStream(feed)) {
        var unused =
            FeedMaker.write(
                new FeedMaker.Settings(
                    FeedFormat.CSV, PAYMENTS, seed, Optional.empty(), Duration.ZERO, 0),
                out);
      }
      this.database = KillablePostgresql.start(folder.resolve("data"));
      this.temporal = LoopbackTemporal.start();
      this.simulator =
          DownstreamSimulator.inMemory(
              new SimulatorSettings(
                  CEILING,
                  Duration.ofMillis(5),
                  PaymentProcess.CALL_TIMEOUT.plusSeconds(1),
                  new SimulatorSettings.Faults(0, 0.02, 0.002, 0.01),
                  seed,
                  2 * PAYMENTS),
              DownstreamSimulator.steadyClock());
      this.bank =
          DownstreamServer.start(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), simulator);
      this.pool = PostgresqlPool.open(database.settings());
      try (SlotScheduler scheduler = SlotScheduler.on(JdbcSlotStore.on(pool))) {
        scheduler.configure(PaymentProcess.CONFIG, SlotPolicy.of(CEILING, Duration.ofSeconds(1)));
      }
      this.store = new JdbcPaymentStore(pool);
    }

    private Process launch(String input, boolean isWorker, Halt halt) throws IOException {
      return PaymentProcess.start(
          new PaymentProcess.Task(
              temporal.address(),
              database.settings().url(),
              bank.address(),
              CEILING,
              input,
              isWorker,
              halt,
              Duration.ofHours(1),
              PaymentProcess.CALL_TIMEOUT),
          folder.resolve("log"));
    }

    void run() throws Exception {
      receive();
      // The feed is stored; its starter and its payments follow. Some receivers are repeated.
      String input = random.nextBoolean() ? feed.toString() : "";
      for (Halt halt :
          List.of(
              Halt.after("assign", 1 + random.nextInt(2)),
              Halt.before("started", 1),
              Halt.after("pay", 1 + random.nextInt(PAYMENTS / 10)),
              Halt.before("confirm", 1 + random.nextInt(PAYMENTS / 10)))) {
        awaitEnd(work(input, halt), Halt.EXIT_CODE, halt.toString());
        input = "";
      }
      Process process = work("", Halt.NEVER);
      awaitPaid(0.3 + 0.2 * random.nextDouble());
      database.killAndRestart();
      awaitPaid(0.5 + 0.2 * random.nextDouble());
      process.destroyForcibly();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(1_000)));
      database.killAndRestart();
      work("", Halt.NEVER);
      await("the end of the feed", feed -> feed.state() == FeedState.DONE);
    }

    /** A receiver dies while records arrive, another before it starts the feed. */
    private void receive() throws Exception {
      for (Halt halt :
          List.of(Halt.after("add", 1 + random.nextInt(2)), Halt.after("complete", 1))) {
        awaitEnd(launch(feed.toString(), false, halt), Halt.EXIT_CODE, halt.toString());
      }
    }

    private Process work(String input, Halt halt) throws IOException {
      Process process = launch(input, true, halt);
      worker = Optional.of(process);
      return process;
    }

    private void awaitEnd(Process process, int exitCode, String what) throws Exception {
      assertThat(process.waitFor(BOUND.toSeconds(), TimeUnit.SECONDS))
          .as(() -> what + ": " + log())
          .isTrue();
      assertThat(process.exitValue()).as(() -> what + ": " + log()).isEqualTo(exitCode);
    }

    private void awaitPaid(double share) {
      await("%.0f %% paid".formatted(100 * share), feed -> feed.paid() >= share * PAYMENTS);
    }

    private void await(String what, Predicate<FeedStatus> condition) {
      long endNanos = System.nanoTime() + BOUND.toNanos();
      Optional<FeedStatus> status = status();
      while (status.filter(condition).isEmpty()) {
        if (System.nanoTime() >= endNanos) {
          throw new AssertionError(
              "%s: %s, %s%nthe workflow of the feed: %s%n%s"
                  .formatted(what, status, simulator.statistics().results(), pending(), log()));
        }
        LockSupport.parkNanos(STEP.toNanos());
        status = status();
      }
    }

    /** Returns what the workflow of the feed waits for. */
    private String pending() {
      try (TemporalConnection connection =
          TemporalConnection.open(
              new TemporalConnection.Settings(
                  temporal.address(), "default", Optional.empty(), ""))) {
        return connection
            .client()
            .getWorkflowServiceStubs()
            .blockingStub()
            .describeWorkflowExecution(
                DescribeWorkflowExecutionRequest.newBuilder()
                    .setNamespace("default")
                    .setExecution(
                        WorkflowExecution.newBuilder()
                            .setWorkflowId(Payment.RESERVED_PREFIX + FEED))
                    .build())
            .toString();
      }
    }

    private Optional<FeedStatus> status() {
      try {
        return store.feed(FEED);
      } catch (StoreException e) {
        // A connection of before the database was killed.
        return Optional.empty();
      }
    }

    CallStatistics check() throws SQLException {
      FeedStatus done = store.feed(FEED).orElseThrow();
      assertThat(done.read()).isEqualTo(PAYMENTS);
      assertThat(done.started()).isEqualTo(PAYMENTS);
      assertThat(done.paid()).isEqualTo(PAYMENTS);
      CallStatistics calls = simulator.statistics();
      assertThat(calls.booked()).isEqualTo(PAYMENTS);
      assertThat(calls.count(CallResult.ABOVE_CEILING)).isZero();
      assertThat(calls.count(CallResult.REPEATED))
          .as("a call whose answer was lost with its caller is repeated")
          .isPositive();
      assertThat(calls.maxInSecond()).isLessThanOrEqualTo(CEILING);
      assertThat(count("payment_audit where state = 3")).isEqualTo(PAYMENTS);
      assertThat(
              count(
                  "payment p join payment_audit a using (payment_id)"
                      + " where p.attempts = a.attempts and p.state = a.state"))
          .isEqualTo(PAYMENTS);
      assertThat(count("slot where state = 1")).as("confirmed slots").isEqualTo(PAYMENTS);
      return calls;
    }

    private long count(String rows) {
      try (Connection connection = pool.getConnection();
          Statement statement = connection.createStatement();
          ResultSet result = statement.executeQuery("select count(*) from " + rows)) {
        result.next();
        return result.getLong(1);
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }

    private String log() {
      try {
        return Files.readString(folder.resolve("log"));
      } catch (IOException e) {
        return e.toString();
      }
    }

    @Override
    public void close() throws IOException {
      worker.ifPresent(Process::destroyForcibly);
      pool.close();
      bank.close();
      simulator.close();
      temporal.close();
      database.close();
    }
  }
}
