package dev.weir.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.server.faults.MessageHistory.Counted;
import dev.weir.server.faults.MessageHistory.Delivered;
import dev.weir.server.faults.MessageHistory.OnTopic;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Messages while one after the other of what they need is killed under load and started again. The
 * sender is a process of its own, so that it is known what was handed over. {@code ./weir faults}
 * repeats each fault ten times.
 */
@EnabledIf("dev.weir.server.faults.RedisProcess#isInstalled")
@Timeout(value = 1, unit = TimeUnit.HOURS)
final class MessagesUnderFaultsIT {
  private static final Logger log = LoggerFactory.getLogger(MessagesUnderFaultsIT.class);
  private static final int ROUNDS = Integer.getInteger("weir.faults.rounds", 1);
  private static final int CALLERS = 4;
  private static final int SENT_BETWEEN = 50;
  private static final Duration BOUND = Duration.ofMinutes(3);
  private static final Pattern DELIVERED = Pattern.compile("SMS Sent: (\\d+): ([0-9-]+)");
  private static final String KAFKA_DOWN = "Kafka Down : Service Unavailable";
  private static final String DATABASE_DOWN = "Postgres Down : Service Unavailable";
  private static final String SEND_TIMEOUT = "WEIR_NOTIFICATIONS_SEND_TIMEOUT";

  /** Only a Kafka that was killed takes so long. */
  private static final String PATIENT = "PT2M";

  /** How long the callers are kept waiting by a Kafka that was killed. */
  private static final String HASTY = "PT10S";

  /** What is killed. */
  enum Fault {
    NODE,
    REDIS,
    POSTGRESQL,
    /** The last, because the node is started again for it. */
    KAFKA
  }

  @AutoClose private static final StartedParts STARTED = new StartedParts();

  @TempDir private static Path folder;
  private static Database database;
  private static HikariDataSource connections;
  private static MessageTables tables;
  private static RedisProcess redis;
  private static KafkaProcess kafka;
  private static NodeProcess node;
  private static NodeProcess sender;
  private static Target target;
  private static String sendTimeout = PATIENT;

  /** Each run has its own users. */
  private static long nextUser = 1_000;

  @BeforeAll
  static void start() throws Exception {
    database = STARTED.add(Database.start(folder.resolve("data")));
    connections = STARTED.add(database.pool());
    tables = new MessageTables(connections::getConnection);
    redis = STARTED.add(new RedisProcess(Ports.free(), folder.resolve("redis.log")));
    int port = Ports.free();
    kafka = STARTED.add(KafkaProcess.start(folder.resolve("kafka"), port, port));
    Map<String, String> settings = new HashMap<>(database.environment());
    settings.put("WEIR_KAFKA_BOOTSTRAP_SERVERS", kafka.address());
    settings.put("WEIR_NOTIFICATIONS_PROVIDER", "log");
    settings.put(SEND_TIMEOUT, PATIENT);
    // The sender does not migrate the database, so the node is first.
    Map<String, String> sending = new HashMap<>(settings);
    settings.put("WEIR_NOTIFICATIONS_SENDER", "false");
    settings.put("WEIR_REDIS_URI", redis.address());
    settings.put("WEIR_REDIS_TIMEOUT", "PT1M");
    node = STARTED.add(NodeProcess.start(folder.resolve("node.log"), settings)).awaitReady();
    sender = STARTED.add(NodeProcess.startSender(folder.resolve("sender.log"), sending));
    target = STARTED.add(new Target(node.address()));
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void noMessageIsLostOrDoubledOrAboveTheLimit(Fault fault) throws Exception {
    waitForKafka(fault == Fault.KAFKA ? HASTY : PATIENT);
    for (int round = 1; round <= ROUNDS; round++) {
      long beganNanos = System.nanoTime();
      MessageHistory history = run(fault);
      List<MessageChecker.Violation> violations = MessageChecker.check(history);
      log.info(
          "Round {} of {}: {} requests, {} messages, {} records, {} violations in {} ms",
          round,
          fault,
          history.attempts().size(),
          history.counted().size(),
          history.topic().size(),
          violations.size(),
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos));
      assertThat(violations).isEmpty();
      assertThat(history.counted()).hasSizeGreaterThanOrEqualTo(SENT_BETWEEN);
    }
  }

