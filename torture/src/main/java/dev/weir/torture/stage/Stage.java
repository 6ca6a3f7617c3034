package dev.weir.torture.stage;

import dev.weir.server.faults.Database;
import dev.weir.server.faults.NodeProcess;
import dev.weir.server.faults.Ports;
import dev.weir.server.faults.Program;
import dev.weir.server.faults.RedisProcess;
import dev.weir.server.faults.Stopped;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * Three nodes, a PostgreSQL and a Redis, each in a process of its own, and a payment API, on
 * loopback.
 */
public final class Stage implements AutoCloseable {
  static final int NODES = 3;

  /** Where limits may be counted. */
  public static final List<String> STORES =
      List.of(
          "postgresql",
          "redis",
          "redis-sentinel",
          "redis-cluster",
          "postgresql-standby",
          "postgresql-restored",
          "postgresql-full");

  /** What was started, last first. */
  private final Deque<AutoCloseable> started;

  private final Thread end;

  private final Settings settings;
  private final Path data;
  private final Databases databases;
  private final Optional<RedisProcess> redis;
  private final Optional<RedisGroup> redisGroup;
  private final PaymentApi paymentApi;
  private final Upstream upstream;
  private final Optional<MessageParts> messages;
  private final Set<Part> parts;
  private final List<Node> nodes = new ArrayList<>();

  /**
   * What a stage is made of.
   *
   * @param folder for logs
   * @param jar the program
   * @param replacing classes in place of some of the program's
   * @param otherJar another version of the program, which nodes change to and from
   * @param limitsStore where limits are counted, one of {@link #STORES}
   */
  public record Settings(
      Path folder,
      Path jar,
      Optional<Path> replacing,
      Optional<Path> otherJar,
      String limitsStore) {

    /** Returns true if PostgreSQL is restored from a backup now and then. */
    public boolean isRestored() {
      return limitsStore.equals("postgresql-restored");
    }
  }

  /** What nodes talk to. */
  private record Peers(
      Databases databases,
      Optional<RedisProcess> redis,
      Optional<RedisGroup> redisGroup,
      PaymentApi paymentApi,
      Upstream upstream,
      Optional<MessageParts> messages) {}

  private Stage(
      Settings settings,
      Path data,
      Peers peers,
      Set<Part> parts,
      Deque<AutoCloseable> started,
      Thread end) {
    this.settings = settings;
    this.data = data;
    this.databases = peers.databases();
    this.redis = peers.redis();
    this.redisGroup = peers.redisGroup();
    this.paymentApi = peers.paymentApi();
    this.upstream = peers.upstream();
    this.messages = peers.messages();
    this.parts = parts;
    this.started = started;
    this.end = end;
  }

  /**
   * Starts everything, or nothing if something does not start.
   *
   * @param data an empty folder for what the stores keep
   * @param parts what is needed beside nodes and PostgreSQL
   */
  public static Stage start(Settings settings, Path data, Set<Part> parts) throws IOException {
    Files.createDirectories(settings.folder());
    Deque<AutoCloseable> started = new ConcurrentLinkedDeque<>();
    Thread end = new Thread(() -> close(started));
    // Ctrl-C leaves no process behind.
    Runtime.getRuntime().addShutdownHook(end);
    boolean isStarted = false;
    try {
      Optional<RedisGroup> redisGroup = startRedisGroup(settings, data, started);
      Optional<RedisProcess> redis = Optional.empty();
      if (redisGroup.isEmpty()) {
        redis = Optional.of(startRedis(settings, data));
        started.push(redis.get());
      }
      Databases databases = startDatabases(settings, data, started);
      PaymentApi paymentApi = new PaymentApi();
      started.push(paymentApi);
      Upstream upstream = new Upstream();
      started.push(upstream);
      Optional<MessageParts> messages = Optional.empty();
      if (parts.contains(Part.MESSAGES)) {
        messages = Optional.of(MessageParts.start(data.resolve("kafka")));
        started.push(messages.get());
      }
      Stage stage =
          new Stage(
              settings,
              data,
              new Peers(databases, redis, redisGroup, paymentApi, upstream, messages),
              parts,
              started,
              end);
      stage.startNodes();
      isStarted = true;
      return stage;
    } finally {
      if (!isStarted) {
        close(started);
      }
    }
  }

  private static Databases startDatabases(
      Settings settings, Path data, Deque<AutoCloseable> started) throws IOException {
    Path folder = data.resolve("postgresql");
    return switch (settings.limitsStore()) {
      case "postgresql-standby" -> new Databases.WithStandby(DatabasePair.start(folder, started));
      case "postgresql-full" -> startOnSmallDisk(folder, started);
      default -> new Databases.Single(start(folder, started));
    };
  }

  private static Databases startOnSmallDisk(Path folder, Deque<AutoCloseable> started)
      throws IOException {
    Optional<SmallDisk> disk = SmallDisk.mount(folder);
    disk.ifPresent(started::push);
    Database database = start(folder, started);
    if (disk.isPresent()) {
      return new Databases.OnSmallDisk(database, disk.get());
    }
    System.err.println("weir: no disk gets full, because only root may mount one");
    return new Databases.Single(database);
  }

