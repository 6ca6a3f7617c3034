package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.TaskLog;
import dev.weir.limits.internal.Settlements;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A settlement that the store cannot do is owed until it can. */
final class SettlementsTest {
  private static final Policy BEFORE = Policy.of("p", FixedWindow.of(5, Duration.ofMinutes(10)));
  private static final Policy AFTER = Policy.of("p", FixedWindow.of(5, Duration.ofHours(1)));
  private static final long MINUTE = TimeUnit.MINUTES.toMicros(1);

  private final AtomicLong micros = new AtomicLong(1_780_000_000_000_000L);
  private final FragileStore store = new FragileStore(micros::get);
  private final List<String> warnings = new ArrayList<>();
  private final Settlements settlements =
      new Settlements(
          store,
          Duration.ofSeconds(5),
          new TaskLog(info -> {}, warnings::add, (text, failure) -> warnings.add(text)),
          () -> TimeUnit.MICROSECONDS.toNanos(micros.get()),
          Duration.ofMinutes(5));

  private boolean isFree() {
    return store.peek(AcquireRequest.of(LimitRequest.of(AFTER, "k"))).isAllowed();
  }

  @Test
  void changeDuringAnOutageIsSettledWhenTheStoreIsBack() {
    store.decide(BEFORE, "k", 5);
    store.breakDown();
    settlements.owe(AFTER);
    settlements.settleNow();
    assertThat(warnings).singleElement().asString().contains("as soon as the store is back");
    assertThatThrownBy(settlements::settleOwed).isInstanceOf(StoreException.class);
    assertThat(settlements.size()).isEqualTo(1);

    store.mend();
    micros.addAndGet(9 * MINUTE);
    settlements.settleOwed();
    assertThat(settlements.size()).isZero();
    micros.addAndGet(50 * MINUTE);
    assertThat(isFree()).isFalse();
    micros.addAndGet(MINUTE);
    assertThat(isFree()).isTrue();
  }

  @Test
  void oneKeyIsSettledAgainWhenAllNodesKnowTheChange() {
    settlements.owe("p", "k", () -> Optional.of(AFTER));
    settlements.settleNow();
    assertThat(settlements.size()).isEqualTo(1);
    // A node that does not know the change yet.
    store.decide(BEFORE, "k", 5);
    settlements.settleOwed();
    assertThat(settlements.size()).as("not due yet").isEqualTo(1);
    micros.addAndGet(TimeUnit.SECONDS.toMicros(5));
    settlements.settleOwed();
    assertThat(settlements.size()).isZero();
    micros.addAndGet(59 * MINUTE);
    assertThat(isFree()).isFalse();
  }

  @Test
  void keyIsSettledAgainByWhatAnotherNodeHasDefinedSince() {
    Policy mistake = Policy.of("b", TokenBucket.perSecond(100, BigDecimal.valueOf(1_000)));
    Policy correction = Policy.of("b", TokenBucket.perSecond(100, new BigDecimal("0.01")));
    AtomicReference<Policy> inForce = new AtomicReference<>(mistake);
    settlements.owe("b", "k", () -> Optional.of(inForce.get()));
    settlements.settleNow();
    inForce.set(correction);
    store.settle(correction, "k");
    store.decide(correction, "k", 100);
    micros.addAndGet(TimeUnit.SECONDS.toMicros(5));
    settlements.settleOwed();
    micros.addAndGet(TimeUnit.SECONDS.toMicros(1));
    store.settle(correction, "k");
    assertThat(store.decide(correction, "k", 1).isAllowed()).isFalse();
  }

  @Test
  void changeWhileAKeyIsSettledIsSettledAfterIt() {
    Policy first = Policy.of("b", TokenBucket.perSecond(100, BigDecimal.valueOf(1_000)));
    Policy second = Policy.of("b", TokenBucket.perSecond(100, new BigDecimal("0.01")));
    store.decide(second, "k", 100);
    Iterator<Policy> reads = List.of(first, second, second).iterator();
    settlements.owe("b", "k", () -> Optional.of(reads.next()));
    settlements.settleNow();
    micros.addAndGet(TimeUnit.SECONDS.toMicros(1));
    assertThat(store.decide(second, "k", 1).isAllowed()).isFalse();
  }

  @Test
  void settlementThatAlwaysFailsKeepsNoOtherFromBeingDone() {
    settlements.owe(
        "a",
        "k",
        () -> {
          throw new StoreException(StoreException.Outcome.NONE, "for the test");
        });
    settlements.owe(AFTER);
    assertThatThrownBy(settlements::settleOwed).isInstanceOf(StoreException.class);
    assertThatThrownBy(settlements::settleOwed).isInstanceOf(StoreException.class);
    assertThat(settlements.size()).isEqualTo(1);
  }

  @Test
  void keyOfARemovedPolicyIsNotSettled() {
    settlements.owe("p", "k", Optional::empty);
    settlements.settleNow();
    assertThat(warnings).isEmpty();
  }

  @Test
  void owedSettlementsAreBounded() {
    for (int i = 0; i < 10_001; i++) {
      settlements.owe("p", "k" + i, () -> Optional.of(AFTER));
    }
    assertThat(settlements.size()).isEqualTo(10_000);
    assertThat(warnings).hasSize(1);
  }
}
