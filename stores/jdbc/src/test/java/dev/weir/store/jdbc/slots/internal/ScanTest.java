package dev.weir.store.jdbc.slots.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.slots.AssignRequest;
import dev.weir.slots.ForecastResult;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotQuery;
import dev.weir.slots.WindowQuery;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.GrownTables;
import dev.weir.store.jdbc.GrownTables.Statistics;
import dev.weir.store.tck.slots.Node;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** No statement reads slots of other configurations. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ScanTest {
  private static final int ROWS = 2_000;
  private static final int CONFIGS = 300;
  private static final int MAX_READ = 200;

  @ParameterizedTest
  @EnumSource
  void statementsReadOnlyTheirRowsWhenTheTablesHaveGrown(Statistics taken) {
    assertThat(excesses(taken, ScanTest::use, CONFIGS)).isEmpty();
  }

  /** Upkeep goes through all configurations. */
  @ParameterizedTest
  @EnumSource
  void upkeepReadsOnlyItsSlotsWhenTheTablesHaveGrown(Statistics taken) {
    assertThat(excesses(taken, ScanTest::useEverything, 1)).isEmpty();
  }

  private static Map<String, Long> excesses(
      Statistics taken, BiConsumer<Node, Account> use, int configs) {
    return GrownTables.excesses(
        taken,
        database -> {
          Node node = Database.node(database, InstantSource.fixed(Account.NOON));
          Account account = Account.open(node, 2);
          AssignRequest ofAnother = Account.open(node, 2).request("other", Account.NOON);
          AssignRequest ofThis = account.request("one", Account.NOON);
          assertThat(node.ledger().assign(List.of(ofThis, ofAnother))).hasSize(2);
          use.accept(node, account);
        },
        growth(configs),
        MAX_READ);
  }

  /** Returns other configurations, one of which has many slots, windows and runs. */
  private static String growth(int configs) {
    return """
    insert into slot_config (config_id, name, version, grid, since, seq)
    overriding system value
    select 1000000 + i, 'grown' || i, 1, 2, 0, 0 from generate_series(1, %2$d) i;
    insert into slot_config_version (config_id, version, max_per_window, window_micros, spread,
                                     not_before, created_at)
    select 1000000 + i, 1, 1, 1000000, 'even', 'now', 0 from generate_series(1, %2$d) i;
    insert into slot (requested, window_start, scheduled, assigned_at, config_id, version, place,
                      state, event_id)
    select 0, 0, 9000000000000000 + i, 0, 1000001, 1, 0, i %% 4, 'grown' || i
    from generate_series(1, %1$d) i;
    insert into slot_window (config_id, grid, start_micros, taken, off_grid, is_full, places)
    select 1000001, 2, 9000000000000000 + i, 1, 0, i %% 2 = 0, '' from generate_series(1, %1$d) i;
    insert into full_run (config_id, grid, from_micros, until_micros)
    select 1000001, 2, 9000000000000000 + i, 9000000000000000 + i
    from generate_series(1, %1$d) i;
    insert into counted_span (config_id, grid, from_micros, until_micros)
    select 1000001, 2, i, i from generate_series(1, %1$d) i
    """
        .formatted(ROWS, configs);
  }

  /** Executes every kind of operation. */
  static void useEverything(Node node, Account account) {
    use(node, account);
    assertThat(node.upkeep().countLeaked(Account.NOON.plusSeconds(1), 10)).isPositive();
    assertThat(node.upkeep().reclaim(Account.NOON.plusSeconds(1), 3)).isPositive();
    assertThat(node.upkeep().removePast(Account.NOON.plusSeconds(1), 5)).isPositive();
    assertThat(node.upkeep().tidy(5)).isPositive();
  }

  private static void use(Node node, Account account) {
    String name = account.config().name();
    node.ledger().assign(account.requests("past", 20, Account.NOON.minusSeconds(600)));
    node.ledger().assign(account.requests("ahead", 20, Account.NOON));
    node.ledger().cancel(account.id("ahead3"));
    node.ledger().confirm(account.id("ahead4"));
    node.ledger().assign(account.requests("ahead", 5, Account.NOON));
    node.configs().configure(name, SlotPolicy.of(3, Duration.ofSeconds(2)));
    account.assign(node, "again", Account.NOON.minusSeconds(600));
    node.ledger().cancel(account.id("ahead5"));
    for (SlotQuery.Filter filter : SlotQuery.Filter.values()) {
      SlotQuery query = SlotQuery.of(name).filter(filter).limit(10);
      assertThat(node.ledger().list(query)).hasSizeLessThanOrEqualTo(10);
    }
    assertThat(node.ledger().windows(WindowQuery.of(account.config()).limit(10))).hasSize(10);
    assertThat(node.ledger().forecast(account.config(), Account.NOON, 100))
        .isInstanceOf(ForecastResult.Completion.class);
  }
}
