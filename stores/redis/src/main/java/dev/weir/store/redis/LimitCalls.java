package dev.weir.store.redis;

import dev.weir.core.Micros;
import dev.weir.core.limits.Decision;
import dev.weir.core.limits.FixedWindow;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.SlidingWindow;
import dev.weir.core.limits.TokenBucket;
import dev.weir.core.limits.Usage;
import dev.weir.engine.StoreException;
import dev.weir.engine.limits.Answer;
import dev.weir.engine.limits.Ask;
import dev.weir.engine.limits.Demand;
import dev.weir.engine.limits.Policy;
import dev.weir.engine.limits.Refund;
import dev.weir.engine.limits.RequestBinding;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Calls that go to {@code limits.lua} together, and what it answers. Numbers travel as doubles,
 * little-endian, as the script's {@code struct} packs them.
 */
final class LimitCalls {
  private static final int LIMIT_BYTES = 1 + 4 * 8;
  private static final int SINGLES_BYTES = 1 + 2 + LIMIT_BYTES;
  private static final int SINGLE_BYTES = 2 + 8;
  private static final int WHOLE_BYTES = 1 + 1 + 2 + 8;
  private static final int ASK_BYTES = SINGLE_BYTES + LIMIT_BYTES;
  private static final int BINDING_BYTES = 5 * 8;

  /** In place of the index of a key, and of a kind of limit. */
  private static final int NONE = 0;

  /** Four numbers, and until when Redis keeps them. */
  private static final int USAGE_BYTES = 5 * 8;

  private static final int GRANTED = 1;
  private static final int REPLAYED = 2;
  private static final int UNREADABLE = 3;
  private static final int GIVEN_BACK = 4;
  private static final int REUSED = 5;
  private static final int UNKNOWN = 6;

  private static final int ALLOWED = 1;
  private static final int WAITED_FOR = 2;

  private final Map<LimitCall.Terms, List<Sent<LimitCall.Single>>> singles = new LinkedHashMap<>();
  private final List<Sent<LimitCall.Whole>> wholes = new ArrayList<>();
  private final Map<String, Integer> places = new HashMap<>();
  private final List<byte[]> keys = new ArrayList<>();
  private final Redis redis;
  private final StoreClock clock;
  private final int slot;
  private final boolean isMarkerReached;
  private @Nullable RedisCall<byte[]> sent;
  private long preparedBefore;

  /** A call, and its number among those of the caller. */
  private record Sent<C extends LimitCall>(C call, int number) {}

