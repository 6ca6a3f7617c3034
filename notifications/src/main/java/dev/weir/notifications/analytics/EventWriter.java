package dev.weir.notifications.analytics;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes documents to OpenSearch, and keeps its indices. Used by one thread. */
final class EventWriter {
  private static final Logger log = LoggerFactory.getLogger(EventWriter.class);
  private static final long BETWEEN_REMOVALS_NANOS = Duration.ofHours(1).toNanos();

  private final OpenSearch search;
  private final EventIndices indices;
  private final AnalyticsObserver observer;
  private volatile boolean isDown;

  /** True if the template exists, as far as it is known, and the time of OpenSearch was read. */
  private boolean isPrepared;

  private long removedNanos = System.nanoTime() - BETWEEN_REMOVALS_NANOS;

  EventWriter(OpenSearch search, EventIndices indices, AnalyticsObserver observer) {
    this.search = search;
    this.indices = indices;
    this.observer = observer;
  }

  /** Returns true if OpenSearch failed and has not answered since. Thread-safe. */
  boolean isDown() {
    return isDown;
  }

  /** Creates the template; returns false if OpenSearch does not answer. */
  boolean prepare() {
    try {
      if (!isPrepared) {
        indices.createTemplate();
        indices.readTime();
        isPrepared = true;
        answered();
      }
      return true;
    } catch (OpenSearchException e) {
      failed(e);
      return false;
    }
  }

  /** Removes old indices, now and then. */
  void removeOld() {
    if (System.nanoTime() - removedNanos < BETWEEN_REMOVALS_NANOS) {
      return;
    }
    removedNanos = System.nanoTime();
    try {
      List<String> removed = indices.removeOld();
      answered();
      if (!removed.isEmpty()) {
        log.info("Removed old indices: {}", removed);
      }
    } catch (OpenSearchException e) {
      failed(e);
    }
  }

  /** Returns the documents of records. Records that are no events are left out. */
  List<EventDocument> documents(Iterable<ConsumerRecord<byte[], byte[]>> records) {
    List<EventDocument> documents = new ArrayList<>();
    int invalid = 0;
    for (ConsumerRecord<byte[], byte[]> record : records) {
      Optional<EventDocument> document = EventDocument.of(record);
      document.ifPresent(documents::add);
      invalid += document.isPresent() ? 0 : 1;
    }
    if (invalid > 0) {
      observer.rejected(invalid);
      log.warn("{} records are no events: not indexed", invalid);
    }
    return documents;
  }

  /** Writes documents, and returns those that OpenSearch has not taken but may take later. */
  List<EventDocument> write(List<EventDocument> documents) {
    // Without the template, the indices would get other mappings.
    if (documents.isEmpty() || !prepare()) {
      return documents;
    }
    List<EventDocument> kept = kept(documents);
    return kept.isEmpty() ? kept : send(kept);
  }

  private List<EventDocument> kept(List<EventDocument> documents) {
    List<EventDocument> kept =
        documents.stream().filter(document -> indices.isKept(document.day())).toList();
    int others = documents.size() - kept.size();
    if (others > 0) {
      observer.rejected(others);
      log.warn("{} events are not of the days that are kept: not indexed", others);
    }
    return kept;
  }

  private List<EventDocument> send(List<EventDocument> documents) {
    try {
      BulkResult result = BulkResult.of(search, documents);
      observer.indexed(result.indexed());
      observer.duplicates(result.duplicates());
      if (!result.rejected().isEmpty()) {
        rejected(result.rejected(), String.join(", ", result.reasons()));
      }
      if (result.retry().isEmpty()) {
        answered();
      } else {
        failed(new OpenSearchException(search + " is too busy for all events"));
      }
      return result.retry();
    } catch (OpenSearchException e) {
      if (e.isAboutContent()) {
        return writeHalves(documents, e);
      }
      // It may be a new cluster when it is back.
      isPrepared = false;
      failed(e);
      return documents;
    }
  }

  /** Finds out what it is that OpenSearch does not accept, or sends less at a time. */
  private List<EventDocument> writeHalves(List<EventDocument> documents, OpenSearchException why) {
    if (documents.size() == 1) {
      rejected(documents, String.valueOf(why.getMessage()));
      return List.of();
    }
    int half = documents.size() / 2;
    List<EventDocument> left = new ArrayList<>(write(documents.subList(0, half)));
    left.addAll(write(documents.subList(half, documents.size())));
    return left;
  }

  private void rejected(List<EventDocument> documents, String reason) {
    observer.rejected(documents.size());
    log.warn(
        "OpenSearch does not accept {} events, the first is {}: {}",
        documents.size(),
        documents.getFirst().id(),
        reason);
  }

  private void failed(OpenSearchException e) {
    if (!isDown) {
      isDown = true;
      log.warn("Events wait in Kafka until OpenSearch takes them: {}", e.getMessage());
    }
  }

  private void answered() {
    if (isDown) {
      isDown = false;
      log.info("OpenSearch takes events again");
    }
  }
}
