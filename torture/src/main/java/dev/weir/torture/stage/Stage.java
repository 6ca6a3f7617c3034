package dev.weir.torture.stage;

import dev.weir.server.faults.Database;
import dev.weir.server.faults.NodeProcess;
import dev.weir.server.faults.Ports;
import dev.weir.server.faults.Program;
import dev.weir.server.faults.RedisProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;

/** Three nodes, a PostgreSQL and a Redis, each in a process of its own, on loopback. */
public final class Stage implements AutoCloseable {
  static final int NODES = 3;

  /** What was started, last first. */
  private final Deque<AutoCloseable> started;

  private final Thread end;

  private final Settings settings;
  private final Database database;
  private final RedisProcess redis;
  private final List<Node> nodes = new ArrayList<>();

  /**
   * What a stage is made of.
   *
   * @param folder for logs
   * @param data for what the stores keep
   * @param jar the program
   * @param replacing classes in place of some of the program's
   * @param limitsStore where limits are counted: {@code postgresql} or {@code redis}
   */
  public record Settings(
      Path folder, Path data, Path jar, Optional<Path> replacing, String limitsStore) {}

  private Stage(
      Settings settings,
      Database database,
      RedisProcess redis,
      Deque<AutoCloseable> started,
      Thread end) {
    this.settings = settings;
    this.database = database;
    this.redis = redis;
    this.started = started;
    this.end = end;
  }

  /** Starts everything, or nothing if something does not start. */
  public static Stage start(Settings settings) throws IOException {
    Files.createDirectories(settings.folder());
    Deque<AutoCloseable> started = new ConcurrentLinkedDeque<>();
    Thread end = new Thread(() -> close(started));
    // Ctrl-C leaves no process behind.
    Runtime.getRuntime().addShutdownHook(end);
    boolean isStarted = false;
    try {
      RedisProcess redis = startRedis(settings);
      started.push(redis);
      Database database = Database.start(settings.data().resolve("postgresql"));
      started.push(database);
      Stage stage = new Stage(settings, database, redis, started, end);
      stage.startNodes();
      isStarted = true;
      return stage;
    } finally {
      if (!isStarted) {
        close(started);
      }
    }
  }

  private static RedisProcess startRedis(Settings settings) throws IOException {
    return RedisProcess.durable(
        Ports.free(), settings.folder().resolve("redis.log"), settings.data().resolve("redis"));
  }

  private void startNodes() throws IOException {
    List<String> program =
        settings.replacing().isPresent()
            ? Program.command(settings.replacing().get(), settings.jar(), NodeProcess.MEMORY)
            : Program.command(settings.jar(), NodeProcess.MEMORY);
    for (int number = 1; number <= NODES; number++) {
      Node node =
          Node.start(
              new Node.Plan(number, settings.folder(), program, settings.limitsStore()), this);
      nodes.add(node);
      started.push(node);
      // The first creates the tables, which the others would wait for.
      if (number == 1) {
        node.awaitReady();
      }
    }
    nodes.forEach(Node::awaitReady);
  }

  public List<Node> nodes() {
    return List.copyOf(nodes);
  }

  public Database database() {
    return database;
  }

  public RedisProcess redis() {
    return redis;
  }

  /** Starts Redis with nothing of what it had, after it was killed. */
  public void startRedisEmpty() throws IOException {
    Path folder = settings.data().resolve("redis");
    try (var files = Files.walk(folder)) {
      for (Path each : files.filter(Files::isRegularFile).toList()) {
        Files.delete(each);
      }
    }
    redis.start();
  }

  /** Where limits are counted. */
  public String limitsStore() {
    return settings.limitsStore();
  }

  public boolean countsInRedis() {
    return settings.limitsStore().equals("redis");
  }

  @Override
  public void close() {
    close(started);
    Runtime.getRuntime().removeShutdownHook(end);
  }

  private static void close(Deque<AutoCloseable> started) {
    for (AutoCloseable next = started.poll(); next != null; next = started.poll()) {
      try {
        next.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