  /** Has the node wait so long for Kafka. */
  private static void waitForKafka(String timeout) throws IOException {
    if (!timeout.equals(sendTimeout)) {
      node.kill();
      node.restart(SEND_TIMEOUT, timeout);
      node.awaitReady();
      sendTimeout = timeout;
    }
  }

  private static MessageHistory run(Fault fault) throws Exception {
    long firstUser = nextUser;
    nextUser += MessageLoad.USERS;
    try (MessageLoad load = new MessageLoad(target, tables, redis, firstUser)) {
      if (fault == Fault.KAFKA) {
        // A busy machine may keep a Kafka that runs from answering in so short a time.
        load.excuse(KAFKA_DOWN);
      }
      load.start(CALLERS);
      load.awaitSent(SENT_BETWEEN);
      strike(fault, load);
      load.awaitSent(SENT_BETWEEN);
      load.finish();
      assertThat(load.unexpected()).isEmpty();
      return history(load, firstUser);
    }
  }

  /** Kills a part, and starts it again. */
  private static void strike(Fault fault, MessageLoad load) throws Exception {
    switch (fault) {
      case NODE -> {
        target.excuse(Target.Excuse.KILLED);
        node.kill();
        node.restart();
        node.awaitReady();
        target.excuse(Target.Excuse.NONE);
      }
      case REDIS -> {
        redis.kill();
        load.awaitSent(SENT_BETWEEN);
        redis.start();
      }
      case KAFKA -> {
        kafka.kill();
        load.awaitUnavailable();
        kafka.start();
      }
      case POSTGRESQL -> {
        load.excuse(DATABASE_DOWN);
        database.kill();
        connections.getHikariPoolMXBean().softEvictConnections();
      }
    }
  }

  private static MessageHistory history(MessageLoad load, long firstUser)
      throws SQLException, IOException {
    // What is in the outbox would be published some seconds later.
    tables.ageOutbox();
    Waiting.until("an empty outbox", BOUND, () -> isOutboxEmpty());
    List<OnTopic> topic = new ArrayList<>();
    try (TopicReader reader = new TopicReader(kafka)) {
      for (TopicReader.Entry entry : reader.readAll()) {
        if (isOf(entry.userId(), firstUser, load)) {
          topic.add(
              new OnTopic(
                  entry.partition(),
                  entry.offset(),
                  entry.userId(),
                  entry.messageId(),
                  entry.text()));
        }
      }
      reader.awaitSender();
    }
    List<MessageHistory.User> users = new ArrayList<>();
    for (long userId = firstUser; userId <= load.lastUser(); userId++) {
      MessageTables.User user = tables.user(userId).orElseThrow();
      Map<Long, Long> limits = new HashMap<>(load.limits(userId));
      limits.put(user.version(), user.rateLimit());
      users.add(
          new MessageHistory.User(
              userId, limits, user.windowMicros(), user.version(), user.atMicros(), user.used()));
    }
    List<Counted> counted =
        tables.messages(firstUser, load.lastUser()).stream()
            .map(
                message ->
                    new Counted(
                        message.id(),
                        message.userId(),
                        Optional.of(message.key()).filter(key -> !key.isEmpty()),
                        message.text(),
                        message.cost(),
                        message.takenAtMicros(),
                        message.version()))
            .toList();
    return new MessageHistory(load.attempts(), users, counted, topic, delivered(firstUser, load));
  }

  private static boolean isOutboxEmpty() throws IOException {
    try {
      return tables.outboxSize() == 0;
    } catch (SQLException e) {
      throw new IOException(e);
    }
  }

  private static boolean isOf(long userId, long firstUser, MessageLoad load) {
    return userId >= firstUser && userId <= load.lastUser();
  }

  private static List<Delivered> delivered(long firstUser, MessageLoad load) {
    List<Delivered> delivered = new ArrayList<>();
    Matcher line = DELIVERED.matcher(sender.log());
    while (line.find()) {
      long userId = Long.parseLong(line.group(1));
      if (isOf(userId, firstUser, load)) {
        delivered.add(new Delivered(userId, line.group(2)));
      }
    }
    return delivered;
  }
}
