package dev.weir.server.faults;

import dev.weir.notifications.kafka.KafkaClients;
import dev.weir.notifications.kafka.KafkaCluster;
import dev.weir.notifications.kafka.MessageTopics;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Writer;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;

/** A Kafka broker in a process of its own, started as operators start it, which can be killed. */
public final class KafkaProcess implements AutoCloseable {
  /** Larger records are refused by the broker for certain. */
  public static final int MAX_MESSAGE_BYTES = 20_000;

  private static final Duration BOUND = Duration.ofMinutes(5);

  /** Only a broker that was killed reports nothing to its controller for so long. */
  private static final Duration SESSION = Duration.ofMinutes(1);

  /** A broker that was killed is let in again when its session has ended. */
  private static final Duration SESSION_AFTER_KILL = Duration.ofSeconds(1);

  private static final String HOST = "127.0.0.1";

  /** 128 bits in base 64. */
  private static final String CLUSTER_ID = "d2Vpci10ZXN0LWthZmthLQ";

  private final Path folder;
  private final int port;
  private final int clientPort;
  private final int controllerPort;
  private Process process;

  private KafkaProcess(Path folder, int port, int clientPort, int controllerPort) {
    this.folder = folder;
    this.port = port;
    this.clientPort = clientPort;
    this.controllerPort = controllerPort;
  }

  /**
   * Starts a broker with an empty folder, and creates the topics.
   *
   * @param port where it listens
   * @param clientPort where clients find it: the same, or the port of a relay
   */
  public static KafkaProcess start(Path folder, int port, int clientPort) throws IOException {
    KafkaProcess kafka = new KafkaProcess(folder, port, clientPort, Ports.free());
    Files.createDirectories(folder);
    kafka.configure(SESSION);
    kafka.format();
    kafka.launchAndAwait();
    return kafka;
  }

  private void configure(Duration session) throws IOException {
    Properties settings = new Properties();
    settings.putAll(
        Map.ofEntries(
            Map.entry("process.roles", "broker,controller"),
            Map.entry("node.id", "1"),
            Map.entry("log.dirs", folder.resolve("data").toString()),
            Map.entry(
                "listeners",
                "PLAINTEXT://%s:%d,CONTROLLER://%s:%d".formatted(HOST, port, HOST, controllerPort)),
            Map.entry("advertised.listeners", "PLAINTEXT://" + address()),
            Map.entry("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT"),
            Map.entry("controller.listener.names", "CONTROLLER"),
            Map.entry("controller.quorum.voters", "1@%s:%d".formatted(HOST, controllerPort)),
            Map.entry("broker.session.timeout.ms", Long.toString(session.toMillis())),
            Map.entry("broker.heartbeat.interval.ms", "200"),
            Map.entry("auto.create.topics.enable", "false"),
            Map.entry("default.replication.factor", "1"),
            Map.entry("offsets.topic.replication.factor", "1"),
            Map.entry("offsets.topic.num.partitions", "2"),
            Map.entry("group.initial.rebalance.delay.ms", "0"),
            Map.entry("message.max.bytes", Integer.toString(MAX_MESSAGE_BYTES)),
            Map.entry("log.cleaner.dedupe.buffer.size", Long.toString(8L << 20))));
    try (Writer file = Files.newBufferedWriter(folder.resolve("server.properties"))) {
      settings.store(file, null);
    }
    Files.writeString(
        folder.resolve("logback.xml"),
        """
        <configuration>
          <appender name="out" class="ch.qos.logback.core.ConsoleAppender">
            <encoder><pattern>%d %level %logger{0} %msg%n</pattern></encoder>
          </appender>
          <root level="WARN"><appender-ref ref="out"/></root>
        </configuration>
        """);
  }

  private void format() throws IOException {
    String config = folder.resolve("server.properties").toString();
    String[] words = {"format", "--cluster-id", CLUSTER_ID, "--config", config};
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
    try {
      // By its name, because tests are compiled without the broker.
      Object code =
          Class.forName("kafka.tools.StorageTool")
              .getMethod("execute", String[].class, PrintStream.class)
              .invoke(null, words, out);
      if (!code.equals(0)) {
        throw new IOException("Kafka's folder was not formatted: " + printed);
      }
    } catch (ReflectiveOperationException e) {
      throw new IOException("Kafka's folder was not formatted: " + printed, e);
    }
  }

  private Process launch(String main, String... arguments) throws IOException {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    words.add("-Dlogback.configurationFile=" + folder.resolve("logback.xml"));
    words.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
    words.addAll(List.of(arguments));
    return new ProcessBuilder(words)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
        .start();
  }

  /** Starts it again with its data after it was killed, and waits until it answers. */
  public void start() throws IOException {
    configure(SESSION_AFTER_KILL);
    launchAndAwait();
  }

  private void launchAndAwait() throws IOException {
    process = launch("kafka.Kafka", folder.resolve("server.properties").toString());
    Waiting.until("Kafka to listen", BOUND, this::isListening);
    try (Admin admin = clients().admin(BOUND)) {
      MessageTopics.DEFAULT.create(admin);
    }
  }

  private boolean isListening() throws IOException {
    if (!process.isAlive()) {
      throw new IOException("Kafka has ended: " + log());
    }
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (ConnectException e) {
      return false;
    }
  }

  /** Ends it on the spot. */
  public void kill() {
    process.destroyForcibly();
    Waiting.until("the end of Kafka", BOUND, () -> !process.isAlive());
  }

  /** Returns the id that the topic of messages has until it is deleted; empty if there is none. */
  public Optional<String> topicId() throws IOException, InterruptedException {
    String name = MessageTopics.DEFAULT.outbound();
    try (Admin admin = clients().admin(BOUND)) {
      return admin.listTopics().listings().get().stream()
          .filter(topic -> topic.name().equals(name))
          .map(topic -> topic.topicId().toString())
          .findFirst();
    } catch (ExecutionException e) {
      throw new IOException(e);
    }
  }

  /** Deletes the topic of messages with all that is in it. */
  public void deleteTopic() throws Exception {
    try (Admin admin = clients().admin(BOUND)) {
      admin.deleteTopics(List.of(MessageTopics.DEFAULT.outbound())).all().get();
    }
  }

  /** Returns the address for clients. */
  public String address() {
    return HOST + ":" + clientPort;
  }

  public KafkaClients clients() {
    return KafkaClients.of(KafkaCluster.at(address(), Map.of()), BOUND);
  }

  private String log() throws IOException {
    return Files.readString(folder.resolve("log"));
  }

  @Override
  public void close() {
    kill();
  }
}
