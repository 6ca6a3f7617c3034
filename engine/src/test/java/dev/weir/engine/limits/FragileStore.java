package dev.weir.engine.limits;

import dev.weir.core.limits.Limit;
import dev.weir.core.limits.Usage;
import dev.weir.engine.StoreException;
import java.time.Instant;
import java.util.Optional;
import java.util.function.LongSupplier;

/** A store in memory that can be broken, and mended with its counts or without. */
final class FragileStore implements LimitStore<Limit> {
  private final LongSupplier nowMicros;
  private LimitStore<Limit> memory;
  private boolean isBroken;
  private boolean isReadOnly;
  private boolean isOutOfOrder;
  private boolean isRejecting;
  private int calls;

  FragileStore(LongSupplier nowMicros) {
    this.nowMicros = nowMicros;
    this.memory = new MemoryLimitStore(nowMicros, 10_000);
  }

  /** A way to a store that can be cut, while others still reach it. */
  FragileStore(LimitStore<Limit> reached) {
    this.nowMicros = () -> 0;
    this.memory = reached;
  }

  void breakDown() {
    isBroken = true;
  }

  /** Goes on answering what only reads. */
  void refuseWrites() {
    isReadOnly = true;
  }

  void mend() {
    isBroken = false;
    isReadOnly = false;
  }

  void mendWithoutCounts() {
    memory = new MemoryLimitStore(nowMicros, 10_000);
    mend();
  }

  /** Throws something that is no {@link StoreException}. */
  void confuse() {
    isOutOfOrder = true;
  }

  /** Sends nothing and says that the demand is wrong. */
  void reject(boolean isRejecting) {
    this.isRejecting = isRejecting;
  }

  int calls() {
    return calls;
  }

  private LimitStore<Limit> memory() {
    if (isRejecting) {
      throw new IllegalArgumentException("cannot be sent");
    }
    calls++;
    if (isBroken) {
      throw new StoreException(StoreException.Outcome.NONE, "broken");
    }
    if (isOutOfOrder) {
      throw new IllegalStateException("out of order");
    }
    return memory;
  }

  private LimitStore<Limit> writable() {
    LimitStore<Limit> reached = memory();
    if (isReadOnly) {
      throw new StoreException(StoreException.Outcome.NONE, "read only");
    }
    return reached;
  }

  @Override
  public Answer decide(Demand<? extends Limit> demand) {
    return writable().decide(demand);
  }

  @Override
  public void probe(Demand<? extends Limit> demand) {
    writable().probe(demand);
  }

  @Override
  public Answer peek(Demand<? extends Limit> demand) {
    return memory().peek(demand);
  }

  @Override
  public Optional<Answer> recall(Demand<? extends Limit> demand) {
    return memory().recall(demand);
  }

  @Override
  public Refund refund(Demand<? extends Limit> demand, Instant grantedAt) {
    return writable().refund(demand, grantedAt);
  }

  @Override
  public Usage usage(Policy<? extends Limit> policy, String key) {
    return memory().usage(policy, key);
  }

  @Override
  public void forget(Policy<? extends Limit> policy, String key) {
    writable().forget(policy, key);
  }

  @Override
  public void close() {}
}
