package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.FixedWindow;
import dev.weir.limits.Policy;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Many callers of two processes request the last permit of many keys; one of them gets each. */
final class TwoProcessesTest {
  private static final int KEYS = 50;
  private static final int CALLERS = 16;
  private static final Policy ONE = Policy.of("one", FixedWindow.of(1, Duration.ofHours(1)));

  @Test
  void onePermitHasOneTaker() throws Exception {
    try (RedisServer server = RedisServer.start(RedisProgram.oldest())) {
      Process one = launch(server);
      Process other = launch(server);
      try (BufferedReader fromOne = one.inputReader();
          BufferedReader fromOther = other.inputReader()) {
        assertThat(fromOne.readLine()).isEqualTo("ready");
        assertThat(fromOther.readLine()).isEqualTo("ready");
        one.getOutputStream().close();
        other.getOutputStream().close();
        int grants = Integer.parseInt(fromOne.readLine());
        int otherGrants = Integer.parseInt(fromOther.readLine());
        assertThat(grants + otherGrants).isEqualTo(KEYS);
      } finally {
        one.destroyForcibly();
        other.destroyForcibly();
      }
    }
  }

  private static Process launch(RedisServer server) {
    try {
      return new ProcessBuilder(
              Path.of(System.getProperty("java.home"), "bin", "java").toString(),
              "-XX:TieredStopAtLevel=1",
              "-XX:+UseSerialGC",
              "-cp",
              // Surefire keeps the real class path in this property.
              System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
              Taker.class.getName(),
              server.uri())
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The program of each process: connects, waits for a signal, takes, and prints what it got. */
  static final class Taker {
    private Taker() {}

    public static void main(String[] arguments) throws Exception {
      try (Redis redis = Servers.open(arguments[0]);
          ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
        RedisLimitStore store = new RedisLimitStore(redis);
        store.usage(ONE, "warm");
        System.out.println("ready");
        if (System.in.read() >= 0) {
          throw new IllegalStateException("nothing was expected");
        }
        int grants = 0;
        for (int key = 0; key < KEYS; key++) {
          String name = "k" + key;
          Callable<Boolean> take = () -> store.take(ONE, name, 1);
          List<Future<Boolean>> takers = new ArrayList<>();
          for (int caller = 0; caller < CALLERS; caller++) {
            takers.add(callers.submit(take));
          }
          for (Future<Boolean> taker : takers) {
            grants += taker.get() ? 1 : 0;
          }
        }
        System.out.println(grants);
      }
    }
  }
}
