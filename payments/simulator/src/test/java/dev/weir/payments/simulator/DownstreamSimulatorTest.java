package dev.weir.payments.simulator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.payments.simulator.calls.CallResult;
import dev.weir.payments.simulator.calls.CallStatistics;
import dev.weir.payments.simulator.calls.RecordedCall;
import dev.weir.payments.simulator.calls.RecordedCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DownstreamSimulatorTest {
  private static final Instant START = Instant.parse("2026-06-01T12:00:00Z");
  private static final byte[] CONTENT = "{}".getBytes(UTF_8);

  @TempDir Path folder;
  private Instant now = START;

  @Test
  void booksAPaymentOnce() {
    DownstreamSimulator simulator = faultless(50);
    Reaction.Answer first = answer(simulator.pay("p", CONTENT));
    Reaction.Answer second = answer(simulator.pay("p", CONTENT));
    assertThat(first.status()).isEqualTo(201);
    assertThat(second.status()).isEqualTo(200);
    assertThat(second.body()).isEqualTo(first.body()).contains("\"reference\":\"SIM-");
    assertThat(simulator.statistics().booked()).isEqualTo(1);
  }

  @Test
  void refusesAnotherPaymentWithTheSameId() {
    DownstreamSimulator simulator = faultless(50);
    simulator.pay("p", CONTENT);
    assertThat(answer(simulator.pay("p", new byte[] {1})).status()).isEqualTo(422);
    assertThat(simulator.statistics().booked()).isEqualTo(1);
  }

  @Test
  void refusesAboveTheCeilingAndSaysWhenToComeBack() {
    DownstreamSimulator simulator = faultless(2);
    simulator.pay("a", CONTENT);
    now = START.plusMillis(999);
    simulator.pay("b", CONTENT);
    Reaction.Answer refused = answer(simulator.pay("c", CONTENT));
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.retryAfter()).isEqualTo(Duration.ofSeconds(1));
    assertThat(answer(simulator.malformed("what?")).status()).isEqualTo(429);
    now = START.plusSeconds(1);
    assertThat(answer(simulator.pay("c", CONTENT)).status()).isEqualTo(201);
    assertThat(answer(simulator.pay("d", CONTENT)).status()).isEqualTo(429);
    assertThat(simulator.statistics().booked()).isEqualTo(3);
  }

  /**
   * What the proof rests on: without a refusal, no second was above the ceiling, and conversely.
   */
  @Property
  void refusesACallIfAndOnlyIfASecondWasAboveTheCeiling(
      @ForAll("gaps") List<Long> gapMillis, @ForAll @IntRange(min = 1, max = 6) int ceiling) {
    DownstreamSimulator simulator = faultless(ceiling);
    now = START;
    List<Instant> accepted = new ArrayList<>();
    for (int i = 0; i < gapMillis.size(); i++) {
      now = now.plusMillis(gapMillis.get(i));
      if (answer(simulator.pay("p" + i, CONTENT)).status() == 201) {
        accepted.add(now);
      }
    }
    CallStatistics calls = simulator.statistics();
    assertThat(calls.count(CallResult.ABOVE_CEILING) > 0).isEqualTo(!calls.within(ceiling));
    assertThat(calls.booked()).isEqualTo(accepted.size());
    for (Instant end : accepted) {
      Instant begin = end.minusSeconds(1);
      assertThat(accepted.stream().filter(at -> at.isAfter(begin) && !at.isAfter(end)))
          .hasSizeLessThanOrEqualTo(ceiling);
    }
  }

  @Provide
  Arbitrary<List<Long>> gaps() {
    return Arbitraries.oneOf(Arbitraries.of(0L, 999L, 1_000L), Arbitraries.longs().between(0, 500))
        .list()
        .ofMaxSize(60);
  }

  @Test
  void countsTheLatestTimeIfTheClockGoesBack() {
    DownstreamSimulator simulator = faultless(1);
    simulator.pay("a", CONTENT);
    now = START.minusSeconds(60);
    assertThat(answer(simulator.pay("b", CONTENT)).status()).isEqualTo(429);
  }

  @Test
  void timeGoesOnAfterARestartWithAClockThatWasSetBack() throws IOException {
    Path file = folder.resolve("calls.ndjson");
    SimulatorSettings settings = SimulatorSettings.faultless(1);
    try (DownstreamSimulator first = DownstreamSimulator.recording(settings, () -> now, file)) {
      first.pay("a", CONTENT);
    }
    now = START.minus(Duration.ofHours(1));
    try (DownstreamSimulator second = DownstreamSimulator.recording(settings, () -> now, file)) {
      assertThat(answer(second.pay("b", CONTENT)).status()).isEqualTo(429);
      now = now.plusSeconds(1);
      assertThat(answer(second.pay("b", CONTENT)).status()).isEqualTo(201);
    }
  }

  @Test
  void failsTheSameAttemptsInWhateverOrderTheyCome() {
    SimulatorSettings settings = faulty(7);
    List<Reaction> forwards = new ArrayList<>();
    DownstreamSimulator one = DownstreamSimulator.inMemory(settings, () -> now);
    for (int i = 0; i < 200; i++) {
      forwards.add(one.pay("p" + i, CONTENT));
    }
    List<Reaction> backwards = new ArrayList<>();
    DownstreamSimulator other = DownstreamSimulator.inMemory(settings, () -> now);
    for (int i = 199; i >= 0; i--) {
      backwards.addFirst(other.pay("p" + i, CONTENT));
    }
    assertThat(backwards).isEqualTo(forwards);
    DownstreamSimulator otherSeed = DownstreamSimulator.inMemory(faulty(8), () -> now);
    assertThat(otherSeed.pay("p0", CONTENT)).isNotEqualTo(forwards.getFirst());
  }

  @Test
  void failsInEveryWayAndBooksEveryPaymentInTheEnd() {
    DownstreamSimulator simulator = DownstreamSimulator.inMemory(faulty(7), () -> now);
    int payments = 500;
    int rejected = 0;
    for (int i = 0; i < payments; i++) {
      int status = 0;
      for (int attempt = 0; attempt < 100 && status != 200 && status != 201; attempt++) {
        if (simulator.pay("p" + i, CONTENT) instanceof Reaction.Answer answer) {
          status = answer.status();
        }
        if (status == 422) {
          rejected++;
          break;
        }
      }
    }
    CallStatistics calls = simulator.statistics();
    assertThat(calls.booked()).isEqualTo(payments - rejected);
    assertThat(rejected).isBetween(20, 90);
    assertThat(calls.count(CallResult.FAILED)).isPositive();
    assertThat(calls.count(CallResult.TIMED_OUT)).isPositive();
    assertThat(calls.count(CallResult.ANSWER_LOST)).isPositive();
    // Those that were booked without an answer, and asked for again.
    assertThat(calls.count(CallResult.REPEATED)).isPositive();
    assertThat(calls.count(CallResult.PAID)).isLessThan(calls.booked());
  }

  @Test
  void answersWithinHalfAndOneAndAHalfOfItsLatency() {
    DownstreamSimulator simulator = DownstreamSimulator.inMemory(faulty(3), () -> now);
    for (int i = 0; i < 200; i++) {
      Reaction reaction = simulator.pay("p" + i, CONTENT);
      if (!(reaction instanceof Reaction.HangUp hangUp)
          || !hangUp.delay().equals(Duration.ofSeconds(5))) {
        assertThat(reaction.delay()).isBetween(Duration.ofMillis(50), Duration.ofMillis(150));
      }
    }
  }

  @Test
  void remembersEverythingAcrossARestart() throws IOException {
    Path file = folder.resolve("calls.ndjson");
    SimulatorSettings settings = SimulatorSettings.faultless(3);
    try (DownstreamSimulator first = DownstreamSimulator.recording(settings, () -> now, file)) {
      first.pay("a", CONTENT);
      first.pay("a", CONTENT);
      first.malformed("what?");
    }
    Files.writeString(file, "{\"at\":\"2026", StandardOpenOption.APPEND);
    now = START.minusSeconds(5);
    try (DownstreamSimulator second = DownstreamSimulator.recording(settings, () -> now, file)) {
      assertThat(second.statistics().calls()).isEqualTo(3);
      assertThat(answer(second.pay("b", CONTENT)).status()).isEqualTo(429);
      now = START.plusSeconds(1);
      assertThat(answer(second.pay("a", CONTENT)).status()).isEqualTo(200);
      assertThat(answer(second.pay("a", new byte[] {1})).status()).isEqualTo(422);
      assertThat(second.statistics().booked()).isEqualTo(1);
    }
    List<RecordedCall> calls = new ArrayList<>();
    RecordedCalls.read(file, calls::add);
    assertThat(calls)
        .extracting(RecordedCall::result)
        .containsExactly(
            CallResult.PAID,
            CallResult.REPEATED,
            CallResult.INVALID,
            CallResult.ABOVE_CEILING,
            CallResult.REPEATED,
            CallResult.REJECTED);
    assertThat(calls).extracting(RecordedCall::attempt).containsExactly(1, 2, 0, 1, 3, 4);
  }

  @Test
  void refusesAFileOfSomethingElse() throws IOException {
    Path file = Files.writeString(folder.resolve("feed.csv"), "paymentId\n1\n2\n");
    assertThatThrownBy(
            () -> DownstreamSimulator.recording(SimulatorSettings.faultless(1), () -> now, file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("line 1: not a recorded call");
    assertThat(file).hasContent("paymentId\n1\n2\n");
  }

  @Test
  void failsForMorePaymentsThanItMayRemember() {
    SimulatorSettings settings =
        new SimulatorSettings(
            50, Duration.ZERO, Duration.ZERO, SimulatorSettings.Faults.NONE, 1, 2);
    DownstreamSimulator simulator = DownstreamSimulator.inMemory(settings, () -> now);
    simulator.pay("a", CONTENT);
    simulator.pay("b", CONTENT);
    assertThat(answer(simulator.pay("c", CONTENT)).status()).isGreaterThanOrEqualTo(500);
    assertThat(answer(simulator.pay("a", CONTENT)).status()).isEqualTo(200);
    assertThat(simulator.statistics().booked()).isEqualTo(2);
  }

  @Test
  void refusesImpossibleSettings() {
    assertThatThrownBy(() -> SimulatorSettings.faultless(0))
        .hasMessage("ceiling must be at least 1, not 0");
    assertThatThrownBy(() -> new SimulatorSettings.Faults(0, 0.5, 0.4, 0.2))
        .hasMessageContaining("failed + timedOut + lost must be between 0 and 1");
    assertThatThrownBy(() -> new SimulatorSettings.Faults(Double.NaN, 0, 0, 0))
        .hasMessageContaining("rejected must be between 0 and 1");
  }

  private DownstreamSimulator faultless(int ceiling) {
    return DownstreamSimulator.inMemory(SimulatorSettings.faultless(ceiling), () -> now);
  }

  private static SimulatorSettings faulty(long seed) {
    return new SimulatorSettings(
        1_000_000,
        Duration.ofMillis(100),
        Duration.ofSeconds(5),
        new SimulatorSettings.Faults(0.1, 0.2, 0.1, 0.1),
        seed,
        10_000);
  }

  private static Reaction.Answer answer(Reaction reaction) {
    return (Reaction.Answer) reaction;
  }
}
