package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.internal.Micros;
import dev.weir.payments.FeedRecord;
import dev.weir.payments.Payment;
import dev.weir.payments.PaymentState;
import dev.weir.payments.PaymentStatus;
import dev.weir.payments.PaymentStore;
import dev.weir.payments.jdbc.JdbcPaymentStore;
import dev.weir.payments.workflows.PaymentActivities.Kind;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotScheduler;
import dev.weir.workflows.SlotSource;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The look-up before a payment is given up, at a ceiling that is full at that time. */
final class LastLookUpTest {
  private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");
  private static final Duration MAX_TIME = Duration.ofHours(1);

  private final HikariDataSource pool = TestDatabase.open(4);
  private final SlotScheduler scheduler = SlotScheduler.inMemory();
  private volatile Instant now = NOON;
  private volatile boolean isFull = true;
  private int lookUps;
  private final PaymentStore store = new JdbcPaymentStore(pool, databaseMicros -> Micros.ceil(now));

  @AfterEach
  void close() {
    scheduler.close();
    pool.close();
  }

  /** A call has begun whose result is unknown, and its time is over. */
  private PaymentExecution overdue() {
    PaymentStore.Reception reception =
        ((PaymentStore.Opening.Opened) store.open("f", "bank")).reception();
    Payment payment =
        new Payment("p", BigDecimal.TEN, "EUR", "from", "to", Optional.empty(), "", "bank");
    store.add(reception, List.of(new FeedRecord.Accepted(2, payment)));
    store.complete(reception, "digest");
    scheduler.configure("bank", SlotPolicy.of(10, Duration.ofSeconds(1)));
    assertThat(store.begin("p")).isPresent();
    assertThat(store.beginCall("p", 0, Duration.ofSeconds(10), MAX_TIME)).isPresent();
    now = NOON.plus(MAX_TIME);
    return new PaymentExecution(
        new PaymentParts(
            store,
            SlotSource.of(scheduler),
            this::enter,
            CallGate.OPEN,
            new Bank(),
            Attempts.within(MAX_TIME),
            "queue",
            () -> now));
  }

  private Ceiling.Admission enter(String paymentId) {
    return isFull ? new Ceiling.Wait(Duration.ofMillis(250)) : new Place();
  }

  private static final class Place implements Ceiling.Permit {
    @Override
    public boolean isValid() {
      return true;
    }

    @Override
    public void answered(boolean isDecided) {}

    @Override
    public void unanswered(CompletableFuture<Boolean> end) {}

    @Override
    public void unused() {}
  }

  private final class Bank implements Downstream {
    @Override
    public Answer pay(Payment payment) {
      throw new AssertionError("called after its time");
    }

    @Override
    public boolean hasLookUp() {
      return true;
    }

    @Override
    public LookUp lookUp(Payment payment) {
      lookUps++;
      return new LookUp.Made("r-7");
    }

    @Override
    public Duration maxCallTime() {
      return Duration.ofSeconds(10);
    }

    @Override
    public void close() {}
  }

  @Test
  void waitsForAPlace() {
    PaymentExecution execution = overdue();
    assertThat(execution.pay("p")).isEqualTo(PaymentActivities.Step.waiting(250));
    isFull = false;
    assertThat(execution.pay("p").kind()).isEqualTo(Kind.ENDED);
    assertThat(lookUps).isEqualTo(1);
    assertThat(store.find("p")).map(PaymentStatus::state).contains(PaymentState.PAID);
  }

  @Test
  void isGivenUpIfThereIsNoPlaceForLong() {
    PaymentExecution execution = overdue();
    now = now.plus(PaymentExecution.MAX_LAST_LOOK_UP);
    assertThat(execution.pay("p").kind()).isEqualTo(Kind.ENDED);
    PaymentStatus payment = store.find("p").orElseThrow();
    assertThat(payment.state()).isEqualTo(PaymentState.FAILED);
    assertThat(payment.reason()).contains("may have been made");
  }
}
