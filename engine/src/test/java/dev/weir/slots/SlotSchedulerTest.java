package dev.weir.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.slots.internal.MemorySlotLedger;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class SlotSchedulerTest {
  private static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");
  private static final SlotPolicy POLICY = SlotPolicy.of(2, Duration.ofSeconds(4));

  private final MemorySlotLedger ledger =
      new MemorySlotLedger(InstantSource.fixed(NOW), new Random(1), 100);
  private final List<String> seen = new ArrayList<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final SlotObserver observer =
      new SlotObserver() {
        @Override
        public void answered(Assignment assignment, Duration took) {
          seen.add(assignment.getClass().getSimpleName());
        }

        @Override
        public void failed(Duration took) {
          seen.add("failed");
        }

        @Override
        public void waiting(int change) {
          waiting.addAndGet(change);
        }

        @Override
        public void batch(int requests) {
          seen.add("batch of " + requests);
        }

        @Override
        public void configCacheMiss() {
          seen.add("miss");
        }
      };

  private SlotScheduler scheduler(int lanes) {
    return SlotScheduler.builder(SlotStore.of(ledger, ledger, ledger, () -> {}))
        .settings(new SlotScheduler.Settings(lanes, 10, 50, 4))
        .observer(observer)
        .configCacheTtl(Duration.ofDays(1))
        .build();
  }

  @Test
  void assignsASlotAndNotifiesTheObserver() {
    ledger.configure("default", POLICY);

    Assignment answer = scheduler(1).assign(new SlotRequest("a", "default", NOW));

    assertThat(answer)
        .isInstanceOfSatisfying(
            Assignment.Assigned.class,
            given -> assertThat(given.slot().scheduledTime()).isEqualTo(NOW));
    assertThat(seen).containsExactly("miss", "batch of 1", "Assigned");
  }

  @Test
  void inMemoryItAssignsByTheClockThatItIsGiven() {
    AtomicReference<Instant> now = new AtomicReference<>(NOW);
    try (SlotScheduler slots = SlotScheduler.inMemory(now::get)) {
      slots.configure("bank", SlotPolicy.of(1, Duration.ofSeconds(4)));

      assertThat(slots.assign("a", "bank").scheduledTime()).isEqualTo(NOW);
      now.set(NOW.plusSeconds(60));
      assertThat(slots.now()).isEqualTo(NOW.plusSeconds(60));
      assertThat(slots.assign("b", "bank").scheduledTime()).isEqualTo(NOW.plusSeconds(60));
    }
  }

  @Test
  void listsSlotsPageByPage() {
    try (SlotScheduler slots = SlotScheduler.inMemory(() -> NOW)) {
      slots.configure("bank", SlotPolicy.of(1, Duration.ofSeconds(4)));
      Slot a = slots.assign("a", "bank", NOW);
      Slot b = slots.assign("b", "bank", NOW);
      Slot c = slots.assign("c", "bank", NOW);
      slots.confirm("b");
      SlotQuery all = SlotQuery.of("bank");

      assertThat(slots.list(all.limit(2))).extracting(Slot::eventId).containsExactly("a", "b");
      assertThat(slots.list(all.limit(2).after(b))).containsExactly(c);
      assertThat(slots.list(all.from(b.scheduledTime()).until(c.scheduledTime())))
          .extracting(Slot::eventId)
          .containsExactly("b");
      assertThat(slots.list(all.filter(SlotQuery.Filter.ASSIGNED))).containsExactly(a, c);
      assertThat(slots.list(SlotQuery.of("other"))).isEmpty();
    }
  }

  @Test
  void listsTheWindowsThatHoldEvents() {
    try (SlotScheduler slots = SlotScheduler.inMemory(() -> NOW)) {
      SlotConfig bank = slots.configure("bank", SlotPolicy.of(2, Duration.ofSeconds(4)));
      for (String event : List.of("a", "b", "c")) {
        slots.assign(event, "bank", NOW);
      }
      WindowQuery all = WindowQuery.of(bank);

      assertThat(slots.windows(all))
          .containsExactly(new WindowCount(NOW, 2), new WindowCount(NOW.plusSeconds(4), 1));
      assertThat(slots.windows(all.limit(1))).containsExactly(new WindowCount(NOW, 2));
      assertThat(slots.windows(all.from(NOW.plusSeconds(1))))
          .containsExactly(new WindowCount(NOW.plusSeconds(4), 1));
      assertThat(slots.windows(all.until(NOW.plusSeconds(4))))
          .containsExactly(new WindowCount(NOW, 2));
    }
  }

  @Test
  void requestsWaitUntilTheirResultsAreTaken() {
    ledger.configure("default", POLICY);
    SlotScheduler scheduler = scheduler(1);

    SlotScheduler.Pending two =
        scheduler.submit(List.of(SlotRequest.now("a", "default"), SlotRequest.now("b", "nowhere")));
    SlotScheduler.Pending one = scheduler.submit(List.of(SlotRequest.now("c", "default")));
    assertThat(waiting).hasValue(3);
    two.await();
    assertThat(waiting).hasValue(1);
    one.await();
    assertThat(waiting).hasValue(0);
  }

  @Test
  void unknownConfigurationDoesNotReachTheLedger() {
    Assignment answer = scheduler(1).assign(SlotRequest.now("a", "nowhere"));

    assertThat(answer).isEqualTo(new Assignment.UnknownConfig(SlotRequest.now("a", "nowhere")));
    assertThat(seen).containsExactly("miss", "UnknownConfig");
  }

  @Test
  void looksUpAnUnknownConfigurationOnceForABatch() {
    List<SlotRequest> requests =
        IntStream.range(0, 5).mapToObj(i -> SlotRequest.now("e" + i, "nowhere")).toList();

    scheduler(3).assign(requests);

    assertThat(seen).containsOnlyOnce("miss");
  }

  @Test
  void answersInOrderWithAnyNumberOfLanes() {
    for (int i = 0; i < 5; i++) {
      ledger.configure("c" + i, POLICY);
    }
    List<SlotRequest> requests =
        IntStream.range(0, 40)
            .mapToObj(i -> new SlotRequest("e" + i, i % 7 == 6 ? "nowhere" : "c" + i % 5, NOW))
            .toList();

    for (int lanes = 1; lanes <= 4; lanes++) {
      List<Assignment> answers = scheduler(lanes).assign(requests);

      for (int i = 0; i < requests.size(); i++) {
        SlotRequest request = requests.get(i);
        switch (answers.get(i)) {
          case Assignment.Assigned given -> {
            assertThat(given.slot().eventId()).isEqualTo(request.eventId());
            assertThat(given.slot().configName()).isEqualTo(request.configName());
          }
          case Assignment.UnknownConfig unknown -> assertThat(unknown.request()).isEqualTo(request);
          case Assignment.NoCapacity noCapacity -> throw new AssertionError(noCapacity);
        }
      }
    }
  }

  @Test
  void emptyListIsAnsweredByAnEmptyList() {
    assertThat(scheduler(2).assign(List.of())).isEmpty();
  }

  @Test
  void forgetsAConfigurationThatProvedStale() {
    ledger.configure("default", POLICY);
    SlotScheduler scheduler = scheduler(1);
    scheduler.assign(new SlotRequest("a", "default", NOW));
    ledger.configure("default", SlotPolicy.of(5, Duration.ofSeconds(4)));
    scheduler.assign(new SlotRequest("b", "default", NOW));
    seen.clear();

    scheduler.assign(new SlotRequest("c", "default", NOW));

    assertThat(seen).containsExactly("miss", "batch of 1", "Assigned");
  }

  @Test
  void failureOfTheLedgerIsThrownAndCounted() {
    ledger.configure("default", POLICY);
    SlotScheduler scheduler = scheduler(1);
    List<SlotRequest> tooMany =
        IntStream.range(0, 45).mapToObj(i -> SlotRequest.now("e" + i, "default")).toList();
    scheduler.assign(tooMany);
    scheduler.assign(tooMany.subList(0, 5));
    seen.clear();

    List<SlotRequest> others =
        IntStream.range(0, 50).mapToObj(i -> SlotRequest.now("f" + i, "default")).toList();
    scheduler.assign(others);
    assertThatThrownBy(() -> scheduler.assign(others))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("full")
        .returns(StoreException.Outcome.NONE, e -> ((StoreException) e).outcome());

    assertThat(seen).containsOnlyOnce("failed").endsWith("failed");
  }

  /** Two configurations that are processed separately: the first succeeds, the second fails. */
  @Test
  void failureAfterAPartWasDoneIsNotNothing() {
    int lanes = 2;
    String first = inLane(0, lanes);
    String second = inLane(1, lanes);
    ledger.configure(first, POLICY);
    ledger.configure(second, POLICY);
    SlotScheduler scheduler = scheduler(lanes);
    List<SlotRequest> requests = new ArrayList<>();
    requests.add(SlotRequest.now("e0", first));
    for (int i = 1; i <= 51; i++) {
      requests.add(SlotRequest.now("e" + i, second));
    }

    assertThatThrownBy(() -> scheduler.assign(requests))
        .isInstanceOfSatisfying(
            StoreException.class,
            e -> assertThat(e.outcome()).isEqualTo(StoreException.Outcome.UNKNOWN));
    assertThat(ledger.find("e0")).isPresent();
  }

  private static String inLane(int lane, int lanes) {
    return IntStream.range(0, 100)
        .mapToObj(i -> "c" + i)
        .filter(name -> Math.floorMod(name.hashCode(), lanes) == lane)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void forecastsWhatIsKnown() {
    ledger.configure("default", POLICY);

    assertThat(scheduler(1).forecast("default", NOW, 3))
        .contains(new ForecastResult.Completion(NOW.plusSeconds(4), NOW.plusSeconds(4)));
    assertThat(scheduler(1).forecast("nowhere", NOW, 3)).isEmpty();
  }

  @Test
  void configuresTheExpectedVersionOnly() {
    try (SlotScheduler slots = SlotScheduler.inMemory(() -> NOW)) {
      SlotPolicy other = SlotPolicy.of(3, Duration.ofSeconds(4));

      assertThat(slots.configure("bank", 1, POLICY)).isEmpty();
      SlotConfig first = slots.configure("bank", 0, POLICY).orElseThrow();
      assertThat(slots.configure("bank", 0, other)).isEmpty();
      assertThat(slots.config("bank")).contains(first);
      SlotConfig second = slots.configure("bank", 1, other).orElseThrow();

      assertThat(slots.config("bank")).contains(second);
      assertThat(slots.history("bank")).containsExactly(second, first);
      assertThat(slots.configs()).containsExactly(second);
      assertThat(slots.history("other")).isEmpty();
    }
  }

  @Test
  void refusesPoliciesThatItCannotKeep() {
    try (SlotScheduler slots =
        SlotScheduler.builder(SlotStore.inMemory(() -> NOW))
            .retention(Duration.ofSeconds(3))
            .build()) {
      List<ThrowingCallable> calls =
          List.of(
              () -> slots.check(POLICY),
              () -> slots.configure("bank", POLICY),
              () -> slots.configure("bank", 0, POLICY));

      assertThat(calls)
          .allSatisfy(
              call ->
                  assertThatThrownBy(call)
                      .isInstanceOf(InvalidSlotPolicyException.class)
                      .hasMessageContaining("windowSize must be at most the retention"));
      assertThat(slots.config("bank")).isEmpty();
      slots.check(SlotPolicy.of(2, Duration.ofSeconds(3)));
    }
  }

  @Test
  void forgetsAConfigurationThatIsChangedHereAndOneThatItIsToldToForget() {
    SlotScheduler scheduler = scheduler(1);
    scheduler.configure("default", POLICY);
    assertThat(misses(scheduler)).isEqualTo(1);
    assertThat(misses(scheduler)).isZero();
    scheduler.configure("default", 1, SlotPolicy.of(3, Duration.ofSeconds(4)));
    assertThat(misses(scheduler)).isEqualTo(1);

    ledger.configure("default", POLICY);
    scheduler.forgetConfig("other");
    assertThat(misses(scheduler)).isZero();
    scheduler.forgetConfig("default");
    assertThat(misses(scheduler)).isEqualTo(1);
    scheduler.forgetConfigs();
    assertThat(misses(scheduler)).isEqualTo(1);
  }

  /** Returns how often a look-up reads from the store. */
  private long misses(SlotScheduler scheduler) {
    seen.clear();
    assertThat(scheduler.forecast("default", NOW, 1)).isPresent();
    return seen.stream().filter("miss"::equals).count();
  }

  @Test
  void reclaimsLeakedSlots() {
    AtomicReference<Instant> now = new AtomicReference<>(NOW);
    try (SlotScheduler slots = SlotScheduler.inMemory(now::get)) {
      slots.configure("bank", POLICY);
      slots.assign("a", "bank");
      slots.assign("b", "bank");
      slots.confirm("b");
      now.set(NOW.plusSeconds(60));

      assertThat(slots.reclaim(NOW, 10)).isZero();
      assertThat(slots.reclaim(NOW.plusSeconds(30), 10)).isEqualTo(1);
      assertThat(slots.find("a").orElseThrow().state()).isEqualTo(SlotState.RECLAIMED);
      assertThat(slots.find("b").orElseThrow().state()).isEqualTo(SlotState.CONFIRMED);
    }
  }

  @Test
  void refusesInvalidSettings() {
    assertThatThrownBy(() -> new SlotScheduler.Settings(0, 1, 1, 4))
        .hasMessageContaining("lanes 0");
    assertThatThrownBy(() -> new SlotScheduler.Settings(1, 0, 1, 4))
        .hasMessageContaining("maxBatch 0");
    assertThatThrownBy(() -> new SlotScheduler.Settings(1, 2, 1, 4))
        .hasMessageContaining("maxWaiting 1");
  }
}
