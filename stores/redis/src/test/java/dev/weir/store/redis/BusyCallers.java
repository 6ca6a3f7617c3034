package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.StoreException;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Callers that take from some keys, half of them with request ids, until they are stopped. They
 * count grants and collect the messages of store failures; any other failure ends them.
 */
final class BusyCallers implements AutoCloseable {
  private static final Duration MAX_WAIT = Duration.ofMinutes(4);
  private static final int CALLERS = 8;
  private static final long LIMIT = 1_000_000;

  /** A limit that is never reached: the usage equals what was granted. */
  private static final Policy PLENTY =
      Policy.of("plenty", FixedWindow.of(LIMIT, Duration.ofDays(300)));

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<Future<?>> callers = new ArrayList<>();
  private final AtomicBoolean isOver = new AtomicBoolean();
  private final AtomicLong grants = new AtomicLong();
  private final Map<String, AtomicLong> grantsByKey = new ConcurrentHashMap<>();
  private final Map<String, AtomicLong> failuresByKey = new ConcurrentHashMap<>();
  private final Set<String> failures = ConcurrentHashMap.newKeySet();

  BusyCallers(List<RedisLimitStore> stores, List<String> keys) {
    for (String key : keys) {
      grantsByKey.put(key, new AtomicLong());
      failuresByKey.put(key, new AtomicLong());
    }
    for (int caller = 0; caller < CALLERS; caller++) {
      int number = caller;
      RedisLimitStore store = stores.get(caller % stores.size());
      callers.add(threads.submit(() -> call(number, store, keys)));
    }
  }

  private void call(int caller, RedisLimitStore store, List<String> keys) {
    for (int turn = 0; !isOver.get(); turn++) {
      String key = keys.get((caller + turn) % keys.size());
      AcquireRequest request = AcquireRequest.of(LimitRequest.of(PLENTY, key));
      try {
        boolean isRepeatable = caller % 4 > 1;
        if (store
            .decide(isRepeatable ? request.withRequestId(caller + "-" + turn) : request)
            .isAllowed()) {
          grantsByKey.get(key).incrementAndGet();
          grants.incrementAndGet();
        }
      } catch (StoreException e) {
        failuresByKey.get(key).incrementAndGet();
        failures.add(String.valueOf(e.getMessage()));
      }
    }
  }

  /** Waits until this number of further permits was granted. */
  void goOn(int more) throws InterruptedException, ExecutionException {
    long wanted = grants.get() + more;
    long deadlineNanos = System.nanoTime() + MAX_WAIT.toNanos();
    while (grants.get() < wanted) {
      for (Future<?> caller : callers) {
        if (caller.isDone()) {
          caller.get();
        }
      }
      if (System.nanoTime() > deadlineNanos) {
        throw new AssertionError("nothing is granted any more: " + failures);
      }
      Thread.sleep(1);
    }
  }

  /** Returns the distinct messages of failed calls. */
  Set<String> failures() {
    return failures;
  }

  /**
   * Stops all callers, and compares the grants with the usage. A call that failed may have been
   * executed, once.
   */
  void stopAndCompare(RedisLimitStore store) throws InterruptedException, ExecutionException {
    isOver.set(true);
    for (Future<?> caller : callers) {
      caller.get();
    }
    for (Map.Entry<String, AtomicLong> entry : grantsByKey.entrySet()) {
      String key = entry.getKey();
      long granted = entry.getValue().get();
      long failed = failuresByKey.get(key).get();
      long used = store.usage(PLENTY, key).used();
      assertThat(used).as(key).isBetween(granted, granted + failed);
      assertThat(store.take(PLENTY, key, LIMIT - used + 1)).as(key).isFalse();
      assertThat(store.take(PLENTY, key, LIMIT - used)).as(key).isTrue();
    }
  }

  @Override
  public void close() {
    isOver.set(true);
    threads.close();
  }
}
