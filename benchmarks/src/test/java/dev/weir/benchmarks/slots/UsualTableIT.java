package dev.weir.benchmarks.slots;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class UsualTableIT {
  private static final Duration WINDOW_SIZE = Duration.ofSeconds(4);
  private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");
  private static BenchDatabase database;
  private static HikariDataSource pool;

  @BeforeAll
  static void start() throws Exception {
    database = BenchDatabase.open(Optional.empty());
    pool = database.pool();
  }

  @AfterAll
  static void stop() throws Exception {
    pool.close();
    database.close();
  }

  @ParameterizedTest
  @EnumSource
  void fillsEveryWindowToTheLimitAndNeverBeyond(CounterRows.Style style) throws Exception {
    UsualSchema.recreate(pool, style);
    // 250 windows of 4 places: more than two chunks, so the frontier is raced for.
    UsualTable table = new UsualTable(pool, style, 1, 4, WINDOW_SIZE);
    List<Future<Instant>> answers = new ArrayList<>();
    try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int event = 0; event < 1_000; event++) {
        String id = "pay-" + event;
        answers.add(executor.submit(() -> table.assign(id, NOON)));
      }
    }
    Map<Long, Integer> taken = new HashMap<>();
    for (Future<Instant> answer : answers) {
      assertThat(answer.get()).isAfterOrEqualTo(NOON);
      taken.merge(answer.get().getEpochSecond() / 4, 1, Integer::sum);
    }
    assertThat(taken.values()).allMatch(count -> count <= 4);
    assertThat(count("SELECT count(*) FROM usual.slot")).isEqualTo(1_000);
    assertThat(count("SELECT sum(taken) FROM usual.slot_window")).isEqualTo(1_000);
    assertThat(count("SELECT max(taken) FROM usual.slot_window")).isEqualTo(4);
  }

  @ParameterizedTest
  @EnumSource
  void givesCopiesOfOneEventOneSlot(CounterRows.Style style) throws Exception {
    UsualSchema.recreate(pool, style);
    UsualTable table = new UsualTable(pool, style, 1, 100, WINDOW_SIZE);
    List<Future<Instant>> answers = new ArrayList<>();
    try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int copy = 0; copy < 200; copy++) {
        answers.add(executor.submit(() -> table.assign("pay-1", NOON)));
      }
    }
    Instant slot = answers.getFirst().get();
    for (Future<Instant> answer : answers) {
      assertThat(answer.get()).isEqualTo(slot);
    }
    assertThat(count("SELECT sum(taken) FROM usual.slot_window")).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void usesOnlyWhatIsLeftOfAPartlyElapsedWindow(CounterRows.Style style) throws Exception {
    UsualSchema.recreate(pool, style);
    UsualTable table = new UsualTable(pool, style, 1, 100, WINDOW_SIZE);
    Instant late = NOON.plusSeconds(3);
    int inFirst = 0;
    for (int event = 0; event < 40; event++) {
      Instant scheduled = table.assign("pay-" + event, late);
      assertThat(scheduled).isAfterOrEqualTo(late);
      inFirst += scheduled.isBefore(NOON.plusSeconds(4)) ? 1 : 0;
    }
    assertThat(inFirst).isEqualTo(25);
  }

  private static long count(String sql) throws Exception {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getLong(1);
    }
  }
}
