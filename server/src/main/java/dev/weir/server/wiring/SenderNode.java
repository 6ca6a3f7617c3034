package dev.weir.server.wiring;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.engine.limits.Limiter;
import dev.weir.notifications.kafka.KafkaCluster;
import dev.weir.notifications.sender.SenderObserver;
import dev.weir.server.metrics.AnalyticsMetrics;
import dev.weir.server.metrics.LimitMetrics;
import dev.weir.store.jdbc.notifications.JdbcMessageLog;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A sender without the rest of a node: it reads messages from Kafka and hands them over. */
public final class SenderNode implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SenderNode.class);

  private final OpenParts open;

  private SenderNode(OpenParts open) {
    this.open = open;
  }

  /**
   * Starts a sender. If a part fails to start, the parts opened before it are closed.
   *
   * @throws InvalidSettingException if a setting is invalid, or no Kafka is named: an embedded
   *     broker can be reached only by its own node
   */
  public static SenderNode start(Settings settings) {
    NotificationSettings notifications = NotificationSettings.of(settings);
    LimitSettings limits = LimitSettings.of(settings);
    KafkaCluster cluster =
        notifications
            .kafka()
            .cluster()
            .orElseThrow(
                () ->
                    new InvalidSettingException(
                        Setting.KAFKA_SERVERS.key(),
                        "is needed: the embedded broker is reached by its own node only"));
    OpenParts open = new OpenParts();
    boolean isComplete = false;
    try {
      HikariDataSource database =
          open.add(Database.open(DatabaseSettings.running(settings), StopSignal.NEVER)).pool();
      LimitStores stores =
          LimitStores.open(
              limits, Optional.of(database), new LimitMetrics(new PrometheusRegistry()), open);
      // Its metrics have no port; events are indexed by nodes.
      AnalyticsParts analytics =
          open.add(
              new AnalyticsParts(notifications, new AnalyticsMetrics(new PrometheusRegistry())));
      SenderPart sender =
          open.add(
              new SenderPart(
                  notifications,
                  new JdbcMessageLog(database),
                  Limiter.on(stores.limits()),
                  AnalyticsParts.ofSender(
                      SenderObserver.NONE, analytics.publisher(cluster, open))));
      sender.start(cluster);
      log.info("Messages are read from {}", cluster);
      isComplete = true;
      return new SenderNode(open);
    } finally {
      if (!isComplete) {
        open.close();
      }
    }
  }

  /** Finishes messages that are in progress, then closes everything. */
  @Override
  public void close() {
    open.close();
    log.info("The sender has stopped");
  }
}
