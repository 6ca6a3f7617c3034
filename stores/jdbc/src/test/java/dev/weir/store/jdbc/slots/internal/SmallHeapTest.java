package dev.weir.store.jdbc.slots.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.slots.SlotPolicy;
import dev.weir.store.jdbc.Database;
import dev.weir.store.tck.slots.Node;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Windows whose bitmaps together are more than twice as large as the heap of a node. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SmallHeapTest {
  private static final int WINDOWS = 400;
  private static final int LAST_PLACE = (1 << 20) - 1;
  private static final Duration WINDOW = Duration.ofSeconds(4);
  private static final Instant PAST = Account.NOON.minus(WINDOW.multipliedBy(WINDOWS));

  private final Database database = Database.get();
  private final Node node = Database.node(database.pool(), InstantSource.fixed(Account.NOON));
  private final Account account = Account.open(node, LAST_PLACE + 1);

  @AfterEach
  void removeAll() {
    for (String table : List.of("slot", "slot_window", "full_run", "counted_span")) {
      Database.execute(
          database.pool(), "delete from %s where config_id = %s".formatted(table, configId()));
    }
  }

  private String configId() {
    return "(select config_id from slot_config where name = '%s')"
        .formatted(account.config().name());
  }

  /** One event in each window, at its last place: a bitmap of 128 KB. */
  private void fill() {
    Database.execute(
        database.pool(),
        """
        insert into slot (event_id, config_id, version, requested, window_start, place, scheduled,
                          assigned_at, state)
        select '%1$s/' || i, %2$s, 1, at, at, %3$d, at + 3999996, 0, 0
        from (select i, %4$d000000 + i * 4000000 as at
              from generate_series(0::bigint, %5$d) as i) as windows
        """
            .formatted(
                account.config().name(),
                configId(),
                LAST_PLACE,
                PAST.getEpochSecond(),
                WINDOWS - 1));
    Database.execute(
        database.pool(),
        """
        insert into slot_window (config_id, grid, start_micros, taken, off_grid, is_full, places)
        select config_id, 1, window_start, 1, 0, false, decode(repeat('00', 131071) || '80', 'hex')
        from slot where config_id = %s
        """
            .formatted(configId()));
  }

  private List<String> inLittleMemory(SmallHeap.Work... works)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx24m",
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-cp",
                    System.getProperty("java.class.path"),
                    SmallHeap.class.getName(),
                    Database.get().url(),
                    account.config().name(),
                    PAST.toString(),
                    Stream.of(works).map(Enum::name).collect(Collectors.joining(","))))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).isZero();
      return answer.lines().toList();
    } finally {
      process.destroyForcibly();
    }
  }

  private void lowerTheLimit() {
    node.configs().configure(account.config().name(), SlotPolicy.of(1, WINDOW));
  }

  @Test
  void reclaimsSlotsOfManyWindows() throws Exception {
    fill();

    // Other tests leave leaked slots in the database as well.
    assertThat(Integer.parseInt(inLittleMemory(SmallHeap.Work.RECLAIM).getFirst()))
        .isGreaterThanOrEqualTo(WINDOWS);

    assertThat(
            Database.number(
                database.pool(),
                "select sum(taken) from slot_window where config_id = " + configId()))
        .isZero();
    assertThat(account.assign(node, "late", PAST).windowStart()).isEqualTo(PAST);
  }

  /** Only the second one stores what it counts. */
  @Test
  void forecastsFromThePastAndCountsIt() throws Exception {
    fill();
    lowerTheLimit();

    String noon = Account.NOON.toString();
    assertThat(inLittleMemory(SmallHeap.Work.FORECAST, SmallHeap.Work.ASSIGN))
        .containsExactly(noon, noon);

    assertThat(
            Database.number(
                database.pool(),
                "select count(*) from slot_window join slot_config c using (config_id, grid)"
                    + " where start_micros < since and config_id = "
                    + configId()))
        .isEqualTo(WINDOWS);
  }
}
