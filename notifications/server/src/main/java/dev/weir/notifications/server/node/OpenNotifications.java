package dev.weir.notifications.server.node;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.limits.CircuitBreaker;
import dev.weir.limits.Limiter;
import dev.weir.node.capability.OpeningNode;
import dev.weir.node.lifecycle.OpenParts;
import dev.weir.node.lifecycle.Upkeep;
import dev.weir.node.stores.EmbeddedPart;
import dev.weir.notifications.BrokerHealth;
import dev.weir.notifications.HotFilter;
import dev.weir.notifications.KafkaPublisher;
import dev.weir.notifications.Notifications;
import dev.weir.notifications.Outbox;
import dev.weir.notifications.Publisher;
import dev.weir.notifications.SendObserver;
import dev.weir.notifications.analytics.EventPublisher;
import dev.weir.notifications.jdbc.JdbcDeferredMessages;
import dev.weir.notifications.jdbc.JdbcMessageLog;
import dev.weir.notifications.jdbc.JdbcReplayLock;
import dev.weir.notifications.jdbc.JdbcSendLedger;
import dev.weir.notifications.jdbc.JdbcSenderRegistry;
import dev.weir.notifications.jdbc.JdbcUserLimits;
import dev.weir.notifications.jdbc.internal.UserChange;
import dev.weir.notifications.kafka.KafkaCluster;
import dev.weir.notifications.kafka.MessageTopics;
import dev.weir.notifications.messages.DeferredMessages;
import dev.weir.notifications.messages.MessageLog;
import dev.weir.notifications.messages.SendLedger;
import dev.weir.notifications.messages.UserLimits;
import dev.weir.notifications.redis.RedisHotCounts;
import dev.weir.notifications.sender.DeadLetterReplay;
import dev.weir.notifications.server.AvailableAnalytics;
import dev.weir.notifications.server.AvailableNotifications;
import dev.weir.notifications.server.NotificationServices;
import dev.weir.notifications.server.metrics.AnalyticsMetrics;
import dev.weir.notifications.server.metrics.NotificationMetrics;
import dev.weir.store.redis.Redis;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Notifications on their stores and on Kafka.
 *
 * @param cluster the name of the Kafka cluster, for operators
 * @param otherWarnings what operators should know about the sender and analytics
 */
