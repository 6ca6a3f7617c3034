package dev.weir.store.surrealdb;

import dev.weir.StoreException;
import dev.weir.internal.Batcher;
import dev.weir.internal.Micros;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.LimitStore;
import dev.weir.limits.Policy;
import dev.weir.limits.Refund;
import dev.weir.limits.TokenBucket;
import dev.weir.limits.Usage;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.stream.Stream;

/**
 * Token buckets in SurrealDB. Each request is one atomic step of a query, by SurrealDB's own clock.
 * Requests that arrive while others are in flight share a call, which is one transaction.
 * Thread-safe.
 *
 * <p>A transaction that conflicts with one of another node is repeated. A call that fails without a
 * reply may have been executed: then its tokens stay taken, so a limit is never exceeded. A request
 * with a request id can be repeated safely.
 *
 * <p>If SurrealDB has lost its data, the first call after that notices it. Policies with {@link
 * dev.weir.limits.OnStoreFailure#CLOSED} or {@code FALLBACK} that were created before then count as
 * fully used at that time.
 */
public final class SurrealDbLimitStore implements LimitStore {
  /** Max plain requests in one transaction: more conflict more often and are no faster. */
  private static final int MAX_PLAIN_BATCH = 128;

  /** Max other requests, which may have many parts: all have to be done within the timeout. */
  private static final int MAX_BATCH = 16;

  /** Max ids of buckets that are read at a time, each time from all buckets. */
  private static final int MAX_IDS = 10_000;

  /**
   * Concurrent transactions of this node; a key always uses the same lane. With 1,000 keys on 2
   * cores, when each bucket was updated by itself, three decided a sixth more than two or four.
   */
  private static final int LANES = 3;

  private final SurrealDb database;
  private final StoreClock clock;
  private final IntConsumer batches;

  /** The lanes of plain requests: not mixed with others, which take longer. */
  private final List<Batcher<LimitStep, LimitCall.Done>> plainLanes;

  private final List<Batcher<LimitStep, LimitCall.Done>> lanes;
  private final Runnable onClose;

  /**
   * Returns a store with its own connection, which {@link #close} closes. It connects on first use,
   * and reconnects after each loss.
   */
  public static SurrealDbLimitStore connect(SurrealDbSettings settings) {
    SurrealDb database = SurrealDb.open(settings);
    return new SurrealDbLimitStore(database, StoreClock.SURREALDB, requests -> {}, database::close);
  }

  /** Returns a store on a connection that stays open when the store is closed. */
  public SurrealDbLimitStore(SurrealDb database) {
    this(database, StoreClock.SURREALDB);
  }

  /**
   * Creates a store that reports the size of its batches.
   *
   * @param batches called with the number of requests in each batch
   */
  public SurrealDbLimitStore(SurrealDb database, IntConsumer batches) {
    this(database, StoreClock.SURREALDB, batches, () -> {});
  }

  SurrealDbLimitStore(SurrealDb database, StoreClock clock) {
    this(database, clock, requests -> {}, () -> {});
  }

  private SurrealDbLimitStore(
      SurrealDb database, StoreClock clock, IntConsumer batches, Runnable onClose) {
    this.database = database;
    this.clock = clock;
    this.batches = batches;
    this.onClose = onClose;
    this.plainLanes = lanes(this::decidePlain, MAX_PLAIN_BATCH);
    this.lanes = lanes(this::work, MAX_BATCH);
  }

  private List<Batcher<LimitStep, LimitCall.Done>> lanes(
      Function<List<LimitStep>, List<LimitCall.Done>> work, int maxBatch) {
    return Stream.generate(
            () ->
                new Batcher<LimitStep, LimitCall.Done>(
                        work, maxBatch, database.settings().maxWaiting())
                    .withMaxWait(database.settings().timeout()))
        .limit(LANES)
        .toList();
  }

  /** Returns token buckets, the only kind of limit that this store counts. */
  @Override
  public Set<Class<? extends Limit>> kinds() {
    return Set.of(TokenBucket.class);
  }

  @Override
  public AcquireResult decide(AcquireRequest request) {
    LimitStep.Decide step = new LimitStep.Decide(request);
    if (step.isPlain() && run(step, plainLanes) instanceof LimitCall.Decided decided) {
      return decided.result();
    }
    if (run(step, lanes) instanceof LimitCall.Decided decided) {
      return decided.result();
    }
    throw RpcClient.failure(StoreException.Outcome.UNKNOWN, "responds without a decision");
  }

