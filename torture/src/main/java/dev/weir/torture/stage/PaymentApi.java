package dev.weir.torture.stage;

import dev.weir.torture.history.Exchange;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A payment API that honours idempotency keys, never forgets one, and is otherwise unreliable: it
 * answers late, not at all, or with statuses that say nothing, and books before or after. It can be
 * asked by key.
 */
public final class PaymentApi implements AutoCloseable {
  private static final String PATH = "/payments";

  /** Where it is asked by key. */
  static final String LOOK_UP = PATH + "/{key}";

  /** Payments of closed accounts. */
  private static final int REFUSED_PERCENT = 3;

  /** Payments about which nothing is ever said, until Weir gives up. */
  private static final int STUCK_PERCENT = 3;

  private static final int BOOKED = 201;
  private static final int FOUND = 200;
  private static final int UNKNOWN = 404;
  private static final int IN_PROGRESS = 409;
  private static final int REFUSED = 422;
  private static final int BAD_GATEWAY = 502;
  private static final int UNAVAILABLE = 503;

  private final Set<String> booked = ConcurrentHashMap.newKeySet();
  private final CalledProgram program;

  PaymentApi() throws IOException {
    this.program =
        CalledProgram.start(
            PATH,
            new CalledProgram.Behaviour() {
              @Override
              public int react(String key, String body, SplittableRandom random) {
                return PaymentApi.this.react(key, random);
              }

              @Override
              public int lookUp(String key) {
                return booked.contains(key) ? FOUND : UNKNOWN;
              }
            });
  }

  int port() {
    return program.port();
  }

  /** Returns the calls so far, in the order of their arrival. */
  public List<Exchange> calls() {
    return program.calls();
  }

  /** Returns the questions by key so far. */
  public List<Exchange> lookUps() {
    return program.lookUps();
  }

  /** Returns true if the payment is made. */
  public boolean isBooked(String paymentId) {
    return booked.contains(paymentId);
  }

  private int react(String key, SplittableRandom random) {
    CalledProgram.pause(random, 1, 30);
    int fate = new SplittableRandom(key.hashCode()).nextInt(100);
    if (fate < REFUSED_PERCENT) {
      return REFUSED;
    }
    if (fate < REFUSED_PERCENT + STUCK_PERCENT) {
      // Some are made all the same.
      if (random.nextInt(4) == 0) {
        book(key);
      }
      return random.nextBoolean() ? IN_PROGRESS : UNAVAILABLE;
    }
    return switch (random.nextInt(35)) {
      case 0 -> {
        CalledProgram.pause(random, 1_000, 4_000);
        yield book(key);
      }
      case 1 -> {
        book(key);
        CalledProgram.pause(random, 1_000, 4_000);
        yield CalledProgram.NO_ANSWER;
      }
      case 2 -> {
        book(key);
        yield CalledProgram.NO_ANSWER;
      }
      case 3 -> CalledProgram.NO_ANSWER;
      case 4 -> IN_PROGRESS;
      case 5 -> {
        book(key);
        yield BAD_GATEWAY;
      }
      case 6 -> UNAVAILABLE;
      default -> book(key);
    };
  }

  private int book(String key) {
    return booked.add(key) ? BOOKED : FOUND;
  }

  @Override
  public void close() {
    program.close();
  }
}
