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
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * Three nodes, a PostgreSQL and a Redis, each in a process of its own, and a payment API, on
 * loopback.
 */
public final class Stage implements AutoCloseable {
  static final int NODES = 3;

  /** What was started, last first. */
  private final Deque<AutoCloseable> started;

  private final Thread end;

  private final Settings settings;
  private final Path data;
  private final Database database;
  private final RedisProcess redis;
  private final PaymentApi paymentApi;
  private final Optional<MessageParts> messages;
  private final List<Node> nodes = new ArrayList<>();

  /**
   * What a stage is made of.
   *
   * @param folder for logs
   * @param jar the program
   * @param replacing classes in place of some of the program's
   * @param otherJar another version of the program, which nodes change to and from
   * @param limitsStore where limits are counted: {@code postgresql} or {@code redis}
   */
  public record Settings(
      Path folder,
      Path jar,
      Optional<Path> replacing,
      Optional<Path> otherJar,
      String limitsStore) {}

  private Stage(
      Settings settings,
      Path data,
      Database database,
      RedisProcess redis,
      PaymentApi paymentApi,
      Optional<MessageParts> messages,
      Deque<AutoCloseable> started,
      Thread end) {
    this.settings = settings;
    this.data = data;
    this.database = database;
    this.redis = redis;
    this.paymentApi = paymentApi;
    this.messages = messages;
    this.started = started;
    this.end = end;
  }

  /**
   * Starts everything, or nothing if something does not start.
   *
   * @param data an empty folder for what the stores keep
   * @param hasMessages whether there are a Kafka and a provider of messages
   */
  public static Stage start(Settings settings, Path data, boolean hasMessages) throws IOException {
    Files.createDirectories(settings.folder());
    Deque<AutoCloseable> started = new ConcurrentLinkedDeque<>();
    Thread end = new Thread(() -> close(started));
    // Ctrl-C leaves no process behind.
    Runtime.getRuntime().addShutdownHook(end);
    boolean isStarted = false;
    try {
      RedisProcess redis = startRedis(settings, data);
      started.push(redis);
      Database database = Database.start(data.resolve("postgresql"));
      started.push(database);
      PaymentApi paymentApi = new PaymentApi();
      started.push(paymentApi);
      Optional<MessageParts> messages = Optional.empty();
      if (hasMessages) {
        messages = Optional.of(MessageParts.start(data.resolve("kafka")));
        started.push(messages.get());
      }
      Stage stage = new Stage(settings, data, database, redis, paymentApi, messages, started, end);
      stage.startNodes();
      isStarted = true;
      return stage;
    } finally {
      if (!isStarted) {
        close(started);
      }
    }
  }

  private static RedisProcess startRedis(Settings settings, Path data) throws IOException {
    return RedisProcess.durable(
        Ports.free(), settings.folder().resolve("redis.log"), data.resolve("redis"));
  }

  private void startNodes() throws IOException {
    List<List<String>> programs = new ArrayList<>();
    // The first node creates the tables as the other version has them.
    if (settings.otherJar().isPresent()) {
      programs.add(Program.command(settings.otherJar().get(), NodeProcess.MEMORY));
    }
    programs.add(
        settings.replacing().isPresent()
            ? Program.command(settings.replacing().get(), settings.jar(), NodeProcess.MEMORY)
            : Program.command(settings.jar(), NodeProcess.MEMORY));
    for (int number = 1; number <= NODES; number++) {
      Node node =
          Node.start(
              new Node.Plan(
                  number, settings.folder(), List.copyOf(programs), settings.limitsStore()),
              this);
      Collections.rotate(programs, 1);
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

  public PaymentApi paymentApi() {
    return paymentApi;
  }

  /** What messages need, if there are messages. */
  public Optional<MessageParts> messages() {
    return messages;
  }

  /** The ways between clients, nodes and all else, as far as they are used. */
  public List<Way> ways() {
    List<Way> ways = new ArrayList<>();
    nodes.forEach(node -> ways.addAll(node.ways(usesRedis())));
    messages.ifPresent(parts -> ways.addAll(parts.ways()));
    return ways;
  }

  /** Starts Redis with nothing of what it had, after it was killed. */
  public void startRedisEmpty() throws IOException {
    Folders.empty(data.resolve("redis"));
    redis.start();
  }

  /** Keeps what Redis has on disk, after it was killed, and starts it. */
  public void startRedisAndKeepItsData() throws IOException {
    Folders.empty(data.resolve("redis-kept"));
    Folders.copy(data.resolve("redis"), data.resolve("redis-kept"));
    redis.start();
  }

  /** Starts Redis with what was kept of its data, after it was killed. */
  public void startRedisWithKeptData() throws IOException {
    Folders.empty(data.resolve("redis"));
    Folders.copy(data.resolve("redis-kept"), data.resolve("redis"));
    redis.start();
  }

  /** Where limits are counted. */
  public String limitsStore() {
    return settings.limitsStore();
  }

  public boolean countsInRedis() {
    return settings.limitsStore().equals("redis");
  }

  /**
   * Returns true if nodes ask the payment API by key; where limits are counted in PostgreSQL they
   * do not.
   */
  public boolean looksUpPayments() {
    return countsInRedis();
  }

  /** Returns true if nodes run two versions of the program. */
  public boolean hasTwoVersions() {
    return settings.otherJar().isPresent();
  }

  /** Returns true if nodes have any use for Redis. */
  public boolean usesRedis() {
    return countsInRedis() || messages.isPresent();
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
