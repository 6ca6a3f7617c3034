package dev.weir.spring;

import dev.weir.core.limits.Limit;
import dev.weir.core.limits.Usage;
import dev.weir.engine.limits.Answer;
import dev.weir.engine.limits.Demand;
import dev.weir.engine.limits.LimitStore;
import dev.weir.engine.limits.MemoryLimitStore;
import dev.weir.engine.limits.Policy;
import dev.weir.engine.limits.Refund;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** Somebody's own store, of which nobody knows that it is in memory. Counts what it is asked. */
final class StoreElsewhere implements LimitStore<Limit> {
  private final MemoryLimitStore memory = new MemoryLimitStore();
  private final AtomicInteger questions = new AtomicInteger();

  int questions() {
    return questions.get();
  }

  @Override
  public Answer decide(Demand<? extends Limit> demand) {
    questions.incrementAndGet();
    return memory.decide(demand);
  }

  @Override
  public Answer peek(Demand<? extends Limit> demand) {
    return memory.peek(demand);
  }

  @Override
  public Optional<Answer> recall(Demand<? extends Limit> demand) {
    return memory.recall(demand);
  }

  @Override
  public Refund refund(Demand<? extends Limit> demand, Instant grantedAt) {
    return memory.refund(demand, grantedAt);
  }

  @Override
  public Usage usage(Policy<? extends Limit> policy, String key) {
    return memory.usage(policy, key);
  }

  @Override
  public void forget(Policy<? extends Limit> policy, String key) {
    memory.forget(policy, key);
  }

  @Override
  public void close() {
    memory.close();
  }
}
