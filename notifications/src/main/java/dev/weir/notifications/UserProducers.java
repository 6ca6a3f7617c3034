package dev.weir.notifications;

import dev.weir.notifications.kafka.KafkaClients;
import dev.weir.notifications.kafka.Topics;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.utils.Utils;

/**
 * Several producers of messages. A user always has the same one, so the messages of a user keep
 * their order.
 *
 * <p>Each producer has a connection of its own, and a broker answers the requests of a connection
 * one after the other. So the broker writes as many requests at a time as there are producers, and
 * each still gathers the next batch while its last one is on its way. Thread-safe.
 */
final class UserProducers {
  /**
   * One for two partitions of a topic that Weir creates: a request costs the broker more than a
   * message in it, and one request at a time would leave the disk idle.
   */
  static final int COUNT = Topics.PARTITIONS / 2;

  private final List<Producer<byte[], byte[]>> producers;

  UserProducers(List<Producer<byte[], byte[]>> producers) {
    this.producers = List.copyOf(producers);
  }

  static UserProducers open(KafkaClients clients, Duration sendTimeout) {
    return new UserProducers(clients.producers(COUNT, sendTimeout));
  }

  /**
   * Returns the producer of a user.
   *
   * @param key the key of the user's records. Kafka chooses the partition by the same hash, so if
   *     the number of partitions is a multiple of that of producers, each partition has one
   *     producer, and batches as large as with a single one
   */
  Producer<byte[], byte[]> of(byte[] key) {
    return producers.get(Utils.toPositive(Utils.murmur2(key)) % producers.size());
  }

  /**
   * Closes all producers at the same time, also if one of them fails.
   *
   * @param maxWait maximum time for which each waits for records that are on their way
   */
  void close(Duration maxWait) {
    try (ExecutorService closers = Executors.newVirtualThreadPerTaskExecutor()) {
      CompletableFuture.allOf(
              producers.stream()
                  .map(
                      producer ->
                          CompletableFuture.runAsync(() -> producer.close(maxWait), closers))
                  .toArray(CompletableFuture[]::new))
          .join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException failure ? failure : e;
    }
  }
}
