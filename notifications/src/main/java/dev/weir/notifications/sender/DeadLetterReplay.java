package dev.weir.notifications.sender;

import dev.weir.notifications.Replayed;
import dev.weir.notifications.kafka.KafkaClients;
import dev.weir.notifications.kafka.KafkaCluster;
import dev.weir.notifications.kafka.KafkaUnavailableException;
import dev.weir.notifications.kafka.MessageTopics;
import dev.weir.notifications.messages.ReplayLock;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;

/**
 * Publishes dead letters again, so that the sender tries them again. Each letter is replayed once,
 * because one run of all nodes works at a time. A run that is aborted may have replayed some that
 * the next run replays again, and the sender delivers a message once.
 */
public final class DeadLetterReplay {
  private static final String GROUP = "weir-replay";
  private static final int MAX_POLL = 500;

  private final KafkaCluster cluster;
  private final MessageTopics topics;
  private final Duration timeout;
  private final ReplayLock lock;

  /**
   * Creates a replay.
   *
   * @param timeout maximum time for each answer of Kafka
   */
  public DeadLetterReplay(
      KafkaCluster cluster, MessageTopics topics, Duration timeout, ReplayLock lock) {
    this.cluster = cluster;
    this.topics = topics;
    this.timeout = timeout;
    this.lock = lock;
  }

  /**
   * Replays the dead letters that there are now.
   *
   * @return what was done; empty if nothing was, because another run is in progress
   * @throws KafkaUnavailableException if Kafka fails; a part may have been published
   * @throws dev.weir.StoreException if the lock fails; a part may have been published
   */
  public Optional<Replayed> run() {
    AtomicReference<Replayed> replayed = new AtomicReference<>(Replayed.NONE);
    return lock.run(() -> replayed.set(replay()))
        ? Optional.of(Objects.requireNonNull(replayed.get()))
        : Optional.empty();
  }

  private Replayed replay() {
    KafkaClients clients = KafkaClients.of(cluster, timeout);
    Admin admin = clients.admin(timeout);
    try (Consumer<byte[], byte[]> consumer = clients.strictConsumer(GROUP, MAX_POLL);
        Producer<byte[], byte[]> producer = clients.producer(timeout)) {
      TopicIdentity identity = new TopicIdentity(admin, topics.deadLetters(), timeout);
      return new ReplayRun(consumer, producer, topics, identity, timeout).run();
    } catch (KafkaException | ExecutionException e) {
      throw new KafkaUnavailableException("the replay was aborted: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KafkaUnavailableException("the replay was interrupted", e);
    } finally {
      // Without a wait for what it has asked.
      admin.close(Duration.ZERO);
    }
  }
}
