package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.memory.MemoryLeaseStore;
import dev.weir.payments.FeedState;
import dev.weir.payments.Payment;
import dev.weir.payments.PaymentState;
import dev.weir.payments.workflows.PaymentScene.Settings;
import dev.weir.slots.OpeningHours;
import dev.weir.slots.SlotPolicy;
import java.math.BigDecimal;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The configuration decides when calls are made, whatever slots were assigned. */
final class ConfiguredGateTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final int PER_SECOND = 5;
  private static final int CEILING = 40;

  /** More than a second may see. Each one that waits looks at the configuration now and then. */
  private static final int PAYMENTS = 6;

  private static final SlotPolicy POLICY = SlotPolicy.of(PER_SECOND, Duration.ofSeconds(1));

  private static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");

  private static Payment payment(int number) {
    return new Payment(
        "p" + number, BigDecimal.TEN, "EUR", "from", "to", Optional.empty(), "", "bank");
  }

  /** Receives payments for a time in an hour, and waits until they have their slots. */
  private static void receiveForLater(PaymentScene scene) {
    Instant later = scene.time.instant().plus(HOUR);
    List<Payment> payments =
        IntStream.range(0, PAYMENTS).mapToObj(i -> scene.payment(i, Optional.of(later))).toList();
    scene.receive("f", PaymentScene.feed(payments));
    scene.time.await("slots", HOUR, () -> scene.status("f").state() == FeedState.STARTED);
  }

  @Test
  void pauseThatIsSetAfterTheSlotsWereAssignedStopsCalls() {
    try (PaymentScene scene = PaymentScene.open(new Settings(PER_SECOND, CEILING, 0, 0))) {
      receiveForLater(scene);
      Instant end = scene.time.instant().plus(HOUR.multipliedBy(3));
      scene.scheduler.configure(scene.name, POLICY.withPausedUntil(end));
      scene.time.pass(HOUR.multipliedBy(2));
      assertThat(scene.downstream.calls()).isZero();
      assertThat(scene.awaitDone("f").paid()).isEqualTo(PAYMENTS);
      assertThat(scene.payments.find(scene.payment(0).paymentId()).orElseThrow().endedAt())
          .get()
          .matches(ended -> !ended.isBefore(end));
      assertThat(scene.downstream.maxInASecond()).isLessThanOrEqualTo(PER_SECOND);
    }
  }

  @Test
  void pauseThatIsEndedEarlyIsNoticed() {
    try (PaymentScene scene = PaymentScene.open(new Settings(PER_SECOND, CEILING, 0, 0))) {
      receiveForLater(scene);
      Instant end = scene.time.instant().plus(Duration.ofDays(300));
      scene.scheduler.configure(scene.name, POLICY.withPausedUntil(end));
      scene.time.pass(HOUR.multipliedBy(2));
      assertThat(scene.downstream.calls()).isZero();
      assertThat(scene.payments.cancel(scene.payment(0).paymentId()).orElseThrow().state())
          .as("what waits can be cancelled")
          .isEqualTo(PaymentState.CANCELLED);
      scene.scheduler.configure(scene.name, POLICY);
      assertThat(scene.awaitDone("f").paid()).isEqualTo(PAYMENTS - 1);
    }
  }

  @Test
  void closedHoursThatAreSetAfterTheSlotsWereAssignedStopCalls() {
    try (PaymentScene scene = PaymentScene.open(new Settings(PER_SECOND, CEILING, 0, 0))) {
      receiveForLater(scene);
      ZoneOffset evening = zoneWhereItIsEvening(scene.time.instant());
      LocalDate today = LocalDate.ofInstant(scene.time.instant(), evening);
      Map<DayOfWeek, List<OpeningHours.Hours>> always =
          Stream.of(DayOfWeek.values())
              .collect(
                  Collectors.toMap(
                      Function.identity(),
                      day ->
                          List.of(OpeningHours.Hours.of(LocalTime.MIDNIGHT, LocalTime.MIDNIGHT))));
      scene.scheduler.configure(
          scene.name, POLICY.withCalendar(new OpeningHours(evening, always, Set.of(today))));
      scene.time.await(
          "the day after", Duration.ofDays(1), () -> scene.status("f").state() == FeedState.DONE);
      assertThat(scene.status("f").paid()).isEqualTo(PAYMENTS);
      assertThat(scene.payments.find(scene.payment(0).paymentId()).orElseThrow().endedAt())
          .get()
          .matches(ended -> !ended.isBefore(today.plusDays(1).atStartOfDay().toInstant(evening)));
    }
  }

  /** Returns where the day ends in three to four hours. */
  private static ZoneOffset zoneWhereItIsEvening(Instant now) {
    int ahead = 20 - now.atOffset(ZoneOffset.UTC).getHour();
    return ZoneOffset.ofHours(ahead > 12 ? ahead - 24 : ahead);
  }

  /** For a time nothing answers, then everything. */
  private static final class Outage implements Downstream {
    private final FlakyDownstream reachable;
    private final AtomicInteger failed = new AtomicInteger();
    private volatile boolean isOver;

    Outage(FlakyDownstream reachable) {
      this.reachable = reachable;
    }

    @Override
    public Answer pay(Payment payment) {
      if (isOver) {
        return reachable.pay(payment);
      }
      failed.incrementAndGet();
      return new Answer.Retry(Duration.ZERO, "unreachable");
    }

    @Override
    public Duration maxCallTime() {
      return reachable.maxCallTime();
    }

    @Override
    public void close() {}
  }

  @Test
  void paymentsCatchUpAfterAnOutageAtThePaceOfTheirConfiguration() {
    Outage[] outage = new Outage[1];
    try (PaymentScene scene =
        PaymentScene.open(
            new Settings(PER_SECOND, CEILING, 0, 0),
            time -> {
              outage[0] = new Outage(new FlakyDownstream(time, 1, 0));
              return outage[0];
            })) {
      scene.receive("f", scene.feed(30));
      scene.time.await("calls of all", HOUR, () -> outage[0].failed.get() > 30);
      scene.time.pass(Duration.ofSeconds(30));
      outage[0].isOver = true;
      assertThat(scene.awaitDone("f").paid()).isEqualTo(30);
      assertThat(outage[0].reachable.maxInASecond()).isLessThanOrEqualTo(PER_SECOND);
    }
  }

  @Test
  void higherPaceMustBeAskedFor() {
    Function<String, Optional<SlotPolicy>> policies = name -> Optional.of(POLICY);
    CallGate unpaced = ConfiguredGate.unpaced(policies);
    CallGate paced =
        ConfiguredGate.paced(policies, new MemoryLeaseStore(() -> NOW), Duration.ofSeconds(3));
    for (int i = 0; i < 2 * PER_SECOND; i++) {
      assertThat(unpaced.enter(payment(i), NOW, true)).isInstanceOf(CallGate.Open.class);
      assertThat(paced.enter(payment(i), NOW, true) instanceof CallGate.Open)
          .isEqualTo(i < PER_SECOND);
    }
  }

  @Test
  void placeIsGivenBackAfterACallOfAnyLength() {
    AtomicReference<Instant> now = new AtomicReference<>(NOW);
    CallGate gate =
        ConfiguredGate.paced(
            name -> Optional.of(POLICY), new MemoryLeaseStore(now::get), Duration.ofSeconds(3));
    for (int i = 0; i < PER_SECOND; i++) {
      assertThat(gate.enter(payment(i), NOW, false))
          .isInstanceOfSatisfying(
              CallGate.Open.class, open -> open.called(Duration.ofNanos(298_682_951)));
    }
    assertThat(gate.enter(payment(PER_SECOND), NOW, false)).isInstanceOf(CallGate.Closed.class);
    now.set(NOW.plusSeconds(1));
    assertThat(gate.enter(payment(PER_SECOND), now.get(), false)).isInstanceOf(CallGate.Open.class);
  }
}
