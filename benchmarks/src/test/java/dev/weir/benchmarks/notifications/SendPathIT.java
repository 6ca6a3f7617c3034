package dev.weir.benchmarks.notifications;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.benchmarks.BenchRedis;
import dev.weir.benchmarks.slots.BenchDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

final class SendPathIT {
  private static BenchDatabase database;
  private static BenchRedis redis;
  private static BenchKafka kafka;
  private static HikariDataSource weirPool;
  private static HikariDataSource peerPool;

  @BeforeAll
  static void start() throws Exception {
    database = BenchDatabase.open(Optional.empty());
    redis = BenchRedis.start();
    kafka = BenchKafka.start();
    weirPool = database.weirPool();
    peerPool = database.pool();
    RowLockPath.prepare(database);
    NotificationsSuite.createTopic(kafka);
  }

  @AfterAll
  static void stop() throws Exception {
    peerPool.close();
    weirPool.close();
    kafka.close();
    redis.close();
    database.close();
  }

  @Test
  void weirSendsUpToTheLimitAndCountsWhatItSends() throws Exception {
    try (SendPath path = WeirPath.open(weirPool, redis.uri(), kafka.cluster())) {
      sendsUpToTheLimitAndCountsWhatItSends(path);
    }
  }

  @Test
  void rowLockSendsUpToTheLimitAndCountsWhatItSends() throws Exception {
    try (SendPath path = RowLockPath.open(peerPool, kafka, 0)) {
      sendsUpToTheLimitAndCountsWhatItSends(path);
    }
  }

  private static void sendsUpToTheLimitAndCountsWhatItSends(SendPath path) throws Exception {
    path.limit(1, 2, 100);
    List<Future<Boolean>> answers = new ArrayList<>();
    try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 300; i++) {
        long user = i % 3 == 0 ? 1 : 2;
        answers.add(executor.submit(() -> path.send(user, "hello")));
      }
    }
    int sent = 0;
    for (Future<Boolean> answer : answers) {
      sent += answer.get() ? 1 : 0;
    }
    assertThat(sent).isEqualTo(200);
    assertThat(path.counted()).isEqualTo(Map.of(1L, 100L, 2L, 100L));
    UserCounts.verify(path, kafka.cluster());
  }

  @Test
  void missingAndDoubledMessagesAreNoticed() {
    Map<Long, Long> counted = Map.of(1L, 2L);
    assertThatThrownBy(() -> UserCounts.requireEqual("messages", counted, Map.of(1L, 3L)))
        .hasMessage("messages: 2 were counted for user 1, but there are 3");
    assertThatThrownBy(() -> UserCounts.requireEqual("messages", counted, Map.of(1L, 1L)))
        .hasMessage("messages: 2 were counted for user 1, but there are 1");
    assertThatThrownBy(() -> UserCounts.requireEqual("messages", counted, Map.of(1L, 2L, 7L, 1L)))
        .hasMessage("messages: 0 were counted for user 7, but there are 1");
  }
}
