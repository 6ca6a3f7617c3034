package dev.weir.notifications.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CloseOptions.GroupMembershipOperation;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Creates clients of a cluster with the settings that the guarantees depend on. */
public final class KafkaClients {
  /** Messages that wait for a broker take no more memory than this. */
  private static final long BUFFER_BYTES = 16L << 20;

  /** Some hundred messages of one partition. */
  private static final int BATCH_BYTES = 64 << 10;

  private static final long BACKGROUND_BUFFER_BYTES = 4L << 20;
  private static final int BACKGROUND_LINGER_MILLIS = 20;

  /** A rebalance waits this long for a sender, and that for answers of its provider. */
  private static final Duration MAX_POLL_INTERVAL = Duration.ofMinutes(5);

  /** A consumer that seeks waits until the request that is on its way has been answered. */
  private static final Duration MAX_FETCH_WAIT = Duration.ofMillis(100);

  private static final Duration MAX_RECONNECT_PAUSE = Duration.ofSeconds(1);

  private final String bootstrapServers;
  private final Map<String, String> clientProperties;

  private KafkaClients(String bootstrapServers, Map<String, String> clientProperties) {
    this.bootstrapServers = bootstrapServers;
    this.clientProperties = clientProperties;
  }

  /**
   * Returns the clients of a cluster.
   *
   * @throws KafkaUnavailableException if the cluster has no address within {@code maxWait}
   */
  public static KafkaClients of(KafkaCluster cluster, Duration maxWait) {
    String servers =
        cluster
            .bootstrapServers(maxWait)
            .orElseThrow(
                () ->
                    new KafkaUnavailableException(
                        cluster
                            + (cluster.isStarting() ? " is being started" : " is not running")
                            + ", after a wait of up to "
                            + maxWait));
    return new KafkaClients(servers, cluster.clientProperties());
  }

  /**
   * Returns a producer whose acknowledgement means that all replicas in sync have the record, and
   * that writes a record once, however often it has to send it.
   *
   * @param sendTimeout the fate of each record is known after this time. Half of it may pass until
   *     the record is in the buffer, half until the broker acknowledges it
   */
  public KafkaProducer<byte[], byte[]> producer(Duration sendTimeout) {
    return producer(producerConfig(sendTimeout));
  }

  /**
   * Returns producers as {@link #producer} does. Together they take no more memory than one, and
   * each has a client id of its own: a configured one is followed by the number of the producer.
   */
  public List<Producer<byte[], byte[]>> producers(int count, Duration sendTimeout) {
    List<Producer<byte[], byte[]>> opened = new ArrayList<>(count);
    try {
      for (int number = 1; number <= count; number++) {
        Map<String, Object> config = producerConfig(sendTimeout);
        config.put(ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER_BYTES / count);
        String suffix = "-" + number;
        config.computeIfPresent(ProducerConfig.CLIENT_ID_CONFIG, (name, id) -> id + suffix);
        opened.add(producer(config));
      }
      return opened;
    } catch (RuntimeException | Error e) {
      opened.forEach(producer -> producer.close(Duration.ZERO));
      throw e;
    }
  }

  private static KafkaProducer<byte[], byte[]> producer(Map<String, Object> config) {
    return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private Map<String, Object> producerConfig(Duration sendTimeout) {
    long halfMillis = Math.max(2, sendTimeout.toMillis() / 2);
    Map<String, Object> config = common();
    config.put(ProducerConfig.ACKS_CONFIG, "all");
    config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    config.put(ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER_BYTES);
    config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, halfMillis);
    config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, (int) halfMillis);
    // Half of that again, so that a request that is lost is repeated in time.
    config.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) (halfMillis / 2));
    // Callers wait for each record. A batch forms while the one before it is on its way; several of
    // them on their way would only be smaller, because a broker answers a connection in order.
    config.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    config.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
    config.put(ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES);
    return config;
  }

  /**
   * Returns a producer for records that no caller waits for: it gathers them for a moment before it
   * sends them, and has little memory.
   *
   * @param timeout maximum time until a record is in the buffer, and until the broker has it
   */
  public KafkaProducer<byte[], byte[]> backgroundProducer(Duration timeout) {
    int millis = (int) Math.max(2, timeout.toMillis());
    Map<String, Object> config = common();
    config.put(ProducerConfig.ACKS_CONFIG, "all");
    config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    config.put(ProducerConfig.BUFFER_MEMORY_CONFIG, BACKGROUND_BUFFER_BYTES);
    config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, (long) millis);
    config.put(ProducerConfig.LINGER_MS_CONFIG, BACKGROUND_LINGER_MILLIS);
    config.put(
        ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Math.max(millis, 2 * BACKGROUND_LINGER_MILLIS));
    config.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, Math.max(1, millis / 2));
    return producer(config);
  }

  /**
   * Returns a consumer that commits only what it is told to, and reads from the beginning of a
   * partition if its position is not there.
   *
   * @param maxPoll maximum number of records that one poll returns
   */
  public KafkaConsumer<byte[], byte[]> consumer(String group, int maxPoll) {
    return new KafkaConsumer<>(
        consumerConfig(group, maxPoll, "earliest"),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer());
  }

  /**
   * Returns a consumer as {@link #consumer} does that takes the place of an earlier one of the same
   * name in the group immediately, even if that one could not leave because Kafka did not answer.
   * Without a name, all partitions would wait until the session of the earlier one has ended.
   * {@link #close} closes it.
   *
   * @param name differs between members that are open at the same time
   */
  public KafkaConsumer<byte[], byte[]> member(String group, String name, int maxPoll) {
    Map<String, Object> config = consumerConfig(group, maxPoll, "earliest");
    config.put(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG, name);
    return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /**
   * Closes a member of a group.
   *
   * @param isLeaving whether its partitions go to other members immediately. Otherwise they wait
   *     for the next member of its name, until its session has ended
   */
  public static void close(Consumer<byte[], byte[]> member, boolean isLeaving) {
    member.close(
        CloseOptions.groupMembershipOperation(
            isLeaving
                ? GroupMembershipOperation.LEAVE_GROUP
                : GroupMembershipOperation.REMAIN_IN_GROUP));
  }

  /** Returns a consumer as {@link #consumer} does, but one that fails without its position. */
  public KafkaConsumer<byte[], byte[]> strictConsumer(String group, int maxPoll) {
    return new KafkaConsumer<>(
        consumerConfig(group, maxPoll, "none"),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer());
  }

  private Map<String, Object> consumerConfig(String group, int maxPoll, String reset) {
    Map<String, Object> config = common();
    config.put(ConsumerConfig.GROUP_ID_CONFIG, group);
    config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, reset);
    config.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, maxPoll);
    config.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, (int) MAX_FETCH_WAIT.toMillis());
    config.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, (int) MAX_POLL_INTERVAL.toMillis());
    config.put(
        ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
        CooperativeStickyAssignor.class.getName());
    return config;
  }

  /** Returns a client for topics whose calls take no longer than {@code timeout}. */
  public Admin admin(Duration timeout) {
    int millis = (int) Math.max(2, timeout.toMillis());
    Map<String, Object> config = common();
    config.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis);
    config.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, millis / 2);
    return Admin.create(config);
  }

  private Map<String, Object> common() {
    Map<String, Object> config = new HashMap<>(clientProperties);
    config.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    config.put(CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG, MAX_RECONNECT_PAUSE.toMillis());
    return config;
  }
}
