package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.Leases;
import dev.weir.store.redis.RedisLeaseStore;
import dev.weir.store.tck.internal.Await;
import dev.weir.store.tck.internal.FreePort;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import redis.embedded.RedisServer;

/** Runs every example, as a reader would. */
final class ExamplesTest {
  /** What an example prints. */
  private static List<String> run(Program example, String... args) throws Exception {
    PrintStream before = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      example.run(args);
    } finally {
      System.setOut(before);
    }
    return printed.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private interface Program {
    void run(String... args) throws Exception;
  }

  @Test
  void limitInMemory() throws Exception {
    List<String> lines = run(LimitInMemory::main);
    assertThat(lines)
        .startsWith(
            "call 1: allowed, 2 left", "call 2: allowed, 1 left", "call 3: allowed, 0 left");
    assertThat(lines.get(3)).startsWith("call 4: refused, retry after PT");
  }

  /** The example waits a second for Redis; on a busy machine it begins anew. */
  @Test
  void limitOnRedis() {
    assertThat(Await.answer(ExamplesTest::runOnNewRedis))
        .containsExactly("one: true", "other: true", "one: true", "other: false");
  }

  private static List<String> runOnNewRedis() throws Exception {
    int port = FreePort.find();
    RedisServer redis =
        RedisServer.newRedisServer().port(port).bind("127.0.0.1").setting("save \"\"").build();
    redis.start();
    try {
      String uri = "redis://127.0.0.1:" + port;
      awaitAnswer(uri);
      return run(LimitOnRedis::main, uri);
    } finally {
      redis.stop();
    }
  }

  /** The first answer, with all classes of the client to load, may be late. */
  private static void awaitAnswer(String uri) {
    try (Leases leases = Leases.on(RedisLeaseStore.connect(uri))) {
      Await.answer(() -> leases.current("none"));
    }
  }

  @Test
  void severalLimits() throws Exception {
    assertThat(run(SeveralLimits::main))
        .containsExactly(
            "anna: allowed", "anna: allowed", "anna: refused", "bert: allowed", "bert: refused");
  }

  @Test
  void concurrencyLease() throws Exception {
    assertThat(run(ConcurrencyLease::main))
        .containsExactly(
            "report a: printing", "report b: the printer is busy", "report c: printing");
  }

  @Test
  void waitingInQueue() throws Exception {
    long start = System.nanoTime();
    assertThat(run(WaitingInQueue::main))
        .containsExactly("mail 1: sent", "mail 2: sent", "mail 3: sent");
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .as("the second and the third have waited")
        .isGreaterThanOrEqualTo(Duration.ofMillis(100));
  }

  @Test
  void slotsInMemory() throws Exception {
    List<String> lines = run(SlotsInMemory::main);
    assertThat(lines).hasSize(4).allMatch(line -> line.matches("pay-\\d: at .*Z"));
    assertThat(lines.get(3)).isEqualTo(lines.get(0));
    assertThat(lines.get(2).substring(7)).isGreaterThan(lines.get(1).substring(7));
  }

  @Test
  void slotsOnPostgresql() throws Exception {
    try (EmbeddedPostgres postgresql =
        EmbeddedPostgres.builder().setPGStartupWait(Duration.ofMinutes(5)).start()) {
      List<String> lines =
          run(SlotsOnPostgresql::main, postgresql.getJdbcUrl("postgres", "postgres"));
      List<String> slots = lines.stream().filter(line -> line.startsWith("pay-1: ")).toList();
      assertThat(slots).hasSize(2);
      assertThat(slots.get(1)).isEqualTo(slots.get(0));
    }
  }

  @Test
  void springService() throws Exception {
    List<String> lines = run(SpringService::main);
    assertThat(lines).containsSubsequence("an order of anna", "an order of anna");
    assertThat(lines).containsOnlyOnce("an order of bert");
    assertThat(lines).filteredOn(line -> line.matches("refused, retry after \\d+ s")).hasSize(1);
  }

  @Test
  void everyExampleIsRun() throws IOException, ReflectiveOperationException {
    List<String> tests =
        Stream.of(ExamplesTest.class.getDeclaredMethods())
            .filter(method -> method.isAnnotationPresent(Test.class))
            .map(Method::getName)
            .toList();
    try (Stream<Path> sources = Files.list(Path.of("src/main/java/dev/weir/examples"))) {
      for (Path source : sources.toList()) {
        String name = source.getFileName().toString().replace(".java", "");
        if (!name.equals("package-info")) {
          Class<?> example = Class.forName("dev.weir.examples." + name);
          int modifiers = example.getMethod("main", String[].class).getModifiers();
          assertThat(Modifier.isStatic(modifiers)).isTrue();
          assertThat(tests).contains(Character.toLowerCase(name.charAt(0)) + name.substring(1));
        }
      }
    }
  }
}
