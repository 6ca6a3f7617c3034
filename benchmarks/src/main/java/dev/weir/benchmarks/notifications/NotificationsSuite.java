package dev.weir.benchmarks.notifications;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.benchmarks.BenchRedis;
import dev.weir.benchmarks.Machine;
import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.Suite;
import dev.weir.benchmarks.slots.BenchDatabase;
import dev.weir.notifications.kafka.KafkaClients;
import dev.weir.notifications.kafka.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.utils.AppInfoParser;

/**
 * The notifications benchmarks: messages of one user, of many, and of one over the limit, against a
 * row lock that is held until the broker has acknowledged. Both sides use the same PostgreSQL and
 * the same Kafka, and at the end each must have counted exactly the messages that it published.
 */
public final class NotificationsSuite implements Suite {
  /** The default of Kafka's producer. */
  static final int LINGER_MILLIS = 5;

  private static final Duration MAX_WAIT = Duration.ofSeconds(30);

  @Override
  public String name() {
    return "notifications";
  }

  @Override
  public Outcome run(Request request) throws Exception {
    Effort effort = Effort.of(request.quick());
    List<Row> rows = new ArrayList<>();
    try (BenchDatabase database = BenchDatabase.open(request.databaseUrl());
        BenchRedis redis = BenchRedis.start();
        BenchKafka kafka = BenchKafka.start();
        HikariDataSource weirPool = database.weirPool();
        HikariDataSource peerPool = database.pool()) {
      createTopic(kafka);
      RowLockPath.prepare(database);
      try (SendPath weir = WeirPath.open(weirPool, redis.uri(), kafka.cluster());
          SendPath rowLock = RowLockPath.open(peerPool, kafka, 0);
          SendPath lingering = RowLockPath.open(peerPool, kafka, LINGER_MILLIS)) {
        for (SendCase each : SendCase.values()) {
          if (request.isWanted(each.caseName())) {
            request.progress().accept("notifications: " + each.title());
            rows.addAll(
                each.run(weir, rowLock, lingering, () -> database.execute("checkpoint"), effort));
          }
        }
        request.progress().accept("notifications: comparing counts and messages");
        UserCounts.verify(weir, kafka.cluster());
        UserCounts.verify(rowLock, kafka.cluster());
      }
      Map<String, String> facts = new LinkedHashMap<>(Machine.facts(peerPool));
      facts.put("Redis", redis.version());
      facts.put("Kafka", AppInfoParser.getVersion() + ", in this process, flushes each batch");
      return new Outcome(facts, rows);
    }
  }

  /** Creates the comparator's topic like Weir's. */
  static void createTopic(BenchKafka kafka) throws Exception {
    try (Admin admin = KafkaClients.of(kafka.cluster(), MAX_WAIT).admin(MAX_WAIT)) {
      Topics.create(admin, List.of(Topics.of(RowLockPath.TOPIC)));
    }
  }
}
