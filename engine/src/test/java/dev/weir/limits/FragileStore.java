package dev.weir.limits;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.limits.memory.MemoryLimitStore;
import java.time.Instant;
import java.util.Optional;
import java.util.function.LongSupplier;

/** An in-memory store that can fail, and recover with or without its counts. */
final class FragileStore implements LimitStore {
  private final LongSupplier nowMicros;
  private LimitStore memory;
  private boolean isBroken;
  private boolean isReadOnly;
  private boolean isOutOfOrder;
  private boolean isRejecting;
  private boolean isLosingResponses;
  private boolean isHeapFull;
  private int calls;

  FragileStore(LongSupplier nowMicros) {
    this.nowMicros = nowMicros;
    this.memory = new MemoryLimitStore(() -> Micros.instant(nowMicros.getAsLong()), 10_000);
  }

  /** A connection to a store that can be cut while others still reach it. */
  FragileStore(LimitStore reached) {
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

  /** Executes decisions, and loses the responses to them. */
  void loseResponses() {
    isLosingResponses = true;
  }

  void mend() {
    isBroken = false;
    isLosingResponses = false;
    isHeapFull = false;
    isReadOnly = false;
  }

  void mendWithoutCounts() {
    memory = new MemoryLimitStore(() -> Micros.instant(nowMicros.getAsLong()), 10_000);
    mend();
  }

  /** Throws an exception that is not a {@link StoreException}. */
  void confuse() {
    isOutOfOrder = true;
  }

  /** Throws an error of this process. */
  void fillHeap() {
    isHeapFull = true;
  }

  /** Sends nothing and rejects the request as invalid. */
  void reject(boolean isRejecting) {
    this.isRejecting = isRejecting;
  }

  int calls() {
    return calls;
  }

  private LimitStore memory() {
    if (isRejecting) {
      throw new IllegalArgumentException("cannot be sent");
    }
    calls++;
    if (isBroken) {
      throw new StoreException(StoreException.Outcome.NONE, "broken");
    }
    if (isHeapFull) {
      throw new OutOfMemoryError("Java heap space");
    }
    if (isOutOfOrder) {
      throw new IllegalStateException("out of order");
    }
    return memory;
  }

  private LimitStore writable() {
    LimitStore reached = memory();
    if (isReadOnly) {
      throw new StoreException(StoreException.Outcome.NONE, "read only");
    }
    return reached;
  }

  @Override
  public AcquireResult decide(AcquireRequest request) {
    AcquireResult result = writable().decide(request);
    if (isLosingResponses) {
      throw new StoreException(StoreException.Outcome.UNKNOWN, "lost");
    }
    return result;
  }

  @Override
  public void probe(AcquireRequest request) {
    writable().probe(request);
  }

  @Override
  public AcquireResult peek(AcquireRequest request) {
    return memory().peek(request);
  }

  @Override
  public Optional<AcquireResult> recall(AcquireRequest request) {
    return memory().recall(request);
  }

  @Override
  public Refund refund(AcquireRequest request, Instant grantedAt) {
    return writable().refund(request, grantedAt);
  }

  @Override
  public Usage usage(Policy policy, String key) {
    return memory().usage(policy, key);
  }

  @Override
  public void forget(Policy policy, String key) {
    writable().forget(policy, key);
  }

  @Override
  public void settle(Policy policy) {
    writable().settle(policy);
  }

  @Override
  public void settle(Policy policy, String key) {
    writable().settle(policy, key);
  }

  @Override
  public void close() {}
}
