package dev.weir.spring;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.LimitStore;
import dev.weir.limits.Policy;
import dev.weir.limits.Refund;
import dev.weir.limits.Usage;
import dev.weir.limits.memory.MemoryLimitStore;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** A custom store that is not recognized as one in memory. Counts its calls. */
final class CustomStore implements LimitStore {
  private final MemoryLimitStore memory = new MemoryLimitStore();
  private final AtomicInteger calls = new AtomicInteger();

  int calls() {
    return calls.get();
  }

  @Override
  public AcquireResult decide(AcquireRequest request) {
    calls.incrementAndGet();
    return memory.decide(request);
  }

  @Override
  public AcquireResult peek(AcquireRequest request) {
    return memory.peek(request);
  }

  @Override
  public Optional<AcquireResult> recall(AcquireRequest request) {
    return memory.recall(request);
  }

  @Override
  public Refund refund(AcquireRequest request, Instant grantedAt) {
    return memory.refund(request, grantedAt);
  }

  @Override
  public Usage usage(Policy policy, String key) {
    return memory.usage(policy, key);
  }

  @Override
  public void forget(Policy policy, String key) {
    memory.forget(policy, key);
  }

  @Override
  public void settle(Policy policy) {
    memory.settle(policy);
  }

  @Override
  public void settle(Policy policy, String key) {
    memory.settle(policy, key);
  }

  @Override
  public void close() {
    memory.close();
  }
}
