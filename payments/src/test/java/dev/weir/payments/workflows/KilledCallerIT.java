package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.zaxxer.hikari.HikariDataSource;
import dev.weir.payments.PaymentState;
import dev.weir.payments.PaymentStatus;
import dev.weir.payments.PaymentStore;
import dev.weir.payments.jdbc.JdbcPaymentStore;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotScheduler;
import dev.weir.store.jdbc.PostgresqlPool;
import dev.weir.store.jdbc.slots.JdbcSlotStore;
import dev.weir.store.tck.internal.Await;
import dev.weir.workflows.LoopbackHttp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A worker that is killed after its call has paid and before it has recorded anything of the
 * answer, in front of a payment API that forgets the keys of its calls. Each worker is a process of
 * its own.
 *
 * <p>Only {@code ./weir faults} runs it. In the gate, {@link RepeatedCallsTest} has both claims of
 * a worker that crashes in its call.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
final class KilledCallerIT {
  private static final Duration BOUND = Duration.ofMinutes(10);

  /** Of the second worker. It waits until a call of the first one can no longer arrive. */
  private static final Duration LONG_CALL_TIMEOUT = Duration.ofMinutes(1);

  @TempDir private static Path folder;
  private static KillablePostgresql database;
  private static LoopbackTemporal temporal;
  private static HikariDataSource pool;
  private static PaymentStore store;

  private final LoopbackHttp http = new LoopbackHttp();
  private final AtomicInteger calls = new AtomicInteger();

  @BeforeAll
  static void open() throws IOException {
    database = KillablePostgresql.start(folder.resolve("data"));
    temporal = LoopbackTemporal.start();
    pool = PostgresqlPool.open(database.settings());
    try (SlotScheduler scheduler = SlotScheduler.on(JdbcSlotStore.on(pool))) {
      scheduler.configure(PaymentProcess.CONFIG, SlotPolicy.of(10, Duration.ofSeconds(1)));
    }
    store = new JdbcPaymentStore(pool);
  }

  @AfterAll
  static void close() throws IOException {
    pool.close();
    temporal.close();
    database.close();
  }

  @AfterEach
  void closeBank() {
    http.close();
  }

  /** The bank pays with every call: it does not remember keys for long enough. */
  private void bank(int... statuses) {
    http.server()
        .createContext(
            "/payments",
            exchange -> {
              int call = calls.getAndIncrement();
              answer(exchange, statuses[Math.min(call, statuses.length - 1)]);
            });
    http.server().start();
  }

  private static void answer(HttpExchange exchange, int status) throws IOException {
    exchange.getRequestBody().readAllBytes();
    exchange.sendResponseHeaders(status, -1);
    exchange.close();
  }

  private Process launch(String feed, Halt halt, Duration giveUpAfter, Duration callTimeout)
      throws IOException {
    return PaymentProcess.start(
        new PaymentProcess.Task(
            temporal.address(),
            database.settings().url(),
            http.url(),
            10,
            feed,
            true,
            halt,
            giveUpAfter,
            callTimeout),
        folder.resolve("log"));
  }

  /** Has a worker killed right after its call was answered, and another one take over. */
  private PaymentStatus payWithAKilledWorker(String payment, Duration giveUpAfter)
      throws Exception {
    Path feed = folder.resolve("feed-of-" + payment);
    Files.writeString(
        feed,
        """
        paymentId,amount,currency,debtorAccount,creditorAccount
        %s,12.50,EUR,from,to
        """
            .formatted(payment));
    Process first =
        launch(feed.toString(), Halt.after("pay", 1), giveUpAfter, PaymentProcess.CALL_TIMEOUT);
    awaitEnd(first, Halt.EXIT_CODE);
    // A busy bank looks at the call of a caller that is gone.
    Await.until(() -> calls.get() > 0);
    assertThat(calls).hasValue(1);
    Process second = launch("", Halt.NEVER, giveUpAfter, LONG_CALL_TIMEOUT);
    try {
      return awaitEnd(payment);
    } finally {
      second.destroyForcibly();
    }
  }

  private void awaitEnd(Process process, int exitCode) throws Exception {
    assertThat(process.waitFor(BOUND.toSeconds(), TimeUnit.SECONDS)).as(this::log).isTrue();
    assertThat(process.exitValue()).as(this::log).isEqualTo(exitCode);
  }

  private PaymentStatus awaitEnd(String paymentId) {
    long endNanos = System.nanoTime() + BOUND.toNanos();
    while (true) {
      Optional<PaymentStatus> ended =
          store.find(paymentId).filter(payment -> !payment.state().isOpen());
      if (ended.isPresent()) {
        return ended.get();
      }
      assertThat(System.nanoTime()).as(this::log).isLessThan(endNanos);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }
  }

  private String log() {
    try {
      return Files.readString(folder.resolve("log"));
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Test
  void paymentIsNotCalledAgainAfterTheTimeForItsCallsIsOver() throws Exception {
    bank(201);
    // Another worker waits for longer than that, because the call might still be in progress.
    PaymentStatus payment = payWithAKilledWorker("killed-1", Duration.ofSeconds(1));
    assertThat(payment.state()).isEqualTo(PaymentState.FAILED);
    assertThat(payment.reason())
        .isEqualTo("given up after 1 calls, and may have been made: its answer is not recorded");
    assertThat(calls).as("paid once").hasValue(1);
  }

  @Test
  void refusalAfterTheCallOfAKilledWorkerSaysThatThePaymentMayHaveBeenMade() throws Exception {
    bank(201, 422);
    PaymentStatus payment = payWithAKilledWorker("killed-2", Duration.ofHours(1));
    assertThat(payment.state()).isEqualTo(PaymentState.FAILED);
    assertThat(payment.reason())
        .isEqualTo("refused, and may have been made by an earlier call: status 422");
    assertThat(payment.attempts()).isEqualTo(2);
    assertThat(calls).hasValue(2);
  }
}
