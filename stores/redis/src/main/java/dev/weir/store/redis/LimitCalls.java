package dev.weir.store.redis;

import dev.weir.StoreException;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.Decision;
import dev.weir.limits.Delayed;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Outcome;
import dev.weir.limits.Policy;
import dev.weir.limits.RequestBinding;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import dev.weir.limits.Usage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A batch of calls of {@code limits.lua}, and its reply. Numbers are sent as little-endian doubles,
 * as the script's {@code struct} packs them.
 */
final class LimitCalls {
  private static final int LIMIT_BYTES = 1 + 7 * 8;
  private static final int SINGLES_BYTES = 1 + 2 + LIMIT_BYTES;
  private static final int SINGLE_BYTES = 2 + 8;
  private static final int WHOLE_BYTES = 1 + 1 + 2 + 8;
  private static final int LIMIT_REQUEST_BYTES = SINGLE_BYTES + LIMIT_BYTES;
  private static final int BINDING_BYTES = 5 * 8;

  /** Replaces the index of a key or the kind of a limit. */
  private static final int NONE = 0;

  /** Four numbers, and the time until which Redis keeps them with the version. */
  private static final int USAGE_BYTES = 5 * 8;

  private static final int ALLOWED = 1;
  private static final int WAITED_FOR = 2;

  private final Map<LimitCall.Group, List<Sent<LimitCall.Single>>> singles = new LinkedHashMap<>();
  private final List<Sent<LimitCall.Whole>> wholes = new ArrayList<>();
  private final Map<String, Integer> indexes = new HashMap<>();
  private final List<byte[]> keys = new ArrayList<>();
  private final Redis redis;
  private final StoreClock clock;
  private final int slot;
  private final boolean isMarkerReached;
  private @Nullable RedisCall<byte[]> sent;
  private long preparedBefore;

  /** A call and its position in the caller's list. */
  private record Sent<C extends LimitCall>(C call, int number) {}

  /**
   * @param slot the slot of all keys
   */
  LimitCalls(Redis redis, StoreClock clock, int slot) {
    this(redis, clock, slot, redis.markers().key(slot), true);
  }

  private LimitCalls(
      Redis redis, StoreClock clock, int slot, byte[] firstKey, boolean isMarkerReached) {
    this.redis = redis;
    this.clock = clock;
    this.slot = slot;
    this.isMarkerReached = isMarkerReached;
    keys.add(firstKey);
  }

  /**
   * Returns a single call whose slot is being moved: without the marker, if that was seen before.
   */
  static LimitCalls alone(Redis redis, StoreClock clock, LimitCall call) {
    int slot = redis.markers().slot(call.key());
    LimitCalls calls =
        redis.markers().latest(slot).length == 0
            ? new LimitCalls(redis, clock, slot)
            : new LimitCalls(redis, clock, slot, KeyNames.bytes(call.key()), false);
    calls.add(call, 0);
    return calls;
  }

  void add(LimitCall call, int number) {
    switch (call) {
      case LimitCall.Single single ->
          singles
              .computeIfAbsent(single.group(), group -> new ArrayList<>())
              .add(new Sent<>(single, number));
      case LimitCall.Whole whole -> wholes.add(new Sent<>(whole, number));
    }
  }

  void start() {
    byte[] requests = packed();
    preparedBefore = redis.markers().prepared();
    sent =
        redis.run(
            Script.LIMITS,
            keys.toArray(byte[][]::new),
            clock.argument(),
            isMarkerReached
                ? redis.markers().latest(slot)
                : Markers.outOfReach(redis.markers().latest(slot)),
            requests);
  }

