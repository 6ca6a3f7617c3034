package dev.weir.torture.stage;

import dev.weir.torture.history.Exchange;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A provider of short messages with a webhook. It takes most messages, rejects some for good, and
 * answers some calls late or not at all, whether it has taken the message or not.
 */
public final class SmsProvider implements AutoCloseable {
  static final String PATH = "/messages";
  private static final int REJECTED_PERCENT = 2;
  private static final int TAKEN = 200;
  private static final int REJECTED = 400;
  private static final int BUSY = 503;

  private final Set<String> taken = ConcurrentHashMap.newKeySet();
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

  /** Returns true if the provider sends the message. */
  public boolean hasTaken(String messageId) {
    return taken.contains(messageId);
  }

  private int react(String key, SplittableRandom random) {
    CalledProgram.pause(random, 1, 10);
    if (isRejected(key)) {
      return REJECTED;
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

  /** Some numbers do not exist, whatever the attempt. */
  private static boolean isRejected(String key) {
    return new SplittableRandom(key.hashCode()).nextInt(100) < REJECTED_PERCENT;
  }

  private int take(String key) {
    taken.add(key);
    return TAKEN;
  }

  @Override
  public void close() {
    program.close();
  }
}