public record OpenNotifications(
    AvailableNotifications available,
    NotificationMetrics metrics,
    HotFilter hot,
    BrokerHealth health,
    String cluster,
    AvailableAnalytics analytics,
    Supplier<List<String>> otherWarnings) {

  /** Returns the parts of a node that has no database, and therefore no notifications. */
  public static OpenNotifications none(PrometheusRegistry registry) {
    return new OpenNotifications(
        AvailableNotifications.none(),
        new NotificationMetrics(registry),
        HotFilter.none(),
        new BrokerHealth(),
        "",
        AvailableAnalytics.none(),
        List::of);
  }

  /**
   * Opens the stores of messages, and starts what publishes and sends them.
   *
   * @param limiter counts what the provider is handed
   * @param open receives each part as soon as it is open
   */
  public static OpenNotifications open(
      NotificationSettings settings,
      HikariDataSource database,
      Limiter limiter,
      PrometheusRegistry registry,
      OpenParts open) {
    NotificationMetrics metrics = new NotificationMetrics(registry);
    Stores stores = Stores.on(database, settings.maxDeferred());
    HotFilter hot = open.add(hotFilter(settings, open));
    Outbox outbox = open.add(new Outbox(stores.ledger()));
    OpenAnalytics analytics = new OpenAnalytics(settings, new AnalyticsMetrics(registry));
    KafkaPart kafka = KafkaPart.open(settings.kafka(), open);
    KafkaCluster cluster = kafka.cluster();
    Optional<EventPublisher> events = analytics.publisher(cluster, open);
    SendObserver observer = OpenAnalytics.ofSends(events);
    Publishing publishing = Publishing.to(cluster, settings, database, open);
    Publisher publisher = publishing.publisher();
    BrokerHealth health = new BrokerHealth();
    metrics.brokerDown(health::isDown);
    Notifications notifications =
        Notifications.builder(
                stores.limits(), stores.ledger(), stores.deferred(), outbox, publisher)
            .hot(hot)
            .health(health)
            .maxStoreWait(settings.storeWait())
            .observer(observer)
            .build();
    MessageUpkeep.start(settings, stores, publisher, health, hot, outbox, observer, open);
    // Closed before anything that they use.
    open.add(analytics);
    SenderPart handing =
        new SenderPart(
            settings, stores.messages(), limiter, OpenAnalytics.ofSender(metrics, events));
    metrics.backlog(handing::backlog, handing::oldestAge);
    AgreedSender sender =
        open.add(
            new AgreedSender(
                handing, new JdbcSenderRegistry(database), settings.provider().identity()));
    kafka.startReading(
        readable -> {
          if (settings.isSender()) {
            sender.start(readable);
          }
          analytics.startIndexer(readable);
        });
    DeadLetterReplay replay =
        new DeadLetterReplay(
            cluster, MessageTopics.DEFAULT, settings.sendTimeout(), new JdbcReplayLock(database));
    NotificationServices services =
        new NotificationServices(
            notifications,
            stores.limits(),
            stores.messages(),
            stores.deferred(),
            OpenAnalytics.ofCancellations(stores.messages(), events),
            () -> {
              // Creates the topics if there are none yet.
              publisher.probe();
              return replay.run();
            },
            settings.provider().signedRequests(InstantSource.system()));
    return new OpenNotifications(
        AvailableNotifications.to(services),
        metrics,
        hot,
        health,
        cluster.toString(),
        analytics.available(),
        () ->
            Stream.of(
                    publishing.warnings().get().stream(),
                    sender.warnings().stream(),
                    analytics.warnings().stream())
                .flatMap(each -> each)
                .toList());
  }

  /**
   * What publishes messages.
   *
   * @param warnings what operators should know about it
   */
  private record Publishing(Publisher publisher, Supplier<List<String>> warnings) {
    /** How often a node looks whether its embedded broker is still the one of the database. */
    private static final Duration EVERY = Duration.ofSeconds(10);

    static Publishing to(
        KafkaCluster cluster,
        NotificationSettings settings,
        HikariDataSource database,
        OpenParts open) {
      Publisher publisher =
          new KafkaPublisher(cluster, MessageTopics.DEFAULT, settings.sendTimeout());
      if (settings.kafka().cluster().isPresent()) {
        DurabilityCheck check = DurabilityCheck.start(cluster, open);
        return new Publishing(open.add(publisher), check::warnings);
      }
      if (settings.kafka().folder().isEmpty()) {
        return new Publishing(open.add(publisher), List::of);
      }
      OwnersPublisher owners =
          open.add(new OwnersPublisher(publisher, EmbeddedPart.KAFKA.ownership(database)));
      open.add(Upkeep.start("ownership of the embedded Kafka", owners::check, EVERY));
      return new Publishing(owners, owners::warnings);
    }
  }

  /** The stores of messages. */
  public record Stores(
      UserLimits limits, SendLedger ledger, MessageLog messages, DeferredMessages deferred) {
    private static Stores on(HikariDataSource database, int maxDeferred) {
      return new Stores(
          new JdbcUserLimits(database),
          new JdbcSendLedger(database),
          new JdbcMessageLog(database),
          new JdbcDeferredMessages(database, maxDeferred));
    }
  }

  private static HotFilter hotFilter(NotificationSettings settings, OpenParts open) {
    return settings
        .redis()
        .map(
            redis ->
                new HotFilter(
                    new RedisHotCounts(open.add(Redis.open(redis))),
                    CircuitBreaker.Settings.DEFAULT,
                    redis.commandTimeout()))
        .orElseGet(HotFilter::none);
  }

  /**
   * Notes that another node has changed the limit of a user. A change that is missed while the node
   * does not listen is noticed soon, because no entry is trusted for long.
   */
  public void userChanged(String text) {
    UserChange.parse(text).ifPresent(change -> hot.changed(change.userId(), change.version()));
  }

  /** Returns what operators should know about Kafka and OpenSearch; empty if both work. */
  public List<String> warnings() {
    List<String> warnings = new ArrayList<>(otherWarnings.get());
    if (health.isDown()) {
      warnings.addFirst(cluster + " does not take messages");
    }
    return warnings;
  }

  /** Registers the parts that the endpoints of notifications inject. */
  public void addTo(OpeningNode node) {
    node.bean(available);
    node.bean(metrics);
    node.bean(analytics);
  }
}