  /** Waits for the reply and stores the result of each call at its position. */
  void finish(long deadlineNanos, CallResult[] outcomes) {
    try {
      byte[] answers = redis.await(Objects.requireNonNull(sent), deadlineNanos);
      if (Markers.isUnprepared(answers)) {
        redis.markers().prepare(slot, answers, preparedBefore, clock);
        start();
        answers = redis.await(Objects.requireNonNull(sent));
      }
      Markers.requirePrepared(answers);
      read(answers, outcomes);
    } catch (StoreException e) {
      CallResult failed = new CallResult.Failed(e);
      singles.values().forEach(group -> group.forEach(sent -> outcomes[sent.number()] = failed));
      wholes.forEach(sent -> outcomes[sent.number()] = failed);
    }
  }

  /** Reads a usage as the script stores it. */
  static Usage usage(byte @Nullable [] value) {
    if (value == null || value.length != USAGE_BYTES) {
      return Usage.NONE;
    }
    ByteBuffer buffer = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
    return new Usage(number(buffer), number(buffer), number(buffer), number(buffer));
  }

  // Requests.

  private byte[] packed() {
    ByteBuffer buffer = ByteBuffer.allocate(bytes()).order(ByteOrder.LITTLE_ENDIAN);
    singles.forEach(
        (group, calls) -> {
          buffer.put(group.mode().code).putShort((short) calls.size());
          put(
              buffer,
              group.limit(),
              group.usedSinceMicros(),
              group.changedAtMicros(),
              group.order());
          for (Sent<LimitCall.Single> sent : calls) {
            put(buffer, index(sent.call().key()), sent.call().cost());
          }
        });
    for (Sent<LimitCall.Whole> sent : wholes) {
      LimitCall.Whole call = sent.call();
      List<LimitRequest> limitRequests = call.request().parts();
      buffer.put(call.mode().code).put((byte) limitRequests.size());
      buffer.putShort((short) (call.hasRecord() ? index(call.keys().getLast()) : NONE));
      buffer.putDouble((double) call.micros());
      if (call.hasRecord()) {
        putBinding(buffer, call.request());
      }
      for (int i = 0; i < limitRequests.size(); i++) {
        @Nullable Delayed wait = call.request().delays().get(i);
        if (wait == null) {
          put(buffer, index(call.keys().get(i)), limitRequests.get(i).cost());
          Policy policy = limitRequests.get(i).policy();
          put(
              buffer,
              policy.limit(),
              LimitCall.usedSinceMicros(policy),
              LimitCall.changedAtMicros(policy),
              LimitCall.Order.of(policy));
        } else {
          put(buffer, NONE, wait.position());
          put(buffer, NONE, wait.remaining(), wait.resetMicros(), wait.delayMicros());
          buffer.putDouble(NONE).putDouble(NONE);
          put(buffer, LimitCall.Order.NONE);
        }
      }
    }
    return buffer.array();
  }

  private int bytes() {
    int bytes = 0;
    for (List<Sent<LimitCall.Single>> calls : singles.values()) {
      bytes += SINGLES_BYTES + calls.size() * SINGLE_BYTES;
    }
    for (Sent<LimitCall.Whole> sent : wholes) {
      bytes += WHOLE_BYTES + sent.call().request().parts().size() * LIMIT_REQUEST_BYTES;
      bytes += sent.call().hasRecord() ? BINDING_BYTES : 0;
    }
    return bytes;
  }

  private int index(String key) {
    return indexes.computeIfAbsent(
        key,
        name -> {
          keys.add(KeyNames.bytes(name));
          return keys.size();
        });
  }

  /** The script compares and stores the binding as opaque bytes. */
  private static void putBinding(ByteBuffer buffer, AcquireRequest request) {
    buffer.putLong(request.binding().digest().high()).putLong(request.binding().digest().low());
    buffer.putLong(request.layout());
    buffer.putLong(request.binding().note().getMostSignificantBits());
    buffer.putLong(request.binding().note().getLeastSignificantBits());
  }

  private static void put(ByteBuffer buffer, int index, long cost) {
    buffer.putShort((short) index).putDouble((double) cost);
  }

  private static void put(
      ByteBuffer buffer,
      Limit limit,
      double usedSinceMicros,
      double changedAtMicros,
      LimitCall.Order order) {
    put(buffer, limit);
    buffer.putDouble(usedSinceMicros).putDouble(changedAtMicros);
    put(buffer, order);
  }

