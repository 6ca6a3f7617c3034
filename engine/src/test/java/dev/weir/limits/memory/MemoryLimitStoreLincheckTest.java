package dev.weir.limits.memory;

import dev.weir.internal.Micros;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;

/** Concurrent operations are equivalent to some sequential order. */
@Param(name = "key", gen = IntGen.class, conf = "1:2")
@Param(name = "cost", gen = IntGen.class, conf = "1:2")
public class MemoryLimitStoreLincheckTest {
  private static final Policy BUCKET = Policy.of("b", TokenBucket.of(3, Duration.ofSeconds(1)));
  private static final Policy WINDOW = Policy.of("w", FixedWindow.of(3, Duration.ofSeconds(1)));
  private static final Policy SLIDING = Policy.of("s", SlidingWindow.of(3, Duration.ofSeconds(1)));

  // The clock stands still, so that an order explains all results.
  private final MemoryLimitStore store = new MemoryLimitStore(() -> Micros.instant(1_000_000), 64);

  @Operation
  public boolean take(@Param(name = "key") int key, @Param(name = "cost") int cost) {
    return store.take(BUCKET, "k" + key, cost);
  }

  @Operation
  public String decide(@Param(name = "key") int key, @Param(name = "cost") int cost) {
    return store.decide(WINDOW, "k" + key, cost).toString();
  }

  @Operation
  public String takeAll(@Param(name = "key") int key) {
    return store.decide(all(key)).outcomes().toString();
  }

  @Operation
  public boolean repeat(@Param(name = "key") int key) {
    return store.decide(all(key).withRequestId("id" + key)).isReplayed();
  }

  @Operation
  public void refund(@Param(name = "key") int key) {
    store.refund(all(key), Instant.ofEpochSecond(1));
  }

  @Operation
  public void forget(@Param(name = "key") int key) {
    store.forget(BUCKET, "k" + key);
  }

  private static AcquireRequest all(int key) {
    return AcquireRequest.all(
        List.of(
            LimitRequest.of(BUCKET, "k" + key),
            LimitRequest.of(WINDOW, "k" + (3 - key)),
            LimitRequest.of(SLIDING, "k1")));
  }

  @Test
  void isLinearizable() {
    new StressOptions()
        .iterations(5)
        .invocationsPerIteration(100)
        .threads(2)
        .actorsPerThread(4)
        .check(MemoryLimitStoreLincheckTest.class);
  }
}
