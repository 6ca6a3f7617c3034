package dev.weir.benchmarks.payments;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.benchmarks.Rounds;
import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.Suite;
import dev.weir.benchmarks.slots.BenchDatabase;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotScheduler;
import dev.weir.store.jdbc.slots.JdbcSlotStore;
import dev.weir.workflows.PacedRequest;
import dev.weir.workflows.PacedStarter;
import dev.weir.workflows.PacedWorkflow;
import dev.weir.workflows.embedded.EmbeddedTemporal;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowExecutionAlreadyStarted;
import io.temporal.client.WorkflowOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Workflows that are started at the times of their slots, against the same ones started directly.
 * Temporal's test server accepts them in memory, and no worker runs them, so that the starts are
 * all that is measured.
 */
record StartsCase() implements PaymentsSuite.Case {
  private static final String CONFIG = "starts";
  private static final String WORKFLOW = "Invoice";
  private static final String TASK_QUEUE = "billing";
  private static final int PORTION = 1_000;

  /** As those of a {@link PacedStarter}. */
  private static final int CONCURRENT_STARTS = 16;

  @Override
  public String name() {
    return "starts";
  }

  @Override
  public List<Row> run(BenchDatabase database, Effort effort, Suite.Request request)
      throws Exception {
    request.progress().accept("payments: paced and plain starts of workflows");
    AtomicInteger run = new AtomicInteger();
    int starts = effort.starts();
    try (HikariDataSource pool = database.weirPool();
        SlotScheduler scheduler = SlotScheduler.on(JdbcSlotStore.on(pool))) {
      scheduler.configure(CONFIG, SlotPolicy.of(50, Duration.ofSeconds(1)));
      // Both sides are compiled before the first round.
      paced(scheduler, run.incrementAndGet(), starts / 4);
      plain(run.incrementAndGet(), starts / 4);
      Rounds<Double> rounds =
          Rounds.interleaved(
              effort.rounds(),
              () -> paced(scheduler, run.incrementAndGet(), starts),
              () -> plain(run.incrementAndGet(), starts));
      return List.of(
          new Row(
              "payments",
              "starts of %,d workflows, test server".formatted(starts),
              "paced",
              Rounds.median(rounds.subject()),
              "starts/s",
              new Row.Against("plain", Rounds.median(rounds.peer()), new Row.Untargeted())));
    }
  }

  /** Returns the starts in a second, with their slots and confirmations. */
  private static double paced(SlotScheduler scheduler, int run, int starts) {
    try (EmbeddedTemporal temporal = EmbeddedTemporal.start()) {
      PacedStarter starter = PacedStarter.of(temporal.connection().client(), scheduler);
      long beganNanos = System.nanoTime();
      for (int from = 0; from < starts; from += PORTION) {
        List<PacedRequest> requests = new ArrayList<>(PORTION);
        for (int i = from; i < Math.min(starts, from + PORTION); i++) {
          String id = id(run, i);
          requests.add(PacedRequest.now(PacedWorkflow.of(WORKFLOW, TASK_QUEUE, id), id, CONFIG));
        }
        starter.start(requests);
      }
      return perSecond(beganNanos, starts);
    }
  }

  private static double plain(int run, int starts) throws InterruptedException {
    try (EmbeddedTemporal temporal = EmbeddedTemporal.start();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      WorkflowClient client = temporal.connection().client();
      Semaphore places = new Semaphore(CONCURRENT_STARTS);
      AtomicInteger started = new AtomicInteger();
      long beganNanos = System.nanoTime();
      for (int i = 0; i < starts; i++) {
        String id = id(run, i);
        places.acquire();
        threads.execute(
            () -> {
              try {
                client
                    .newUntypedWorkflowStub(
                        WORKFLOW,
                        WorkflowOptions.newBuilder()
                            .setTaskQueue(TASK_QUEUE)
                            .setWorkflowId(id)
                            .build())
                    .start(id);
                started.incrementAndGet();
              } catch (WorkflowExecutionAlreadyStarted repeated) {
                // By this one: its answer was late, and the client of Temporal sent it again.
                started.incrementAndGet();
              } finally {
                places.release();
              }
            });
      }
      places.acquire(CONCURRENT_STARTS);
      double perSecond = perSecond(beganNanos, starts);
      if (started.get() != starts) {
        throw new IllegalStateException(started + " of " + starts + " workflows were started");
      }
      return perSecond;
    }
  }

  private static String id(int run, int number) {
    return "invoice-%d-%d".formatted(run, number);
  }

  private static double perSecond(long beganNanos, int starts) {
    return starts / ((System.nanoTime() - beganNanos) / 1e9);
  }
}