  private static void put(ByteBuffer buffer, LimitCall.Order order) {
    buffer.putDouble(order.version()).putDouble(order.createdAtMicros());
  }

  private static void put(ByteBuffer buffer, Limit limit) {
    switch (limit) {
      case FixedWindow fixed -> {
        boolean isAligned = fixed.start() == FixedWindow.Start.EPOCH;
        put(buffer, 1, fixed.limit(), fixed.windowMicros(), isAligned ? 1 : 0);
      }
      case SlidingWindow sliding -> put(buffer, 2, sliding.limit(), sliding.windowMicros(), 0);
      case TokenBucket bucket ->
          put(buffer, 3, bucket.capacity(), bucket.refillTokens(), bucket.refillMicros());
    }
  }

  private static void put(ByteBuffer buffer, int kind, long a, long b, long c) {
    buffer.put((byte) kind);
    buffer.putDouble((double) a).putDouble((double) b).putDouble((double) c);
  }

  // Results.

  private void read(byte[] reply, CallResult[] results) {
    ByteBuffer buffer = ByteBuffer.wrap(reply).order(ByteOrder.LITTLE_ENDIAN);
    long nowMicros = number(buffer);
    redis.markers().saw(slot, Marker.read(buffer));
    singles.forEach(
        (group, calls) -> {
          for (Sent<LimitCall.Single> sent : calls) {
            results[sent.number()] =
                group.mode() == LimitCall.Mode.DECIDE_ONE
                    ? readSingle(buffer, nowMicros)
                    : readTaken(buffer);
          }
        });
    for (Sent<LimitCall.Whole> sent : wholes) {
      results[sent.number()] = readWhole(buffer, nowMicros);
    }
  }

  private static CallResult readTaken(ByteBuffer buffer) {
    return result(buffer.get(), List.of(), 0, 0, RequestBinding.NO_NOTE);
  }

  private static CallResult readSingle(ByteBuffer buffer, long nowMicros) {
    int code = buffer.get();
    List<Outcome> outcomes = List.of(readOutcome(buffer));
    return result(code, outcomes, nowMicros, nowMicros, RequestBinding.NO_NOTE);
  }

  private static CallResult readWhole(ByteBuffer buffer, long nowMicros) {
    int code = buffer.get();
    UUID note =
        code == CallResult.Reply.REPLAYED
            ? new UUID(buffer.getLong(), buffer.getLong())
            : RequestBinding.NO_NOTE;
    int count = Byte.toUnsignedInt(buffer.get());
    long decidedAtMicros = number(buffer);
    List<Outcome> outcomes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      outcomes.add(readOutcome(buffer));
    }
    return result(code, outcomes, decidedAtMicros, nowMicros, note);
  }

  private static CallResult result(
      int code, List<Outcome> outcomes, long decidedAtMicros, long nowMicros, UUID note) {
    return code == CallResult.Reply.UNREADABLE
        ? unreadable()
        : new CallResult.Reply(code, outcomes, decidedAtMicros, nowMicros, note);
  }

  private static Outcome readOutcome(ByteBuffer buffer) {
    int kind = buffer.get();
    long remaining = number(buffer);
    long resetMicros = number(buffer);
    long waitMicros = number(buffer);
    return switch (kind) {
      case ALLOWED -> new Decision.Allowed(remaining, resetMicros);
      case WAITED_FOR ->
          new Delayed(remaining, resetMicros, waitMicros, Math.toIntExact(number(buffer)));
      default -> new Decision.Refused(remaining, resetMicros, waitMicros);
    };
  }

  private static CallResult unreadable() {
    return new CallResult.Failed(
        new StoreException(
            Redis.STORE,
            StoreException.Outcome.NONE,
            "a key of this request holds a value of another kind in Redis"));
  }

  private static long number(ByteBuffer buffer) {
    return (long) buffer.getDouble();
  }
}