  /**
   * @param slot in which all keys lie
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

  /** For one call alone whose slot is being moved: without the marker, if it has been seen. */
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
              .computeIfAbsent(single.terms(), terms -> new ArrayList<>())
              .add(new Sent<>(single, number));
      case LimitCall.Whole whole -> wholes.add(new Sent<>(whole, number));
    }
  }

  void start() {
    byte[] demands = packed();
    preparedBefore = redis.markers().prepared();
    sent =
        redis.run(
            Script.LIMITS,
            keys.toArray(byte[][]::new),
            clock.argument(),
            isMarkerReached
                ? redis.markers().latest(slot)
                : Markers.outOfReach(redis.markers().latest(slot)),
            demands);
  }

  /** Waits for the answers and puts each outcome to the number of its call. */
  void finish(long deadlineNanos, Outcome[] outcomes) {
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
      Outcome failed = new Outcome.Failed(e);
      singles.values().forEach(group -> group.forEach(sent -> outcomes[sent.number()] = failed));
      wholes.forEach(sent -> outcomes[sent.number()] = failed);
    }
  }

  /** A usage as the script keeps it. */
  static Usage usage(byte @Nullable [] value) {
    if (value == null || value.length != USAGE_BYTES) {
      return Usage.NONE;
    }
    ByteBuffer buffer = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
    return new Usage(number(buffer), number(buffer), number(buffer), number(buffer));
  }

  // What is sent.

  private byte[] packed() {
    ByteBuffer buffer = ByteBuffer.allocate(bytes()).order(ByteOrder.LITTLE_ENDIAN);
    singles.forEach(
        (terms, group) -> {
          buffer.put(terms.mode().code).putShort((short) group.size());
          put(buffer, terms.limit(), terms.usedSinceMicros());
          for (Sent<LimitCall.Single> sent : group) {
            put(buffer, place(sent.call().key()), sent.call().cost());
          }
        });
    for (Sent<LimitCall.Whole> sent : wholes) {
      LimitCall.Whole call = sent.call();
      List<? extends Ask<? extends Limit>> asks = call.demand().asks();
      buffer.put(call.mode().code).put((byte) asks.size());
      buffer.putShort((short) (call.hasRecord() ? place(call.keys().getLast()) : NONE));
      buffer.putDouble((double) call.micros());
      if (call.hasRecord()) {
        putBinding(buffer, call.demand());
      }
      for (int i = 0; i < asks.size(); i++) {
        Decision.@Nullable Delayed wait = call.demand().waits().get(i);
        if (wait == null) {
          put(buffer, place(call.keys().get(i)), asks.get(i).cost());
          Policy<? extends Limit> policy = asks.get(i).policy();
          put(buffer, policy.limit(), LimitCall.usedSinceMicros(policy));
        } else {
          put(buffer, NONE, wait.position());
          put(buffer, NONE, wait.remaining(), wait.resetMicros(), wait.delayMicros());
          buffer.putDouble(NONE);
        }
      }
    }
    return buffer.array();
  }

  private int bytes() {
    int bytes = 0;
    for (List<Sent<LimitCall.Single>> group : singles.values()) {
      bytes += SINGLES_BYTES + group.size() * SINGLE_BYTES;
    }
    for (Sent<LimitCall.Whole> sent : wholes) {
      bytes += WHOLE_BYTES + sent.call().demand().asks().size() * ASK_BYTES;
      bytes += sent.call().hasRecord() ? BINDING_BYTES : 0;
    }
    return bytes;
  }

  private int place(String key) {
    return places.computeIfAbsent(
        key,
        name -> {
          keys.add(KeyNames.bytes(name));
          return keys.size();
        });
  }

  /** The script compares and keeps it, and reads nothing in it. */
  private static void putBinding(ByteBuffer buffer, Demand<? extends Limit> demand) {
    buffer.putLong(demand.request().digest().high()).putLong(demand.request().digest().low());
    buffer.putLong(demand.layout());
    buffer.putLong(demand.request().note().getMostSignificantBits());
    buffer.putLong(demand.request().note().getLeastSignificantBits());
  }

  private static void put(ByteBuffer buffer, int place, long cost) {
    buffer.putShort((short) place).putDouble((double) cost);
  }

  private static void put(ByteBuffer buffer, Limit limit, double usedSinceMicros) {
    put(buffer, limit);
    buffer.putDouble(usedSinceMicros);
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

  // What is answered.

  private void read(byte[] reply, Outcome[] outcomes) {
    ByteBuffer answers = ByteBuffer.wrap(reply).order(ByteOrder.LITTLE_ENDIAN);
    long nowMicros = number(answers);
    redis.markers().saw(slot, Marker.read(answers));
    singles.forEach(
        (terms, group) -> {
          for (Sent<LimitCall.Single> sent : group) {
            outcomes[sent.number()] =
                terms.mode() == LimitCall.Mode.TAKE ? taken(answers) : decided(answers, nowMicros);
          }
        });
    for (Sent<LimitCall.Whole> sent : wholes) {
      outcomes[sent.number()] = answered(sent.call().mode(), answers, nowMicros);
    }
  }

  private static Outcome taken(ByteBuffer answers) {
    int outcome = answers.get();
    return outcome == UNREADABLE ? unreadable() : new Outcome.Taken(outcome == GRANTED);
  }

  private static Outcome decided(ByteBuffer answers, long nowMicros) {
    int outcome = answers.get();
    List<Decision> decisions = List.of(decision(answers));
    return outcome == UNREADABLE
        ? unreadable()
        : new Outcome.Answered(new Answer(decisions, Micros.instant(nowMicros), Answer.Mode.STORE));
  }

  private static Outcome answered(LimitCall.Mode mode, ByteBuffer answers, long nowMicros) {
    int outcome = answers.get();
    UUID note =
        outcome == REPLAYED
            ? new UUID(answers.getLong(), answers.getLong())
            : RequestBinding.NO_NOTE;
    int decided = answers.get();
    Instant decidedAt = Micros.instant(number(answers));
    List<Decision> decisions = new ArrayList<>(decided);
    for (int i = 0; i < decided; i++) {
      decisions.add(decision(answers));
    }
    Answer answer = new Answer(decisions, decidedAt, Answer.Mode.STORE);
    boolean isRefund = mode == LimitCall.Mode.REFUND;
    return switch (outcome) {
      case UNREADABLE -> unreadable();
      case GIVEN_BACK -> new Outcome.GivenBack(Refund.GIVEN_BACK);
      case UNKNOWN -> isRefund ? new Outcome.GivenBack(Refund.UNKNOWN) : new Outcome.Unknown();
      case REUSED ->
          isRefund
              ? new Outcome.GivenBack(Refund.REUSED)
              : new Outcome.Answered(Answer.reused(decidedAt));
      case REPLAYED -> new Outcome.Answered(answer.replayed(Micros.instant(nowMicros), note));
      default -> new Outcome.Answered(answer);
    };
  }

  private static Decision decision(ByteBuffer answers) {
    int kind = answers.get();
    long remaining = number(answers);
    long resetMicros = number(answers);
    long waitMicros = number(answers);
    return switch (kind) {
      case ALLOWED -> new Decision.Allowed(remaining, resetMicros);
      case WAITED_FOR ->
          new Decision.Delayed(
              remaining, resetMicros, waitMicros, Math.toIntExact(number(answers)));
      default -> new Decision.Refused(remaining, resetMicros, waitMicros);
    };
  }

  private static Outcome unreadable() {
    return new Outcome.Failed(
        new StoreException(
            StoreException.Outcome.NONE, "a key of this demand holds something else in Redis"));
  }

  private static long number(ByteBuffer buffer) {
    return (long) buffer.getDouble();
  }
}
