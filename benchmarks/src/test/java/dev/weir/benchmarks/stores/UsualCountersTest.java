package dev.weir.benchmarks.stores;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.store.tck.internal.Crowd;
import dev.weir.store.tck.internal.OracleStandIn;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class UsualCountersTest {
  private static final Duration WINDOW = Duration.ofSeconds(4);
  private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");

  private final HikariDataSource pool = OracleCase.usualPool(OracleStandIn.create());

  @AfterEach
  void close() {
    pool.close();
  }

  @Test
  void neverExceedsTheLimitOfAWindow() throws Exception {
    UsualCounters counters = UsualCounters.create(pool, 4, WINDOW, NOON, 300);

    List<Instant> given =
        Crowd.concurrently(400, event -> assign(counters, "pay-" + event, NOON.plusSeconds(5)));

    Map<Long, Long> taken =
        given.stream()
            .collect(Collectors.groupingBy(at -> at.getEpochSecond() / 4, Collectors.counting()));
    assertThat(taken.values()).allMatch(count -> count <= 4);
    assertThat(given).allMatch(at -> !at.isBefore(NOON.plusSeconds(5)));
  }

  @Test
  void givesCopiesOfOneEventOneSlot() throws Exception {
    UsualCounters counters = UsualCounters.create(pool, 100, WINDOW, NOON, 100);

    List<Instant> given = Crowd.concurrently(60, copy -> assign(counters, "pay", NOON));

    assertThat(new HashSet<>(given)).hasSize(1);
  }

  private static Instant assign(UsualCounters counters, String eventId, Instant requested) {
    try {
      return counters.assign(eventId, requested);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
