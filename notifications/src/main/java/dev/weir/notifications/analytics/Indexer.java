package dev.weir.notifications.analytics;

import dev.weir.notifications.kafka.KafkaClients;
import dev.weir.notifications.kafka.KafkaCluster;
import dev.weir.notifications.kafka.KafkaUnavailableException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads events and writes them to OpenSearch: each at least once, and since a document's id is the
 * id of its event, each document is there once. A position is committed only when OpenSearch has
 * what is before it. While OpenSearch does not answer, the indexer holds one batch and reads no
 * more; the others wait in Kafka.
 *
 * <p>Several indexers of one group share the partitions. If Kafka fails, the indexer reconnects
 * until it is closed, and keeps its place in the group meanwhile. An outage is logged once when it
 * begins and once when it ends.
 */
public final class Indexer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Indexer.class);
  private static final Duration RECONNECT_PAUSE = Duration.ofSeconds(1);
  private static final Duration MAX_CLOSE = Duration.ofSeconds(15);

  /** With what one poll returns, this bounds the memory. */
  private static final int MAX_POLL = 500;

  private final KafkaCluster cluster;
  private final EventTopic topic;
  private final IndexerSettings settings;
  private final EventWriter writer;
  private final Duration maxClose;
  private final CountDownLatch closed = new CountDownLatch(1);

  /** Its name in the group. */
  private final String member = UUID.randomUUID().toString();

  private final Thread thread;

  /** Used by the thread only. */
  private boolean isKafkaDown;

  private Indexer(
      KafkaCluster cluster,
      EventTopic topic,
      IndexerSettings settings,
      EventWriter writer,
      Duration maxClose) {
    this.cluster = cluster;
    this.topic = topic;
    this.settings = settings;
    this.writer = writer;
    this.maxClose = maxClose;
    this.thread = Thread.ofPlatform().daemon().name("weir-indexer").unstarted(this::run);
  }

  /** Starts an indexer. The client stays open when the indexer is closed. */
  public static Indexer start(
      KafkaCluster cluster,
      EventTopic topic,
      OpenSearch search,
      IndexerSettings settings,
      AnalyticsObserver observer) {
    return start(cluster, topic, search, settings, observer, MAX_CLOSE);
  }

  /**
   * Starts an indexer.
   *
   * @param maxClose how long a close waits for its end
   */
  static Indexer start(
      KafkaCluster cluster,
      EventTopic topic,
      OpenSearch search,
      IndexerSettings settings,
      AnalyticsObserver observer,
      Duration maxClose) {
    EventIndices indices = new EventIndices(search, settings.retention());
    Indexer indexer =
        new Indexer(cluster, topic, settings, new EventWriter(search, indices, observer), maxClose);
    indexer.thread.start();
    return indexer;
  }

  /** Returns true if OpenSearch failed and has not taken events since. */
  public boolean isDown() {
    return writer.isDown();
  }

  private void run() {
    do {
      try {
        consume();
      } catch (KafkaException | KafkaUnavailableException e) {
        if (!isKafkaDown) {
          isKafkaDown = true;
          log.warn("No events are indexed until Kafka is back: {}", e.getMessage());
        }
      } catch (RuntimeException | Error e) {
        // If this thread ended, nothing would be indexed any more.
        log.error("The indexer failed and starts again", e);
      }
    } while (!awaitClosed(RECONNECT_PAUSE));
  }

  private void consume() {
    KafkaClients clients = KafkaClients.of(cluster, settings.kafkaTimeout());
    try (Admin admin = clients.admin(settings.kafkaTimeout())) {
      topic.create(admin);
    }
    Consumer<byte[], byte[]> consumer = clients.member(settings.group(), member, MAX_POLL);
    try {
      if (isKafkaDown) {
        isKafkaDown = false;
        log.info("Events are read again");
      }
      new EventReader(consumer, topic.name(), writer, settings).run(this::isClosed);
    } finally {
      KafkaClients.close(consumer, isClosed());
    }
  }

  private boolean isClosed() {
    return closed.getCount() == 0;
  }

  private boolean awaitClosed(Duration max) {
    try {
      return closed.await(max.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      return true;
    }
  }

  /** Stops after the request that is in progress. What is not committed is read again later. */
  @Override
  public void close() {
    closed.countDown();
    try {
      thread.join(maxClose);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public String toString() {
    return "the indexer";
  }
}
