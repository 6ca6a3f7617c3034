package dev.weir.benchmarks.notifications;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.limits.CircuitBreaker;
import dev.weir.notifications.HotFilter;
import dev.weir.notifications.KafkaPublisher;
import dev.weir.notifications.Notifications;
import dev.weir.notifications.Outbox;
import dev.weir.notifications.jdbc.JdbcDeferredMessages;
import dev.weir.notifications.jdbc.JdbcSendLedger;
import dev.weir.notifications.jdbc.JdbcUserLimits;
import dev.weir.notifications.kafka.KafkaCluster;
import dev.weir.notifications.kafka.MessageTopics;
import dev.weir.notifications.messages.DeferredMessages;
import dev.weir.notifications.messages.SendLedger;
import dev.weir.notifications.messages.SendRequest.WhenClosed;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.notifications.redis.RedisHotCounts;
import dev.weir.store.redis.Redis;
import dev.weir.store.redis.RedisSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** Weir in this process, assembled as in the server, with Redis. */
final class WeirPath implements SendPath {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final Duration WINDOW = Duration.ofDays(1);
  private static final int CONFIGURED_AT_A_TIME = 64;

  private static final String COUNTED =
      "select user_id, used from notification_user where used > 0";

  private static final String STORED =
      "select user_id, count(*) from notification_message group by user_id";

  private static final String UNPUBLISHED =
      "select user_id, count(*) from notification_outbox"
          + " join notification_message on id = message_id group by user_id";

  private final DataSource database;
  private final Redis redis;
  private final HotFilter hot;
  private final Outbox outbox;
  private final KafkaPublisher publisher;
  private final Notifications notifications;

  private WeirPath(HikariDataSource database, String redisUri, KafkaCluster cluster) {
    SendLedger ledger = new JdbcSendLedger(database);
    this.database = database;
    this.redis = Redis.open(RedisSettings.of(redisUri));
    this.hot = new HotFilter(new RedisHotCounts(redis), CircuitBreaker.Settings.DEFAULT);
    this.outbox = new Outbox(ledger);
    this.publisher = new KafkaPublisher(cluster, MessageTopics.DEFAULT, TIMEOUT);
    this.notifications =
        Notifications.builder(
                new JdbcUserLimits(database),
                ledger,
                new JdbcDeferredMessages(database, DeferredMessages.DEFAULT_MAX_PER_USER),
                outbox,
                publisher)
            .hot(hot)
            .maxStoreWait(TIMEOUT)
            .build();
  }

  /**
   * Opens the path.
   *
   * @param database Weir's pool, with its tables; closed by the caller
   */
  static WeirPath open(HikariDataSource database, String redisUri, KafkaCluster cluster) {
    return new WeirPath(database, redisUri, cluster);
  }

  @Override
  public void limit(long firstUser, int users, long rateLimit) throws Exception {
    List<Future<?>> configured = new ArrayList<>(users);
    try (ExecutorService executor = Executors.newFixedThreadPool(CONFIGURED_AT_A_TIME)) {
      for (int i = 0; i < users; i++) {
        UserLimit limit = UserLimit.of(firstUser + i, rateLimit, WINDOW);
        configured.add(executor.submit(() -> notifications.configure(limit)));
      }
    }
    for (Future<?> each : configured) {
      each.get();
    }
  }

  @Override
  public boolean send(long userId, String text) {
    SendResult.Answer outcome =
        notifications.send(userId, text, Optional.empty(), WhenClosed.REFUSE);
    if (outcome instanceof SendResult.Sent) {
      return true;
    }
    if (outcome instanceof SendResult.Limited || outcome instanceof SendResult.LimitedEarly) {
      return false;
    }
    throw new IllegalStateException("the message was neither sent nor limited: " + outcome);
  }

  @Override
  public String topic() {
    return MessageTopics.DEFAULT.outbound();
  }

  @Override
  public Map<Long, Long> counted() throws Exception {
    awaitEmptyOutbox();
    Map<Long, Long> counted = UserCounts.read(database, COUNTED);
    UserCounts.requireEqual("stored messages", counted, UserCounts.read(database, STORED));
    return counted;
  }

  /** Published messages leave the outbox in the background. */
  private void awaitEmptyOutbox() throws Exception {
    long deadlineNanos = System.nanoTime() + TIMEOUT.toNanos();
    while (true) {
      Map<Long, Long> unpublished = UserCounts.read(database, UNPUBLISHED);
      if (unpublished.isEmpty()) {
        return;
      }
      if (System.nanoTime() - deadlineNanos > 0) {
        throw new IllegalStateException("messages stay in the outbox, by user: " + unpublished);
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  @Override
  public void close() {
    outbox.close();
    publisher.close();
    hot.close();
    redis.close();
  }
}
