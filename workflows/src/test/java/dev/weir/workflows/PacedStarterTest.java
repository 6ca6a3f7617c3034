package dev.weir.workflows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotScheduler;
import dev.weir.slots.SlotState;
import dev.weir.slots.SlotStore;
import dev.weir.slots.internal.MemorySlotLedger;
import io.temporal.client.WorkflowOptions;
import io.temporal.worker.WorkerFactory;
import io.temporal.workflow.Workflow;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class PacedStarterTest {
  private static final String QUEUE = "greetings";
  private static final String CONFIG = "ten-a-second";

  private final SkippedTime time = new SkippedTime();
  private final SlotScheduler slots = scheduler(time);

  /**
   * When each run of a workflow began, by its name and the id of the run. A worker that is too slow
   * for Temporal is asked again, in the same run.
   */
  private final Map<String, Map<String, Instant>> greeted = new ConcurrentHashMap<>();

  private final PacedStarter starter = starter(time);

  private static SlotScheduler scheduler(SkippedTime time) {
    MemorySlotLedger ledger = new MemorySlotLedger(time, () -> 1, 10_000);
    SlotScheduler scheduler = SlotScheduler.on(SlotStore.of(ledger, ledger, ledger, () -> {}));
    scheduler.configure(CONFIG, SlotPolicy.of(10, Duration.ofSeconds(1)));
    return scheduler;
  }

  private PacedStarter starter(SkippedTime server) {
    return PacedStarter.builder(server.client(), SlotSource.of(slots)).clock(server).build();
  }

  private void startWorker(SkippedTime server) {
    WorkerFactory factory = server.environment().getWorkerFactory();
    factory
        .newWorker(QUEUE, SkippedTime.workerOptions().build())
        .registerWorkflowImplementationFactory(
            Greeting.class,
            () ->
                name ->
                    greeted
                        .computeIfAbsent(name, key -> new ConcurrentHashMap<>())
                        .putIfAbsent(
                            Workflow.getInfo().getRunId(),
                            Instant.ofEpochMilli(Workflow.currentTimeMillis())));
    factory.start();
  }

  @AfterEach
  void close() {
    slots.close();
    time.close();
  }

  private static PacedWorkflow greeting(String name) {
    return PacedWorkflow.of(Greeting.class, QUEUE, name);
  }

  @Test
  void workflowOfAnotherTypeUnderTheIdIsNotTakenForIt() {
    time.client()
        .newUntypedWorkflowStub(
            "Payroll",
            WorkflowOptions.newBuilder().setTaskQueue("payroll").setWorkflowId("ann").build())
        .start();
    assertThat(starter.start(greeting("ann"), "ann", CONFIG, time.instant()))
        .isEqualTo(new PacedStart.IdTaken("ann", "Payroll", "payroll"));
    assertThat(slots.find("ann").orElseThrow().state()).isEqualTo(SlotState.ASSIGNED);
  }

  /** Nobody of this queue would run it. */
  @Test
  void workflowOnAnotherTaskQueueUnderTheIdIsNotTakenForIt() {
    time.client()
        .newUntypedWorkflowStub(
            greeting("ann").type(),
            WorkflowOptions.newBuilder().setTaskQueue("others").setWorkflowId("ann").build())
        .start("ann");
    assertThat(starter.start(greeting("ann"), "ann", CONFIG, time.instant()))
        .isEqualTo(new PacedStart.IdTaken("ann", greeting("ann").type(), "others"));
  }

  @Test
  void runsAtTheTimeOfItsSlotAndNotBefore() {
    startWorker(time);
    Instant wanted = time.instant().plus(Duration.ofHours(1));
    PacedStart start = starter.start(greeting("ann"), "ann", CONFIG, wanted);
    Instant scheduled = slots.find("ann").orElseThrow().scheduledTime();
    assertThat(start).isEqualTo(new PacedStart.Started(scheduled));

    time.pass(Duration.ofMinutes(45));
    assertThat(greeted).isEmpty();
    time.pass(Duration.ofMinutes(30));
    assertThat(greeted.get("ann").values())
        .singleElement()
        .satisfies(
            at -> {
              // Temporal counts delays in milliseconds.
              assertThat(at).isAfterOrEqualTo(scheduled.minusMillis(1));
              assertThat(at).isBefore(scheduled.plus(Duration.ofMinutes(10)));
            });
  }

  @Test
  void pacesManyStarts() {
    startWorker(time);
    List<PacedRequest> requests =
        IntStream.range(0, 50)
            .mapToObj(i -> new PacedRequest(greeting("n" + i), "n" + i, CONFIG, time.instant()))
            .toList();
    List<Instant> scheduled =
        starter.start(requests).stream()
            .map(start -> ((PacedStart.Started) start).scheduledTime())
            .toList();
    time.pass(Duration.ofMinutes(5));

    for (int i = 0; i < 50; i++) {
      Instant earliest = scheduled.get(i).minusMillis(1);
      assertThat(greeted.get("n" + i).values())
          .singleElement()
          .satisfies(at -> assertThat(at).isAfterOrEqualTo(earliest));
    }
    assertThat(Duration.between(Collections.min(scheduled), Collections.max(scheduled)))
        .isGreaterThanOrEqualTo(Duration.ofMillis(3_900));
  }

  @Test
  void startingTwiceStartsOnce() {
    startWorker(time);
    PacedStart first = starter.start(greeting("ann"), "ann", CONFIG, time.instant());
    PacedStart second = starter.start(greeting("ann"), "ann", CONFIG, time.instant());
    assertThat(first).isInstanceOf(PacedStart.Started.class);
    assertThat(second)
        .isEqualTo(new PacedStart.AlreadyStarted(((PacedStart.Started) first).scheduledTime()));
    time.pass(Duration.ofMinutes(1));
    assertThat(starter.start(greeting("ann"), "ann", CONFIG, time.instant()))
        .isInstanceOf(PacedStart.AlreadyStarted.class);
    time.pass(Duration.ofMinutes(1));
    assertThat(greeted.get("ann")).hasSize(1);
  }

  @Test
  void confirmedSlotIsNotStartedAgainWhenTemporalHasForgottenTheWorkflow() {
    starter.start(greeting("ann"), "ann", CONFIG, time.instant());
    assertThat(slots.find("ann").orElseThrow().state()).isEqualTo(SlotState.CONFIRMED);
    try (SkippedTime other = new SkippedTime()) {
      startWorker(other);
      assertThat(starter(other).start(greeting("ann"), "ann", CONFIG, other.instant()))
          .isInstanceOf(PacedStart.AlreadyStarted.class);
      other.pass(Duration.ofMinutes(1));
      assertThat(greeted).isEmpty();
    }
  }

  @Test
  void startAfterACrashBetweenSlotAndStartUsesTheSameSlot() {
    startWorker(time);
    List<PacedRequest> requests =
        List.of(new PacedRequest(greeting("ann"), "ann", CONFIG, time.instant()));
    PacedBatch lost = starter.assign(requests);
    assertThat(slots.find("ann").orElseThrow().state()).isEqualTo(SlotState.ASSIGNED);
    Instant scheduled = ((SlotSource.PacedSlot.Assigned) lost.slots().getFirst()).scheduledTime();
    assertThat(starter.start(requests)).containsExactly(new PacedStart.Started(scheduled));
  }

  @Test
  void requestForThePastIsPacedFromNow() {
    Instant now = time.instant();
    List<PacedRequest> requests =
        IntStream.range(0, 30)
            .mapToObj(
                i ->
                    new PacedRequest(
                        greeting("n" + i), "n" + i, CONFIG, now.minus(Duration.ofDays(1))))
            .toList();
    List<Instant> scheduled =
        starter.assign(requests).slots().stream()
            .map(slot -> ((SlotSource.PacedSlot.Assigned) slot).scheduledTime())
            .sorted()
            .toList();
    assertThat(scheduled.getFirst()).isAfterOrEqualTo(now);
    assertThat(Duration.between(scheduled.getFirst(), scheduled.getLast()))
        .isGreaterThanOrEqualTo(Duration.ofMillis(1_900));
  }

  @Test
  void withoutAConfigurationNothingIsStarted() {
    assertThat(starter.start(greeting("ann"), "ann", "unknown", time.instant()))
        .isEqualTo(new PacedStart.NoSlot("there is no configuration unknown"));
    assertThat(slots.find("ann")).isEmpty();
  }

  @Test
  void workflowNeedsATypeAndATaskQueue() {
    assertThatThrownBy(() -> PacedWorkflow.of(" ", QUEUE)).hasMessageContaining("type");
    assertThatThrownBy(() -> PacedWorkflow.of("Greeting", "")).hasMessageContaining("task queue");
    assertThatThrownBy(() -> PacedWorkflow.of(Runnable.class, QUEUE))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
