package dev.weir.notifications.broker;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A broker that has started: broker and controller in one, alone in its cluster. */
final class RaftBroker {
  private static final Logger log = LoggerFactory.getLogger(RaftBroker.class);

  /** 128 bits in base 64, the form that Kafka expects. There is one cluster in each folder. */
  private static final String CLUSTER_ID = "d2Vpci1lbWJlZGRlZC1rZg";

  private static final int NODE_ID = 1;

  /** A start that takes longer has failed. After a kill, all logs may have to be read. */
  private static final Duration MAX_START = Duration.ofMinutes(10);

  private static final String HOST = "127.0.0.1";

  private final KafkaRaftServer server;
  private final String address;
  private final Duration maxStop;

  private RaftBroker(KafkaRaftServer server, String address, Duration maxStop) {
    this.server = server;
    this.address = address;
    this.maxStop = maxStop;
  }

  /**
   * Starts a broker and waits for it.
   *
   * @param folder where its data is
   * @param secret by which clients are let in
   */
  static RaftBroker start(Path folder, BrokerPorts ports, BrokerSecret secret, BrokerTimes times)
      throws Exception {
    format(folder);
    Properties settings = settings(folder, ports, secret, times.session());
    KafkaRaftServer server = new KafkaRaftServer(KafkaConfig.fromProps(settings), Time.SYSTEM);
    RaftBroker broker = new RaftBroker(server, HOST + ":" + ports.client(), times.maxStop());
    try {
      server.startup();
    } catch (Exception | Error e) {
      // An interrupt has ended the start, and not what follows.
      var unused = Thread.interrupted();
      // What has been started holds ports and the lock on the folder.
      broker.stop();
      throw e;
    }
    return broker;
  }

  /** Returns the address by which clients reach it. */
  String address() {
    return address;
  }

  /** Stops the broker. One that has failed may hang, so the wait is limited. */
  void stop() {
    Thread stopping =
        Thread.ofPlatform()
            .daemon()
            .name("weir-kafka-stop")
            .start(
                () -> {
                  server.shutdown();
                  server.awaitShutdown();
                });
    try {
      if (!stopping.join(maxStop)) {
        log.warn("Kafka has not stopped within {}", maxStop);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void format(Path folder) throws Exception {
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

  private static Properties settings(
      Path folder, BrokerPorts ports, BrokerSecret secret, Duration session) {
    Properties settings = new Properties();
    settings.setProperty("process.roles", "broker,controller");
    settings.setProperty("node.id", Integer.toString(NODE_ID));
    settings.setProperty("log.dirs", folder.toString());
    settings.setProperty(
        "listeners",
        "CLIENT://%s:%d,CONTROLLER://%s:%d"
            .formatted(HOST, ports.broker(), HOST, ports.controller()));
    settings.setProperty("advertised.listeners", "CLIENT://%s:%d".formatted(HOST, ports.client()));
    settings.setProperty("controller.listener.names", "CONTROLLER");
    settings.setProperty("inter.broker.listener.name", "CLIENT");
    // Both ports are open to every user of the machine.
    settings.setProperty(
        "listener.security.protocol.map", "CLIENT:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT");
    settings.setProperty("sasl.enabled.mechanisms", "PLAIN");
    settings.setProperty("sasl.mechanism.inter.broker.protocol", "PLAIN");
    settings.setProperty("sasl.mechanism.controller.protocol", "PLAIN");
    settings.setProperty("listener.name.client.plain.sasl.jaas.config", secret.listenerLogin());
    settings.setProperty("listener.name.controller.plain.sasl.jaas.config", secret.listenerLogin());
    settings.setProperty(
        "controller.quorum.voters", "%d@%s:%d".formatted(NODE_ID, HOST, ports.controller()));
    settings.setProperty("broker.session.timeout.ms", Long.toString(session.toMillis()));
    settings.setProperty("broker.heartbeat.interval.ms", "200");
    settings.setProperty("server.max.startup.time.ms", Long.toString(MAX_START.toMillis()));
    // No other broker could lead its partitions. A stop would wait five minutes for the word of a
    // controller that a full disk has ended, and keep the ports that the next start needs.
    settings.setProperty("controlled.shutdown.enable", "false");
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
}
