package dev.weir.server.notifications;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Setting;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.wiring.Node;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.notifications.server.node.NotificationSetting;
import dev.weir.server.faults.Database;
import dev.weir.server.faults.KafkaProcess;
import dev.weir.server.faults.MessageTables;
import dev.weir.server.faults.Ports;
import dev.weir.server.faults.RedisProcess;
import dev.weir.server.faults.Relay;
import dev.weir.server.faults.TopicReader;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import dev.weir.store.tck.internal.LossyRelay;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Two nodes on a PostgreSQL, a Redis and a Kafka, and what a test needs to look at these and to
 * break them. Kafka is reached through a relay that can be cut, and one that loses answers.
 */
final class NotificationStage implements AutoCloseable {
  /** Only a Kafka that is cut off takes so long. */
  private static final String PATIENT = "PT2M";

  /** How long a node waits for a Kafka that is cut off. */
  private static final String HASTY = "PT20S";

  /** Last first. */
  private final Deque<AutoCloseable> started;

  private final Database database;

  /** Far from all that a property makes up. */
  private final AtomicLong users = new AtomicLong(4_000_000_000_000_000_000L);

  private final RedisProcess redis;
  private final RedisEntries entries;
  private final KafkaProcess kafka;
  private final LossyRelay answers;
  private final Relay way;
  private final MessageTables tables;
  private final SmsLog sms;
  private final Http node;
  private final Http otherNode;
  private @Nullable TopicReader topic;
  private @Nullable Node hastyNode;
  private boolean isRedisDown;
  private boolean isBrokerCut;

  private NotificationStage(Path folder, Deque<AutoCloseable> started) throws IOException {
    this.started = started;
    database = add(Database.start(folder.resolve("data")));
    HikariDataSource connections = add(database.pool());
    tables = new MessageTables(connections::getConnection);
    redis = add(new RedisProcess(Ports.free(), folder.resolve("redis.log")));
    entries = new RedisEntries(redis.port());
    int port = Ports.free();
    answers = add(new LossyRelay(port));
    way = add(new Relay(answers.port()));
    kafka = add(KafkaProcess.start(folder.resolve("kafka"), port, way.port()));
    sms = add(new SmsLog());
    node = new Http(add(start(true, PATIENT)).address());
    otherNode = new Http(add(start(false, PATIENT)).address());
  }

  /** Starts everything; if a part does not start, the parts before it are stopped. */
  static NotificationStage start(Path folder) throws IOException {
    Deque<AutoCloseable> started = new ArrayDeque<>();
    try {
      return new NotificationStage(folder, started);
    } catch (IOException | RuntimeException | Error e) {
      stop(started);
      throw e;
    }
  }

  private static void stop(Deque<AutoCloseable> started) {
    while (!started.isEmpty()) {
      try {
        started.pop().close();
      } catch (Exception e) {
        throw new AssertionError("a part did not stop", e);
      }
    }
  }

  private Node start(boolean isSender, String sendTimeout) {
    Map<Setting, String> settings = new HashMap<>();
    settings.put(ServerSetting.PORT, "0");
    settings.put(ServerSetting.DRAIN, "PT0S");
    settings.put(StoreSetting.REDIS_URI, redis.address());
    settings.put(StoreSetting.REDIS_TIMEOUT, "PT1M");
    settings.put(NotificationSetting.KAFKA_SERVERS, kafka.address());
    settings.put(NotificationSetting.PROVIDER, "log");
    settings.put(NotificationSetting.SENDER, Boolean.toString(isSender));
    settings.put(NotificationSetting.SEND_TIMEOUT, sendTimeout);
    // Longer than a wait for a connection takes, even on a busy machine.
    settings.put(StoreSetting.DB_WAIT, "PT1M");
    return Node.start(Capabilities.read(settings, database.environment(), Optional.empty()));
  }

  private <T extends AutoCloseable> T add(T part) {
    started.push(part);
    return part;
  }

  /**
   * Waits until Redis has what the database has returned about a user last, so that nothing about
   * that user is on its way to Redis. In a fixed window that holds from the first message to the
   * last: the later ones are counted by Redis, and nothing is stored for them.
   */
  void awaitLearned(long user) {
    MessageTables.User stored = user(user);
    String entry = "%d %d %d".formatted(stored.rateLimit(), stored.used(), stored.revision());
    Waiting.until("the entry", () -> entries.read(user).equals(entry));
  }