  private static Database start(Path folder, Deque<AutoCloseable> started) throws IOException {
    Database database = Database.start(folder);
    started.push(database);
    return database;
  }

  private static RedisProcess startRedis(Settings settings, Path data) throws IOException {
    return RedisProcess.durable(
        Ports.free(), settings.folder().resolve("redis.log"), data.resolve("redis"));
  }

  private static Optional<RedisGroup> startRedisGroup(
      Settings settings, Path data, Deque<AutoCloseable> started) throws IOException {
    Path log = settings.folder().resolve("redis.log");
    return switch (settings.limitsStore()) {
      case "redis-sentinel" -> Optional.of(SentinelGroup.start(data, log, started));
      case "redis-cluster" -> Optional.of(ClusterGroup.start(data, log, started));
      default -> Optional.empty();
    };
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
                  number,
                  settings.folder(),
                  List.copyOf(programs),
                  countsInRedis() ? "redis" : "postgresql"),
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
    return databases.primary();
  }

  /** Returns true if PostgreSQL has a synchronous standby. */
  public boolean hasStandby() {
    return databases instanceof Databases.WithStandby;
  }

  /** Returns true if PostgreSQL is restored from a backup now and then. */
  public boolean isRestored() {
    return settings.isRestored();
  }

  /** The disk of PostgreSQL, if it can be full. */
  public Optional<SmallDisk> disk() {
    return databases instanceof Databases.OnSmallDisk small
        ? Optional.of(small.disk())
        : Optional.empty();
  }

  /** Stops the standby by SIGSTOP until the result is closed. */
  public Stopped suspendStandby() throws IOException {
    return pair().suspendStandby();
  }

  /** Ends the standby without a warning; it starts again with what is on its disk. */
  public void killStandby() {
    pair().killStandby();
  }

  /** The standby takes over from a PostgreSQL that was killed, for all nodes. */
  public void promoteStandby() {
    pair().promote();
    nodes.forEach(node -> node.switchDatabase(database().port()));
  }

  /** Gives PostgreSQL a new standby after a failover. */
  public void renewStandby() throws IOException {
    pair().renew();
  }

  private DatabasePair pair() {
    if (databases instanceof Databases.WithStandby with) {
      return with.pair();
    }
    throw new IllegalStateException("there is no standby");
  }

  /** Keeps a backup of PostgreSQL, which is stopped meanwhile. */
  public void backUpDatabase() throws IOException {
    Folders.empty(data.resolve("backup"));
    database().stop();
    database().copyTo(data.resolve("backup"));
    database().startAgain();
  }

  /** Puts the backup in the place of PostgreSQL's files. */
  public void restoreDatabase() throws IOException {
    database().stop();
    database().replaceBy(data.resolve("backup"));
    database().startAgain();
  }

  /** The Redis, if there is just one. */
  public RedisProcess singleRedis() {
    return redis.orElseThrow();
  }

  /** Several of Redis, if there are. */
  public Optional<RedisGroup> redisGroup() {
    return redisGroup;
  }

  public boolean hasRedisCluster() {
    return settings.limitsStore().equals("redis-cluster");
  }

  public PaymentApi paymentApi() {
    return paymentApi;
  }

  /** The service behind the gateways. */
  public Upstream upstream() {
    return upstream;
  }

  /** What messages need, if there are messages. */
  public Optional<MessageParts> messages() {
    return messages;
  }

  /** The used ways between clients, nodes and all else whose names have a part. */
  public List<Way> ways(String part) {
    return ways().stream().filter(way -> way.name().contains(part)).toList();
  }

  private List<Way> ways() {
    List<Way> ways = new ArrayList<>();
    nodes.forEach(node -> ways.addAll(node.ways(parts, usesSingleRedis())));
    redisGroup.ifPresent(group -> ways.addAll(group.ways()));
    messages.ifPresent(parts -> ways.addAll(parts.ways()));
    return ways;
  }

  /** Starts Redis with nothing of what it had, after it was killed. */
  public void startRedisEmpty() throws IOException {
    Folders.empty(data.resolve("redis"));
    singleRedis().start();
  }

  /** Keeps what Redis has on disk, after it was killed, and starts it. */
  public void startRedisAndKeepItsData() throws IOException {
    Folders.empty(data.resolve("redis-kept"));
    Folders.copy(data.resolve("redis"), data.resolve("redis-kept"));
    singleRedis().start();
  }

  /** Starts Redis with what was kept of its data, after it was killed. */
  public void startRedisWithKeptData() throws IOException {
    Folders.empty(data.resolve("redis"));
    Folders.copy(data.resolve("redis-kept"), data.resolve("redis"));
    singleRedis().start();
  }

  /** Where limits are counted. */
  public String limitsStore() {
    return settings.limitsStore();
  }

  public boolean countsInRedis() {
    return settings.limitsStore().startsWith("redis");
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

  /** Returns true if there is just one Redis, and nodes have any use for it. */
  public boolean usesSingleRedis() {
    return redis.isPresent() && usesRedis();
  }

  private boolean usesRedis() {
    return parts.contains(Part.MESSAGES) || (countsInRedis() && parts.contains(Part.LIMITS_STORE));
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
