package dev.weir.notifications.broker;

import dev.weir.notifications.kafka.KafkaCluster;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntUnaryOperator;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.utils.Exit;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Kafka broker in this process, alone in its cluster, on the loopback interface. It starts in the
 * background when its address is first asked for, so that a program that sends no message neither
 * waits for it nor has it in memory.
 *
 * <p>Its data is in a folder and survives the process, also one that was killed. A start that fails
 * is repeated when the address is asked for again. Thread-safe.
 */
public final class EmbeddedKafka implements KafkaCluster, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(EmbeddedKafka.class);

  /** 128 bits in base 64, the form that Kafka expects. There is one cluster in each folder. */
  private static final String CLUSTER_ID = "d2Vpci1lbWJlZGRlZC1rZg";

  private static final int NODE_ID = 1;
  private static final String HOST = "127.0.0.1";

  private final Path folder;
  private final IntUnaryOperator relay;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable CompletableFuture<Running> start;
  private boolean isClosed;

  /** A broker that has started. */
  private record Running(KafkaRaftServer server, String bootstrapServers) {}

  /**
   * Creates a broker that is not started yet.
   *
   * @param folder where its data is; created if it is missing
   */
  public EmbeddedKafka(Path folder) {
    this(folder, port -> port);
  }

  /**
   * Creates a broker behind a relay.
   *
   * @param relay returns the port by which clients reach the broker, given the port of the broker
   */
  EmbeddedKafka(Path folder, IntUnaryOperator relay) {
    this.folder = folder;
    this.relay = relay;
  }

  @Override
  public Optional<String> bootstrapServers(Duration maxWait) {
    try {
      return Optional.of(started().get(maxWait.toNanos(), TimeUnit.NANOSECONDS).bootstrapServers());
    } catch (TimeoutException | ExecutionException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  @Override
  public Map<String, String> clientProperties() {
    return Map.of();
  }

  private CompletableFuture<Running> started() {
    lock.lock();
    try {
      if (isClosed) {
        return CompletableFuture.failedFuture(new IllegalStateException("the broker is closed"));
      }
      CompletableFuture<Running> known = start;
      if (known == null || known.isCompletedExceptionally()) {
        known = new CompletableFuture<>();
        start = known;
        CompletableFuture<Running> result = known;
        Thread.ofPlatform().daemon().name("weir-kafka-start").start(() -> start(result));
      }
      return known;
    } finally {
      lock.unlock();
    }
  }

  private void start(CompletableFuture<Running> result) {
    long begunNanos = System.nanoTime();
    try {
      keepProcessAlive();
      Files.createDirectories(folder);
      format();
      int port = freePort();
      int clientPort = relay.applyAsInt(port);
      Properties settings = settings(port, clientPort, freePort());
      KafkaRaftServer server = new KafkaRaftServer(KafkaConfig.fromProps(settings), Time.SYSTEM);
      startOrStop(server);
      log.info(
          "Kafka started on {}:{} in {} ms, its data is in {}",
          HOST,
          port,
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begunNanos),
          folder);
      if (!result.complete(new Running(server, HOST + ":" + clientPort))) {
        server.shutdown();
      }
    } catch (Exception | Error e) {
      log.error("Kafka could not be started in {}", folder, e);
      result.completeExceptionally(e);
    }
  }

  private static void startOrStop(KafkaRaftServer server) {
    try {
      server.startup();
    } catch (RuntimeException | Error e) {
      // What has been started holds ports and the lock on the folder.
      server.shutdown();
      throw e;
    }
  }

  /**
   * Kafka ends its process if its storage fails. This process has other things to do: the broker
   * stops answering, which is noticed and logged where messages are published.
   */
  private static void keepProcessAlive() {
    Exit.Procedure refuse =
        (status, message) -> {
          log.error("Kafka has failed and must be restarted: {}", message);
          throw new IllegalStateException("Kafka has failed: " + message);
        };
    Exit.setExitProcedure(refuse);
    Exit.setHaltProcedure(refuse);
  }

  private void format() throws Exception {
    Formatter formatter =
        new Formatter()
            .setClusterId(CLUSTER_ID)
            .setNodeId(NODE_ID)
            .setDirectories(List.of(folder.toString()))
            .setControllerListenerName("CONTROLLER")
            .setIgnoreFormatted(true)
            .setPrintStream(
                new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
    formatter.run();
  }

  private Properties settings(int port, int clientPort, int controllerPort) {
    Properties settings = new Properties();
    settings.setProperty("process.roles", "broker,controller");
    settings.setProperty("node.id", Integer.toString(NODE_ID));
    settings.setProperty("log.dirs", folder.toString());
    settings.setProperty(
        "listeners",
        "PLAINTEXT://%s:%d,CONTROLLER://%s:%d".formatted(HOST, port, HOST, controllerPort));
    settings.setProperty("advertised.listeners", "PLAINTEXT://%s:%d".formatted(HOST, clientPort));
    settings.setProperty(
        "listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
    settings.setProperty("controller.listener.names", "CONTROLLER");
    settings.setProperty(
        "controller.quorum.voters", "%d@%s:%d".formatted(NODE_ID, HOST, controllerPort));
    // After a kill, a restarted broker waits until the session of its predecessor has ended.
    settings.setProperty("broker.session.timeout.ms", "1000");
    settings.setProperty("broker.heartbeat.interval.ms", "200");
    settings.setProperty("auto.create.topics.enable", "false");
    settings.setProperty("num.partitions", "4");
    settings.setProperty("default.replication.factor", "1");
    settings.setProperty("offsets.topic.replication.factor", "1");
    settings.setProperty("offsets.topic.num.partitions", "4");
    settings.setProperty("transaction.state.log.replication.factor", "1");
    settings.setProperty("transaction.state.log.min.isr", "1");
    settings.setProperty("share.coordinator.state.topic.replication.factor", "1");
    settings.setProperty("share.coordinator.state.topic.min.isr", "1");
    settings.setProperty("group.initial.rebalance.delay.ms", "0");
    // There is no replica: what is acknowledged must be on the disk.
    settings.setProperty("log.flush.interval.messages", "1");
    settings.setProperty("log.cleaner.dedupe.buffer.size", Long.toString(8L << 20));
    return settings;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Stops the broker, or keeps it from starting. */
  @Override
  public void close() {
    CompletableFuture<Running> known;
    lock.lock();
    try {
      isClosed = true;
      known = start;
    } finally {
      lock.unlock();
    }
    if (known != null
        && !known.completeExceptionally(new IllegalStateException("the broker is closed"))
        && !known.isCompletedExceptionally()) {
      KafkaRaftServer server = known.join().server();
      server.shutdown();
      server.awaitShutdown();
    }
  }

  @Override
  public String toString() {
    return "Kafka in " + folder;
  }
}
