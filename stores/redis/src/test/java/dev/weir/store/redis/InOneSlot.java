package dev.weir.store.redis;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.LimitStore;
import dev.weir.limits.Policy;
import dev.weir.limits.Refund;
import dev.weir.limits.Usage;
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
  private static final int MAX_LENGTH = 255;

  @Override
  public boolean take(Policy policy, String key, long cost) {
    return store.take(policy, tagged(key), cost);
  }

  @Override
  public AcquireResult decide(AcquireRequest request) {
    return store.decide(tagged(request));
  }

  @Override
  public AcquireResult peek(AcquireRequest request) {
    return store.peek(tagged(request));
  }

  @Override
  public void probe(AcquireRequest request) {
    store.probe(tagged(request));
  }

  @Override
  public Optional<AcquireResult> recall(AcquireRequest request) {
    return store.recall(tagged(request));
  }

  @Override
  public Refund refund(AcquireRequest request, Instant grantedAt) {
    return store.refund(tagged(request), grantedAt);
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
  public void settle(Policy policy) {
    store.settle(policy);
  }

  @Override
  public void settle(Policy policy, String key) {
    store.settle(policy, tagged(key));
  }

  @Override
  public void close() {
    store.close();
  }

  private AcquireRequest tagged(AcquireRequest request) {
    List<LimitRequest> parts = new ArrayList<>();
    for (LimitRequest part : request.parts()) {
      parts.add(tagged(part));
    }
    return new AcquireRequest(parts, request.delays(), request.binding());
  }

  private LimitRequest tagged(LimitRequest part) {
    return new LimitRequest(part.policy(), tagged(part.key()), part.cost());
  }

  /** Cuts the beginning of keys that are too long, because they differ at the end. */
  private String tagged(String key) {
    int room = MAX_LENGTH - tag.length();
    return tag + key.substring(Math.max(0, key.length() - room));
  }
}
