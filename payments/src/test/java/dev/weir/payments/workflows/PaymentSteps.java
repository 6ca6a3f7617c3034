package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.internal.Micros;
import dev.weir.payments.FeedRecord;
import dev.weir.payments.Payment;
import dev.weir.payments.PaymentStatus;
import dev.weir.payments.PaymentStore;
import dev.weir.payments.jdbc.JdbcPaymentStore;
import dev.weir.slots.SlotRequest;
import dev.weir.workflows.SlotSource;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One payment in a real database, whose steps a test takes one by one: the test says what the
 * ceiling, the gate and the downstream answer, and owns the clock.
 */
final class PaymentSteps implements AutoCloseable {
  static final Duration MAX_TIME = Duration.ofHours(1);
  static final Duration MAX_CALL = Duration.ofSeconds(10);
  static final String ID = "p";

  final PaymentStore store;
  final PaymentExecution execution;

  /** What the downstream answers, in this order. */
  final Deque<Downstream.Answer> answers = new ArrayDeque<>();

  final Deque<Downstream.LookUp> lookUps = new ArrayDeque<>();

  /** What became of places under the ceiling and at the gate, and what was sent. */
  final List<String> events = new ArrayList<>();

  Instant now = Instant.parse("2026-06-01T12:00:00Z");
  long nanos;
  boolean hasLookUp = true;

  /** What happens when the ceiling is asked. */
  Runnable onCeiling = () -> {};

  /** What happens when a place under the ceiling is asked whether it is valid. */
  Runnable onValidity = () -> {};

  /** What happens while the downstream is called. */
  Runnable onCall = () -> {};

  /** What happens when the time is asked for right before the call. */
  Runnable onClock = () -> {};

  private final HikariDataSource pool = TestDatabase.open(4);

  PaymentSteps() {
    store = new JdbcPaymentStore(pool, databaseMicros -> Micros.ceil(now));
    PaymentStore.Reception reception =
        ((PaymentStore.Opening.Opened) store.open("f", "bank")).reception();
    Payment payment =
        new Payment(ID, BigDecimal.TEN, "EUR", "from", "to", Optional.empty(), "", "bank");
    store.add(reception, List.of(new FeedRecord.Accepted(2, payment)));
    store.complete(reception, "digest");
    execution =
        new PaymentExecution(
            new PaymentParts(
                store,
                new Slots(),
                paymentId -> {
                  onCeiling.run();
                  return new Place();
                },
                (called, at, isLate) -> new Entry(),
                new Bank(),
                Attempts.within(MAX_TIME),
                "queue",
                () -> {
                  onClock.run();
                  return now;
                }),
            () -> nanos);
  }

  PaymentStatus payment() {
    return store.find(ID).orElseThrow();
  }

  /** Begins a call whose result stays unknown, and lets its time pass. */
  void callIsLost() {
    assertThat(store.begin(ID)).isPresent();
    assertThat(store.beginCall(ID, 0, MAX_CALL, MAX_TIME)).isPresent();
    now = now.plus(MAX_CALL);
  }

  /** Every slot is now. */
  private final class Slots implements SlotSource {
    @Override
    public List<PacedSlot> assign(List<SlotRequest> requests) {
      throw new AssertionError("the payment has a slot");
    }

    @Override
    public Optional<Instant> confirm(String eventId) {
      return Optional.of(now);
    }

    @Override
    public void cancel(String eventId) {}
  }

  private final class Entry implements CallGate.Open {
    @Override
    public void called(Duration ago) {
      events.add("gate: called");
    }

    @Override
    public void notCalled() {
      events.add("gate: not called");
    }
  }

  private final class Place implements Ceiling.Permit {
    @Override
    public boolean isValid() {
      onValidity.run();
      return true;
    }

    @Override
    public void answered(boolean isDecided) {
      events.add("place: answered");
    }

    @Override
    public void unanswered(CompletableFuture<Boolean> end) {
      events.add(end.isDone() ? "place: may arrive" : "place: unanswered");
    }

    @Override
    public void unused() {
      events.add("place: unused");
    }
  }

  private final class Bank implements Downstream {
    @Override
    public Answer pay(Payment payment) {
      events.add("call");
      onCall.run();
      return answers.remove();
    }

    @Override
    public boolean hasLookUp() {
      return hasLookUp;
    }

    @Override
    public LookUp lookUp(Payment payment) {
      events.add("look-up");
      return lookUps.remove();
    }

    @Override
    public Duration maxCallTime() {
      return MAX_CALL;
    }

    @Override
    public void close() {}
  }

  @Override
  public void close() {
    pool.close();
  }
}
