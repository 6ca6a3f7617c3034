package dev.weir.store.redis;

import dev.weir.core.limits.Usage;
import dev.weir.engine.limits.AcquireRequest;
import dev.weir.engine.limits.AcquireResult;
import dev.weir.engine.limits.LimitRequest;
import dev.weir.engine.limits.LimitStore;
import dev.weir.engine.limits.Policy;
import dev.weir.engine.limits.Refund;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Gives all keys of a limit store the same hash tag.
 *
 * @param tag with its braces
 */
record InOneSlot(LimitStore store, String tag) implements LimitStore {
  private static final int LONGEST = 255;

  @Override
  public boolean take(Policy policy, String key, long cost) {
    return store.take(policy, tagged(key), cost);
  }

  @Override
  public AcquireResult decide(AcquireRequest demand) {
    return store.decide(tagged(demand));
  }

  @Override
  public AcquireResult peek(AcquireRequest demand) {
    return store.peek(tagged(demand));
  }

  @Override
  public Optional<AcquireResult> recall(AcquireRequest demand) {
    return store.recall(tagged(demand));
  }

  @Override
  public Refund refund(AcquireRequest demand, Instant grantedAt) {
    return store.refund(tagged(demand), grantedAt);
  }

  @Override
  public Usage usage(Policy policy, String key) {
    return store.usage(policy, tagged(key));
  }

  @Override
  public void forget(Policy policy, String key) {
    store.forget(policy, tagged(key));
  }

  @Override
  public void close() {
    store.close();
  }

  private AcquireRequest tagged(AcquireRequest demand) {
    List<LimitRequest> asks = new ArrayList<>();
    for (LimitRequest ask : demand.asks()) {
      asks.add(tagged(ask));
    }
    return new AcquireRequest(asks, demand.waits(), demand.request());
  }

  private LimitRequest tagged(LimitRequest ask) {
    return new LimitRequest(ask.policy(), tagged(ask.key()), ask.cost());
  }

  /** Cuts the beginning of keys that are too long, because they differ at the end. */
  private String tagged(String key) {
    int room = LONGEST - tag.length();
    return tag + key.substring(Math.max(0, key.length() - room));
  }
}
