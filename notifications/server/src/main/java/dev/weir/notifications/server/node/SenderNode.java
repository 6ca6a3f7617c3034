package dev.weir.notifications.server.node;

import dev.weir.limits.Limiter;
import dev.weir.node.capability.Capabilities;
import dev.weir.node.capability.Capability;
import dev.weir.node.capability.NodeReadiness;
import dev.weir.node.capability.OpeningNode;
import dev.weir.node.lifecycle.OpenParts;
import dev.weir.node.lifecycle.StopSignal;
import dev.weir.node.operations.OperationsPort;
import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.Settings;
import dev.weir.node.stores.Database;
import dev.weir.node.stores.DatabaseSettings;
import dev.weir.notifications.jdbc.JdbcMessageLog;
import dev.weir.notifications.jdbc.JdbcSenderRegistry;
import dev.weir.notifications.kafka.KafkaCluster;
import dev.weir.notifications.server.metrics.AnalyticsMetrics;
import dev.weir.notifications.server.metrics.NotificationMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A sender without the rest of a node: it reads messages from Kafka and hands them over. */
public final class SenderNode implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SenderNode.class);

  private final OpenParts open;
  private final Optional<OperationsPort> port;

  private SenderNode(OpenParts open, Optional<OperationsPort> port) {
    this.open = open;
    this.port = port;
  }

  /**
   * Starts a sender. If a part fails to start, the parts opened before it are closed.
   *
   * @throws InvalidSettingException if a setting is invalid, or no Kafka is named: an embedded
   *     broker can be reached only by its own node
   */
  public static SenderNode start(Settings settings) {
    NotificationSettings notifications = NotificationSettings.of(settings);
    Capability.Configured limits = Capabilities.giving(Limiter.class).configure(settings);
    KafkaCluster cluster =
        notifications
            .kafka()
            .cluster()
            .orElseThrow(
                () ->
                    new InvalidSettingException(
                        NotificationSetting.KAFKA_SERVERS.key(),
                        "is needed: the embedded broker is reached by its own node only"));
    NotificationSettings.requireProvider(settings);
    Optional<OperationsAddress.Listener> address = OperationsAddress.of(settings);
    OpenParts open = new OpenParts();
    boolean isComplete = false;
    try {
      Database database =
          open.add(Database.open(DatabaseSettings.running(settings), StopSignal.NEVER));
      PrometheusRegistry registry = new PrometheusRegistry();
      JvmMetrics.builder().register(registry);
      NotificationMetrics metrics = new NotificationMetrics(registry);
      SenderPart sender = open(notifications, limits, cluster, database, metrics, registry, open);
      metrics.brokerDown(sender::isKafkaDown);
      metrics.backlog(sender::backlog, sender::oldestAge);
      AgreedSender agreed =
          open.add(
              new AgreedSender(
                  sender,
                  new JdbcSenderRegistry(database.pool()),
                  notifications.provider().identity()));
      agreed.start(cluster);
      DurabilityCheck durability = DurabilityCheck.start(cluster, open);
      log.info("Messages are read from {}", cluster);
      NodeReadiness readiness = new NodeReadiness();
      readiness.need(database::reasonAgainst);
      readiness.warnOf(agreed::warnings);
      readiness.warnOf(durability::warnings);
      readiness.warnOf(
          () -> sender.isKafkaDown() ? List.of(cluster + " cannot be read") : List.of());
      Optional<OperationsPort> port =
          address.map(given -> open.add(OperationsAddress.listen(given, readiness, registry)));
      isComplete = true;
      return new SenderNode(open, port);
    } finally {
      if (!isComplete) {
        open.close();
      }
    }
  }

  /** Opens the parts of a sender; events are indexed by nodes. */
  private static SenderPart open(
      NotificationSettings settings,
      Capability.Configured limits,
      KafkaCluster cluster,
      Database database,
      NotificationMetrics metrics,
      PrometheusRegistry registry,
      OpenParts open) {
    OpeningNode node = new OpeningNode(Optional.of(database), Set.of(), registry, open);
    limits.open(node);
    OpenAnalytics analytics = open.add(new OpenAnalytics(settings, new AnalyticsMetrics(registry)));
    return new SenderPart(
        settings,
        new JdbcMessageLog(database.pool()),
        node.get(Limiter.class),
        OpenAnalytics.ofSender(metrics, analytics.publisher(cluster, open)));
  }

  /** Returns the port of metrics and health; empty if it is disabled. */
  public OptionalInt port() {
    return port.isPresent() ? OptionalInt.of(port.get().port()) : OptionalInt.empty();
  }

  /** Finishes messages that are in progress, then closes everything. */
  @Override
  public void close() {
    open.close();
    log.info("The sender has stopped");
  }
}
