package dev.weir.torture.stage;

import dev.weir.server.faults.KafkaProcess;
import dev.weir.server.faults.Ports;
import dev.weir.server.faults.Relay;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What messages need: a Kafka in a process of its own and a provider, each behind a relay. */
public final class MessageParts implements AutoCloseable {
  /**
   * Properties of Kafka's clients: the messages of a node that is killed go to other nodes sooner
   * than after the usual 45 s.
   */
  private static final String CLIENT_PROPERTIES = "session.timeout.ms=10000\n";

  private final Path clientProperties;
  private final Relay toKafka;
  private final KafkaProcess kafka;
  private final SmsProvider provider;
  private final Relay toProvider;

  private MessageParts(
      Path clientProperties,
      Relay toKafka,
      KafkaProcess kafka,
      SmsProvider provider,
      Relay toProvider) {
    this.clientProperties = clientProperties;
    this.toKafka = toKafka;
    this.kafka = kafka;
    this.provider = provider;
    this.toProvider = toProvider;
  }

  static MessageParts start(Path folder) throws IOException {
    int port = Ports.free();
    // Clients go where the broker says that it is, so all nodes have one way.
    Relay toKafka = new Relay(port);
    KafkaProcess kafka = KafkaProcess.start(folder, port, toKafka.port());
    SmsProvider provider = new SmsProvider();
    Path clientProperties = folder.resolve("client.properties");
    Files.writeString(clientProperties, CLIENT_PROPERTIES);
    return new MessageParts(clientProperties, toKafka, kafka, provider, new Relay(provider.port()));
  }

  /** The settings of a node. */
  Map<String, String> environment() {
    return Map.of(
        "WEIR_KAFKA_BOOTSTRAP_SERVERS",
        kafka.address(),
        "WEIR_KAFKA_PROPERTIES",
        clientProperties.toString(),
        "WEIR_NOTIFICATIONS_PROVIDER",
        "webhook",
        "WEIR_NOTIFICATIONS_WEBHOOK_URL",
        "http://127.0.0.1:" + toProvider.port() + SmsProvider.PATH,
        "WEIR_NOTIFICATIONS_WEBHOOK_SECRET",
        "a secret of torture",
        "WEIR_NOTIFICATIONS_PROVIDER_TIMEOUT",
        "PT2S",
        "WEIR_NOTIFICATIONS_RETRY_MAX_PAUSE",
        "PT2S",
        // Less than Kafka needs to come back, so that it is often not known whether it has a
        // message.
        "WEIR_NOTIFICATIONS_SEND_TIMEOUT",
        "PT2S",
        // So that recipients that hang get dead letters within a round.
        "WEIR_NOTIFICATIONS_MAX_UNANSWERED",
        "4",
        // Less than a clock is off, and more than a round takes.
        "WEIR_NOTIFICATIONS_RETENTION",
        "PT1H");
  }

  public KafkaProcess kafka() {
    return kafka;
  }

  public SmsProvider provider() {
    return provider;
  }

  List<Way> ways() {
    return List.of(
        new Way("nodes to Kafka", toKafka), new Way("nodes to the provider", toProvider));
  }

  @Override
  public void close() throws IOException {
    kafka.close();
    toKafka.close();
    toProvider.close();
    provider.close();
  }
}
