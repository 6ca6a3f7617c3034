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
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Calls that go to {@code limits.lua} together, and what it answers. Numbers travel as doubles,
 * little-endian, as the script's {@code struct} packs them.
 */
final class LimitCalls {
  private static final int HEADER_BYTES = 1 + 1 + 2 + 8;
  private static final int ASK_BYTES = 1 + 2 + 4 * 8;

  /** Four numbers, and until when Redis keeps them. */
  private static final int USAGE_BYTES = 5 * 8;

  private static final int REPLAYED = 2;
  private static final int UNREADABLE = 3;

  private final List<LimitCall> calls = new ArrayList<>();
  private final Map<String, Integer> places = new HashMap<>();
  private final List<byte[]> keys = new ArrayList<>();
  private CompletionStage<byte[]> reply = CompletableFuture.completedFuture(new byte[0]);
  private ByteBuffer answers = ByteBuffer.allocate(0);
  private @Nullable StoreException failure;

  void add(LimitCall call) {
    calls.add(call);
  }

  void start(Redis redis, byte[] now) {
    byte[] demands = packed();
    reply = redis.run(Script.LIMITS, keys.toArray(byte[][]::new), now, demands);
  }

  void finish(Redis redis, long deadlineNanos) {
    try {
      answers = ByteBuffer.wrap(redis.await(reply, deadlineNanos)).order(ByteOrder.LITTLE_ENDIAN);
    } catch (StoreException e) {
      failure = e;
    }
  }

  /** The outcome of each call, in the order in which they were added. */
  Outcome next() {
    if (failure != null) {
      return new Outcome.Failed(failure);
    }
    int outcome = answers.get();
    int decided = answers.get();
    long decidedAtMicros = number(answers);
    if (outcome == UNREADABLE) {
      return new Outcome.Failed(
          new StoreException("a key of this demand holds something else in Redis"));
    }
    List<Decision> decisions = new ArrayList<>(decided);
    for (int i = 0; i < decided; i++) {
      boolean isAllowed = answers.get() == 1;
      long remaining = number(answers);
      long resetMicros = number(answers);
      long waitMicros = number(answers);
      decisions.add(
          isAllowed
              ? new Decision.Allowed(remaining, resetMicros)
              : new Decision.Refused(remaining, resetMicros, waitMicros));
    }
    return new Outcome.Answered(
        new Answer(
            decisions, Micros.instant(decidedAtMicros), Answer.Mode.STORE, outcome == REPLAYED));
  }

  /** A usage as the script keeps it. */
  static Usage usage(byte @Nullable [] value) {
    if (value == null || value.length != USAGE_BYTES) {
      return Usage.NONE;
    }
    ByteBuffer buffer = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
    return new Usage(number(buffer), number(buffer), number(buffer), number(buffer));
  }

  private byte[] packed() {
    int bytes = 0;
    for (LimitCall call : calls) {
      bytes += HEADER_BYTES + call.demand().asks().size() * ASK_BYTES;
    }
    ByteBuffer buffer = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    for (LimitCall call : calls) {
      List<? extends Ask<? extends Limit>> asks = call.demand().asks();
      buffer.put(call.mode().code).put((byte) asks.size());
      buffer.putShort((short) (call.hasRecord() ? place(call.keys().getLast()) : 0));
      buffer.putDouble((double) call.micros());
      for (int i = 0; i < asks.size(); i++) {
        put(buffer, asks.get(i), place(call.keys().get(i)));
      }
    }
    return buffer.array();
  }

  private int place(String key) {
    return places.computeIfAbsent(
        key,
        name -> {
          keys.add(KeyNames.bytes(name));
          return keys.size();
        });
  }

  private static void put(ByteBuffer buffer, Ask<? extends Limit> ask, int place) {
    switch (ask.policy().limit()) {
      case FixedWindow fixed -> {
        boolean isAligned = fixed.start() == FixedWindow.Start.EPOCH;
        put(buffer, 1, place, ask.cost(), fixed.limit(), fixed.windowMicros(), isAligned ? 1 : 0);
      }
      case SlidingWindow sliding ->
          put(buffer, 2, place, ask.cost(), sliding.limit(), sliding.windowMicros(), 0);
      case TokenBucket bucket ->
          put(
              buffer,
              3,
              place,
              ask.cost(),
              bucket.capacity(),
              bucket.refillTokens(),
              bucket.refillMicros());
    }
  }

  private static void put(
      ByteBuffer buffer, int kind, int place, long cost, long a, long b, long c) {
    buffer.put((byte) kind).putShort((short) place);
    buffer.putDouble((double) cost);
    buffer.putDouble((double) a).putDouble((double) b).putDouble((double) c);
  }

  private static long number(ByteBuffer buffer) {
    return (long) buffer.getDouble();
  }
}
