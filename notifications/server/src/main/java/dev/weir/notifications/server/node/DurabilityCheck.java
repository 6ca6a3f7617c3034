package dev.weir.notifications.server.node;

import dev.weir.node.lifecycle.OpenParts;
import dev.weir.node.lifecycle.Upkeep;
import dev.weir.notifications.kafka.KafkaCluster;
import dev.weir.notifications.kafka.KafkaUnavailableException;
import dev.weir.notifications.kafka.MessageTopics;
import dev.weir.notifications.kafka.TopicDurability;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns if a Kafka of the user's may lose messages that it has acknowledged. It looks soon after
 * the start, when the topics are there, and from time to time, because operators change them. Each
 * finding is logged once until it changes. Thread-safe, and run by one thread.
 */
public final class DurabilityCheck implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(DurabilityCheck.class);

  /** How often it runs; it looks only every {@link #BETWEEN_LOOKS} once it has succeeded. */
  private static final Duration EVERY = Duration.ofSeconds(2);

  private static final Duration BETWEEN_LOOKS = Duration.ofMinutes(5);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final KafkaCluster cluster;
  private final MessageTopics topics;
  private volatile List<String> problems = List.of();

  /** When it looks next; belongs to the thread. */
  private long nextNanos = System.nanoTime();

  /**
   * Starts to look at the topics of messages.
   *
   * @param open receives what has to be closed
   */
  public static DurabilityCheck start(KafkaCluster cluster, OpenParts open) {
    DurabilityCheck check = new DurabilityCheck(cluster, MessageTopics.DEFAULT);
    open.add(Upkeep.start("check of topics", check, EVERY));
    return check;
  }

  private DurabilityCheck(KafkaCluster cluster, MessageTopics topics) {
    this.cluster = cluster;
    this.topics = topics;
  }

  @Override
  public void run() {
    if (System.nanoTime() - nextNanos < 0) {
      return;
    }
    List<String> found;
    try {
      found = TopicDurability.problems(cluster, topics, TIMEOUT);
    } catch (KafkaUnavailableException e) {
      // That Kafka is missing is reported where messages are published and read.
      log.debug("The topics are not checked yet: {}", e.getMessage());
      return;
    }
    nextNanos = System.nanoTime() + BETWEEN_LOOKS.toNanos();
    if (!found.equals(problems)) {
      found.forEach(log::warn);
      if (found.isEmpty()) {
        log.info("Kafka keeps what it has acknowledged, as far as the settings of topics say");
      }
    }
    problems = found;
  }

  /** Returns what operators should know. */
  public List<String> warnings() {
    return problems;
  }
}