  /** Returns a user that no test has used. */
  long newUser() {
    return users.incrementAndGet();
  }

  Http node() {
    return node;
  }

  Http otherNode() {
    return otherNode;
  }

  /**
   * Returns a third node, which gives up Kafka sooner. It runs until {@link #restore}, because it
   * would publish again what the others take longer to publish than it waits itself.
   */
  Http hasty() {
    Node running = hastyNode;
    if (running == null) {
      running = start(false, HASTY);
      hastyNode = running;
      Http http = new Http(running.address());
      long user = newUser();
      configure(user, 1_000_000).ok();
      Waiting.until("a third node", () -> send(http, user, "first").status() == 200);
    }
    return new Http(running.address());
  }

  private void stopHasty() {
    Node running = hastyNode;
    if (running != null) {
      hastyNode = null;
      running.close();
    }
  }

  MessageTables tables() {
    return tables;
  }

  RedisEntries entries() {
    return entries;
  }

  SmsLog sms() {
    return sms;
  }

  KafkaProcess kafka() {
    return kafka;
  }

  /** Loses answers of Kafka. */
  LossyRelay answers() {
    return answers;
  }

  TopicReader topic() {
    if (topic == null) {
      topic = new TopicReader(kafka);
    }
    return topic;
  }

  /** Begins to read the topic anew, after it was deleted. */
  void forgetTopic() {
    if (topic != null) {
      topic.close();
      topic = null;
    }
  }

  Http.Answer configure(long user, long limit) {
    return node.post("/api/config", configuration(user, limit, 60));
  }

  /**
   * Gives a user a limit by the database alone, so that no node that hears of it drops the entry in
   * Redis at some later moment.
   */
  void addUser(long user, long limit, Duration window, UserLimit.Algorithm algorithm) {
    try {
      tables.addUser(user, limit, window, algorithm.name().toLowerCase(Locale.ROOT));
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  static String configuration(long user, long limit, long minutes) {
    return "{\"userId\":%d,\"rateLimit\":%d,\"timeWindow\":%d}".formatted(user, limit, minutes);
  }

  Http.Answer send(long user, String text) {
    return send(node, user, text);
  }

  static Http.Answer send(Http node, long user, String text) {
    return node.post("/api/send", body(user, text));
  }

  static Http.Answer send(Http node, long user, String text, String key) {
    return node.with("Idempotency-Key", key).post("/api/send", body(user, text));
  }

  private static String body(long user, String text) {
    return "{\"userId\":%d,\"message\":\"%s\"}".formatted(user, escaped(text));
  }

  /** Returns a text as part of a JSON string. */
  private static String escaped(String text) {
    StringBuilder escaped = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < ' ' || c == '"' || c == '\\') {
        escaped.append("\\u%04x".formatted((int) c));
      } else {
        escaped.append(c);
      }
    }
    return escaped.toString();
  }

  /** Returns the count of a user as the database has it. */
  long used(long user) {
    return user(user).used();
  }

  MessageTables.User user(long user) {
    try {
      return tables.user(user).orElseThrow();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** Kills Redis until {@link #restore}. */
  void killRedis() {
    if (!isRedisDown) {
      isRedisDown = true;
      redis.kill();
    }
  }

  /** Starts Redis, without what it knew. */
  void startRedis() {
    if (isRedisDown) {
      try {
        redis.start();
      } catch (IOException e) {
        throw new AssertionError(e);
      }
      isRedisDown = false;
    }
  }

  void hangUpRedis() {
    try {
      redis.hangUp();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  boolean isRedisDown() {
    return isRedisDown;
  }

  /** Cuts the way to Kafka until {@link #restore}; returns when the hasty node knows it. */
  void cutBroker() {
    if (!isBrokerCut) {
      Http hasty = hasty();
      isBrokerCut = true;
      way.cut();
      long user = newUser();
      configure(user, 1_000_000).ok();
      Waiting.until("the end of Kafka", () -> send(hasty, user, "lost").status() == 503);
    }
  }

  /** Repairs what was broken; returns when it is used again. */
  void restore() {
    startRedis();
    if (isBrokerCut) {
      way.mend();
      isBrokerCut = false;
      long user = newUser();
      configure(user, 1_000_000).ok();
      Waiting.until("Kafka to be used again", () -> send(user, "back").status() == 200);
    }
    stopHasty();
  }

  @Override
  public void close() {
    stopHasty();
    forgetTopic();
    stop(started);
  }
}
