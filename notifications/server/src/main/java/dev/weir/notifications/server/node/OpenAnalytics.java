package dev.weir.notifications.server.node;

import dev.weir.StoreException;
import dev.weir.node.lifecycle.OpenParts;
import dev.weir.notifications.SendObserver;
import dev.weir.notifications.analytics.Analytics;
import dev.weir.notifications.analytics.EventPublisher;
import dev.weir.notifications.analytics.EventTopic;
import dev.weir.notifications.analytics.Indexer;
import dev.weir.notifications.analytics.OpenSearch;
import dev.weir.notifications.kafka.KafkaCluster;
import dev.weir.notifications.messages.MessageLog;
import dev.weir.notifications.sender.SenderObserver;
import dev.weir.notifications.server.AvailableAnalytics;
import dev.weir.notifications.server.metrics.AnalyticsMetrics;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Events and analytics of a node, as far as they are on. The publisher and the indexer need Kafka,
 * and can be started later than the node, when the embedded broker is first needed. Thread-safe.
 */
public final class OpenAnalytics implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(OpenAnalytics.class);

  private final NotificationSettings settings;
  private final AnalyticsMetrics metrics;
  private final Optional<OpenSearch> search;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile @Nullable Indexer indexer;
  private boolean isClosed;

  /** Creates the parts; nothing is started yet. */
  public OpenAnalytics(NotificationSettings settings, AnalyticsMetrics metrics) {
    this.settings = settings;
    this.metrics = metrics;
    this.search = settings.analytics().search().map(OpenSearch::new);
    metrics.indexDown(this::isDown);
  }

  /** Returns what answers questions. */
  public AvailableAnalytics available() {
    return search
        .map(Analytics::new)
        .map(AvailableAnalytics::to)
        .orElseGet(AvailableAnalytics::none);
  }

  /**
   * Starts to publish events, if they are on.
   *
   * @param open receives the publisher
   */
  public Optional<EventPublisher> publisher(KafkaCluster cluster, OpenParts open) {
    return settings.analytics().hasEvents()
        ? Optional.of(
            open.add(
                EventPublisher.start(
                    cluster,
                    EventTopic.DEFAULT,
                    settings.sendTimeout(),
                    InstantSource.system(),
                    metrics)))
        : Optional.empty();
  }

  /** Starts the indexer, unless there is no OpenSearch, or it was started or closed before. */
  public void startIndexer(KafkaCluster cluster) {
    lock.lock();
    try {
      if (search.isPresent() && indexer == null && !isClosed) {
        indexer =
            Indexer.start(
                cluster, EventTopic.DEFAULT, search.get(), settings.analytics().indexer(), metrics);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns an observer of the send path. */
  public static SendObserver ofSends(Optional<EventPublisher> publisher) {
    return publisher.<SendObserver>map(events -> events).orElse(SendObserver.NONE);
  }

  /** Returns an observer of the sender, besides another. */
  public static SenderObserver ofSender(SenderObserver other, Optional<EventPublisher> publisher) {
    return publisher.map(events -> SenderObserver.both(other, events)).orElse(other);
  }

  /** Returns what has to know of messages that were cancelled. */
  public static Consumer<UUID> ofCancellations(
      MessageLog messages, Optional<EventPublisher> publisher) {
    return id -> publisher.ifPresent(events -> cancelled(id, messages, events));
  }

  private static void cancelled(UUID id, MessageLog messages, EventPublisher events) {
    try {
      messages.find(id).ifPresent(found -> events.cancelled(found.message()));
    } catch (StoreException e) {
      // The message is cancelled; only its event is missing.
      log.warn("The cancellation of message {} has no event: {}", id, e.getMessage());
    }
  }

  private boolean isDown() {
    Indexer known = indexer;
    return known != null && known.isDown();
  }

  /** Returns what operators should know; empty if there is nothing. */
  public List<String> warnings() {
    return search
        .filter(any -> isDown())
        .map(failing -> List.of(failing + " does not take events, which wait in Kafka"))
        .orElse(List.of());
  }

  @Override
  public void close() {
    lock.lock();
    try {
      isClosed = true;
    } finally {
      lock.unlock();
    }
    Indexer known = indexer;
    try {
      if (known != null) {
        known.close();
      }
    } finally {
      search.ifPresent(OpenSearch::close);
    }
  }

  @Override
  public String toString() {
    return "analytics";
  }
}
