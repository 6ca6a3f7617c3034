package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.limits.LeaseStore;
import dev.weir.limits.memory.MemoryLeaseStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A store that executes what its caller has given up. */
final class LatePlacesTest {
  private static final LeaseCeiling.Times TIMES =
      new LeaseCeiling.Times(Duration.ofSeconds(2), Duration.ofSeconds(3), Duration.ofMinutes(15));

  private long nowMicros = 1_000_000_000_000L;
  private final MemoryLeaseStore store = new MemoryLeaseStore(() -> Micros.instant(nowMicros));
  private final List<Runnable> late = new ArrayList<>();
  private boolean isSlow;
  private int releases;

  private Object call(Method method, Object[] arguments) throws Throwable {
    if (method.getName().equals("release")) {
      releases++;
    }
    try {
      return method.invoke(store, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /** Returns a ceiling on a store that executes acquisitions late while it is slow. */
  private LeaseCeiling ceiling(int max) {
    LeaseStore slow =
        (LeaseStore)
            Proxy.newProxyInstance(
                LeaseStore.class.getClassLoader(),
                new Class<?>[] {LeaseStore.class},
                (proxy, method, arguments) -> {
                  if (!isSlow || !method.getName().equals("acquire")) {
                    return call(method, arguments);
                  }
                  late.add(() -> assertThat(tried(method, arguments)).isNotNull());
                  throw new StoreException(StoreException.Outcome.UNKNOWN, "no answer");
                });
    return new LeaseCeiling(slow, "bank", max, TIMES, () -> nowMicros * 1_000);
  }

  private Object tried(Method method, Object[] arguments) {
    try {
      return call(method, arguments);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  private void giveUp(LeaseCeiling ceiling) {
    isSlow = true;
    assertThatThrownBy(() -> ceiling.enter("a")).isInstanceOf(StoreException.class);
    isSlow = false;
  }

  private static void enterAndLeave(LeaseCeiling ceiling) {
    Ceiling.Admission admission = ceiling.enter("b");
    assertThat(admission).isInstanceOf(Ceiling.Permit.class);
    ((Ceiling.Permit) admission).unused();
  }

  @Test
  void placeThatIsTakenAfterItsReleaseIsReleasedAgain() {
    LeaseCeiling ceiling = ceiling(1);
    giveUp(ceiling);
    enterAndLeave(ceiling);
    nowMicros += 40_000_000;
    late.forEach(Runnable::run);
    assertThat(store.current("bank")).isEqualTo(1);
    enterAndLeave(ceiling);
    assertThat(store.current("bank")).isZero();
  }

  @Test
  void placeThatIsTakenBetweenTwoRepetitionsIsFreeSoon() {
    LeaseCeiling ceiling = ceiling(1);
    giveUp(ceiling);
    enterAndLeave(ceiling);
    nowMicros += 1_000_000;
    late.forEach(Runnable::run);
    assertThat(ceiling.enter("b")).isInstanceOf(Ceiling.Wait.class);
    nowMicros += 4_000_000;
    enterAndLeave(ceiling);
  }

  @Test
  void placeIsReleasedOnceMoreAfterALongSilence() {
    LeaseCeiling ceiling = ceiling(1);
    giveUp(ceiling);
    enterAndLeave(ceiling);
    late.forEach(Runnable::run);
    nowMicros += 300_000_000;
    enterAndLeave(ceiling);
  }

  @Test
  void repetitionsEndWhenTheStatementHasEnded() {
    LeaseCeiling ceiling = ceiling(1);
    giveUp(ceiling);
    enterAndLeave(ceiling);
    for (int second = 0; second < 200; second++) {
      nowMicros += 1_000_000;
      enterAndLeave(ceiling);
    }
    // One for each that entered, the first, and one every 5 s of two minutes.
    assertThat(releases).isEqualTo(201 + 1 + 24);
  }

  @Test
  void repetitionsAreBounded() {
    LeaseCeiling ceiling = ceiling(2);
    int givenUp = LatePlaces.MAX + 100;
    for (int i = 0; i < givenUp; i++) {
      giveUp(ceiling);
    }
    enterAndLeave(ceiling);
    assertThat(releases).as("each is released once").isEqualTo(givenUp + 1);
    releases = 0;
    nowMicros += 5_000_000;
    enterAndLeave(ceiling);
    assertThat(releases).isEqualTo(LatePlaces.MAX + 1);
  }
}