  @Override
  public Refund refund(AcquireRequest request, Instant grantedAt) {
    LimitStep step = new LimitStep.GiveBack(request, Micros.clamped(grantedAt));
    return ((LimitCall.GivenBack) run(step, lanes)).refund();
  }

  private static LimitCall.Done run(
      LimitStep step, List<Batcher<LimitStep, LimitCall.Done>> lanes) {
    List<LimitRequest> parts = step.request().parts();
    // Before it shares a call with others, which it would make fail.
    parts.forEach(part -> LimitStep.bucket(part.policy()));
    String name = parts.isEmpty() ? step.request().requestId() : parts.getFirst().key();
    int lane = Math.floorMod(name.hashCode(), lanes.size());
    return lanes.get(lane).submit(List.of(step)).getFirst();
  }

  private List<LimitCall.Done> decidePlain(List<LimitStep> steps) {
    batches.accept(steps.size());
    LimitBatch batch = new LimitBatch(steps);
    PlainGroups groups = batch.plainGroups();
    Value reply = database.run(LimitCall.plainSteps(groups, database.settings(), clock));
    return batch.results(LimitCall.plainResults(groups, reply));
  }

  private List<LimitCall.Done> work(List<LimitStep> steps) {
    batches.accept(steps.size());
    LimitBatch batch = new LimitBatch(steps);
    Value reply = database.run(LimitCall.steps(batch.steps(), database.settings(), clock));
    return batch.results(LimitCall.results(batch.steps(), reply));
  }

  @Override
  public Optional<AcquireResult> recall(AcquireRequest request) {
    Map<String, Object> call = new LinkedHashMap<>(Map.of("id", request.requestId()));
    clock.addTo(call);
    Value reply = read(Query.call(Query.Script.RECALL, database.settings(), call));
    Value known = reply.get("known");
    return known.isPresent()
        ? Optional.of(
            new RememberedRequest(known)
                .resultFor(request, Micros.instant(reply.get("now").number())))
        : Optional.empty();
  }

  @Override
  public AcquireResult peek(AcquireRequest request) {
    return LimitCall.peeked(request, read(LimitCall.usages(request, database.settings(), clock)));
  }

  /** Writes nothing to the bucket, but to the database: one that is full still answers reads. */
  @Override
  public void probe(AcquireRequest request) {
    database.probe();
  }

  @Override
  public Usage usage(Policy policy, String key) {
    AcquireRequest request = AcquireRequest.of(LimitRequest.of(policy, key));
    Value reply = read(LimitCall.usages(request, database.settings(), clock));
    return LimitCall.usage(reply.get("usages").items().getFirst());
  }

  private Value read(Query query) {
    return StoreException.whileReading(() -> database.run(query));
  }

  @Override
  public void forget(Policy policy, String key) {
    database.run(
        Query.call(
            Query.Script.FORGET, database.settings(), Map.of("id", BucketId.of(policy, key))));
  }

  /** Settles the buckets of the policy in portions. A policy of another kind has none. */
  @Override
  public void settle(Policy policy) {
    if (!(policy.limit() instanceof TokenBucket)) {
      return;
    }
    List<Value> ids = ids(policy, BucketId.first(policy));
    while (!ids.isEmpty()) {
      for (int from = 0; from < ids.size(); from += MAX_BATCH) {
        settle(
            ids.subList(from, Math.min(from + MAX_BATCH, ids.size())).stream()
                .<LimitStep>map(id -> LimitStep.Settle.of(policy, BucketId.key(policy, id.text())))
                .toList());
      }
      // From the last one on, which is settled already.
      ids = ids.size() < MAX_IDS ? List.of() : ids(policy, ids.getLast().text());
    }
  }

  private List<Value> ids(Policy policy, String first) {
    return read(Query.call(
            Query.Script.BUCKETS,
            database.settings(),
            Map.of("first", first, "last", BucketId.last(policy), "max", (long) MAX_IDS)))
        .items();
  }

  @Override
  public void settle(Policy policy, String key) {
    LimitStep.bucket(policy);
    settle(List.of(LimitStep.Settle.of(policy, key)));
  }

  private void settle(List<LimitStep> steps) {
    Value reply = database.run(LimitCall.steps(steps, database.settings(), clock));
    LimitCall.results(steps, reply);
  }

  /** Closes the connection if it belongs to this store. */
  @Override
  public void close() {
    onClose.run();
  }
}
