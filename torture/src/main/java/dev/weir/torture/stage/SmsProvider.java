package dev.weir.torture.stage;

import dev.weir.torture.history.Exchange;
import dev.weir.torture.history.Json;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * A provider of short messages with a webhook. It takes most messages, rejects some for good, and
 * answers some calls late or not at all, whether it has taken the message or not. Some recipients
 * fail or hang until it is repaired, and are easy then: they have many messages, and each waits for
 * the one before it.
 */
public final class SmsProvider implements AutoCloseable {
  static final String PATH = "/messages";
  private static final int REJECTED_PERCENT = 2;
  private static final int TAKEN = 200;
  private static final int REJECTED = 400;
  private static final int BUSY = 503;

  private final Map<String, Long> takenAtNanos = new ConcurrentHashMap<>();
  private final Set<Long> failing = ConcurrentHashMap.newKeySet();
  private final Set<Long> hanging = ConcurrentHashMap.newKeySet();
  private final Set<Long> easy = ConcurrentHashMap.newKeySet();
  private volatile CountDownLatch repaired = new CountDownLatch(1);
  private volatile boolean isRejecting = true;
  private final CalledProgram program;

  SmsProvider() throws IOException {
    this.program = CalledProgram.start(PATH, this::react);
  }

  int port() {
    return program.port();
  }

  /** Returns the calls so far, in the order of their arrival. */
  public List<Exchange> calls() {
    return program.calls();
  }

  /** Returns true if it took the message before a moment of {@link System#nanoTime}. */
  public boolean hasTakenBefore(String messageId, long nanos) {
    @Nullable Long at = takenAtNanos.get(messageId);
    return at != null && at - nanos < 0;
  }

  /** Lets all messages to a recipient fail, so that they are tried again. */
  public void fail(long userId) {
    failing.add(userId);
  }

  /** Lets all messages to a recipient hang. */
  public void hang(long userId) {
    hanging.add(userId);
  }

  /** Ends all failures of recipients, until others are named. */
  public void repair() {
    easy.addAll(failing);
    easy.addAll(hanging);
    failing.clear();
    hanging.clear();
    repaired.countDown();
    repaired = new CountDownLatch(1);
  }

  /** Sets whether some messages are rejected for good. */
  public void reject(boolean isRejectingSome) {
    isRejecting = isRejectingSome;
  }

  private int react(String key, String body, SplittableRandom random) {
    CountDownLatch repair = repaired;
    long userId = Json.read(body).number("userId");
    if (failing.contains(userId)) {
      return BUSY;
    }
    if (hanging.contains(userId)) {
      await(repair);
      return CalledProgram.NO_ANSWER;
    }
    CalledProgram.pause(random, 1, 10);
    if (isRejecting && isRejected(key)) {
      return REJECTED;
    }
    if (easy.contains(userId)) {
      return take(key);
    }
    return switch (random.nextInt(40)) {
      case 0 -> {
        CalledProgram.pause(random, 1_000, 4_000);
        yield take(key);
      }
      case 1 -> {
        take(key);
        yield CalledProgram.NO_ANSWER;
      }
      case 2 -> CalledProgram.NO_ANSWER;
      case 3 -> BUSY;
      default -> take(key);
    };
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Some numbers do not exist, whatever the attempt. */
  private static boolean isRejected(String key) {
    return new SplittableRandom(key.hashCode()).nextInt(100) < REJECTED_PERCENT;
  }

  private int take(String key) {
    takenAtNanos.putIfAbsent(key, System.nanoTime());
    return TAKEN;
  }

  @Override
  public void close() {
    repair();
    program.close();
  }
}
