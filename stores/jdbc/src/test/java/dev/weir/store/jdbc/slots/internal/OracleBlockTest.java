package dev.weir.store.jdbc.slots.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.internal.Micros;
import dev.weir.slots.AssignRequest;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotRequest;
import dev.weir.slots.WaitMode;
import dev.weir.slots.internal.BatchPlan;
import dev.weir.slots.planning.internal.OccupancyView;
import dev.weir.slots.planning.internal.Page;
import dev.weir.store.jdbc.MariaDb;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Executes the PL/SQL of a batch on MariaDB in its Oracle mode, as a procedure. Only the clock and
 * {@code hextoraw} are MariaDB's.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class OracleBlockTest {
  private static final String NOW = "l_now := floor(unix_timestamp(sysdate(6)) * 1000000);";
  private static final String CALL = "call write_batch(?, ?, ?, ?, ?, ?, ?)";
  private static final String CALL_WAITING = "call write_batch_waiting(?, ?, ?, ?, ?, ?, ?)";
  private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");
  private static final SlotConfig CONFIG =
      new SlotConfig("c", 1, SlotPolicy.of(2, Duration.ofSeconds(4)), NOON);
  private static final long FIRST_SEQ = 100;
  private static final long HOUR_MICROS = Micros.floor(Duration.ofHours(1));

  @TempDir private static Path folder;
  private static @Nullable MariaDb server;

  private final Connection connection;

  OracleBlockTest() throws SQLException {
    assumeTrue(server != null);
    this.connection = server().connect();
  }

  private static MariaDb server() {
    return Objects.requireNonNull(server);
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  @BeforeAll
  static void start() throws Exception {
    if (!MariaDb.isInstalled()) {
      System.out.println("OracleBlockTest is skipped: the package mariadb-server is not installed");
      return;
    }
    server = MariaDb.start(folder);
    try (Connection connection = server().connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "create table slot (event_id varchar2(256) character set utf8mb4 collate utf8mb4_bin"
              + " primary key, config_id number(10) not null, version number(10) not null,"
              + " requested number(19) not null, window_start number(19) not null,"
              + " place number(10) not null, scheduled number(19) not null,"
              + " assigned_at number(19) not null, state number(1) not null)");
      statement.execute(
          "create table slot_occupancy (config_id number(10) not null, grid number(10) not null,"
              + " kind number(1) not null, start_micros number(19) not null,"
              + " until_micros number(19) not null, taken number(10) not null,"
              + " off_grid number(10) not null, is_full number(1) not null, places blob,"
              + " primary key (config_id, grid, kind, start_micros))");
      statement.execute(
          "create function hextoraw(p_hex varchar2(4000)) return blob as begin"
              + " return unhex(p_hex); end");
      statement.execute(procedure("write_batch", OracleBlock.SKIP));
      statement.execute(procedure("write_batch_waiting", "for update"));
    }
  }

  /** MariaDB has no WAIT in procedures. */
  private static String procedure(String name, String forUpdate) {
    return """
    create procedure %s (
      p_configs in clob, p_slots in clob, p_assigned_at in number, p_occupancy in clob,
      p_earliest in number, p_latest in number, p_now out number)
    as
    """
            .formatted(name)
        + OracleBlock.body(forUpdate, NOW).strip().replaceFirst(";$", "");
  }

  @AfterAll
  static void stop() throws Exception {
    if (server != null) {
      server().close();
    }
  }

  @BeforeEach
  void clear() throws SQLException {
    Sql.update(connection, "delete from slot");
    Sql.update(connection, "delete from slot_occupancy");
    Sql.update(
        connection, "insert into slot_occupancy values (1, 0, 0, 0, ?, 0, 0, 0, null)", FIRST_SEQ);
  }

  private JdbcWindows windows(long seq) {
    ConfigRow row = new ConfigRow(1, "c", 1, 0, 1, Long.MIN_VALUE, seq, Micros.ceil(NOON));
    OccupancyView view = JdbcWindows.emptyView(row, CONFIG);
    view.add(new Page(Micros.ceil(NOON), Long.MAX_VALUE / 2, List.of(), List.of()));
    return new JdbcWindows(
        SlotDialect.of(Dialect.ORACLE), connection, row, CONFIG, view, Long.MAX_VALUE);
  }

  private static List<AssignRequest> requests(String prefix, int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> new AssignRequest(new SlotRequest(prefix + i, "c", NOON), CONFIG))
        .toList();
  }

  private OptionalLong write(String call, JdbcWindows windows, String prefix, int count)
      throws SQLException {
    long now = System.currentTimeMillis() * 1_000;
    return write(call, windows, prefix, count, now - HOUR_MICROS, now + HOUR_MICROS);
  }

  private OptionalLong write(
      String call, JdbcWindows windows, String prefix, int count, long earliest, long latest)
      throws SQLException {
    Map<String, JdbcWindows> opened = Map.of("c", windows);
    List<Slot> fresh =
        BatchPlan.of(requests(prefix, count), Map.of(), opened, WaitMode.NONE, NOON, new Random(1))
            .fresh();
    return new OracleBlockWriter(call, opened.values(), 7, earliest, latest)
        .slots(fresh, opened)
        .sendIfCurrent(connection);
  }

  private long number(String sql) throws SQLException {
    return Sql.first(connection, row -> row.getLong(1), sql).orElseThrow();
  }

  private void assertNothingWritten() throws SQLException {
    assertThat(number("select count(*) from slot")).isZero();
    assertThat(number("select count(*) from slot_occupancy")).isOne();
    assertThat(number("select until_micros from slot_occupancy")).isEqualTo(FIRST_SEQ);
  }

  @Test
  void writesSlotsWindowsRunsAndTheSequenceNumber() throws SQLException {
    OptionalLong written = write(CALL, windows(FIRST_SEQ), "it's \u00e9\u20ac \\ ", 5);

    assertThat(written).isPresent();
    assertThat(written.getAsLong() / 1_000_000)
        .isCloseTo(System.currentTimeMillis() / 1_000, within(HOUR_MICROS / 1_000_000));
    assertThat(number("select count(*) from slot where event_id like 'it''s \u00e9\u20ac%'"))
        .isEqualTo(5);
    assertThat(number("select until_micros from slot_occupancy where kind = 0"))
        .isEqualTo(FIRST_SEQ + 7);
    assertThat(number("select count(*) from slot_occupancy where kind = 1")).isEqualTo(3);
    assertThat(number("select count(*) from slot_occupancy where kind = 1 and is_full = 1"))
        .isEqualTo(2);
    assertThat(
            Sql.list(
                connection,
                row -> row.getBytes(1),
                "select places from slot_occupancy where kind = 1 order by start_micros"))
        .containsExactly(new byte[] {3}, new byte[] {3}, new byte[] {1});
    assertThat(number("select until_micros - start_micros from slot_occupancy where kind = 2"))
        .isEqualTo(8_000_000);
  }

  @Test
  void updatesWhatThereIs() throws SQLException {
    JdbcWindows first = windows(FIRST_SEQ);
    write(CALL, first, "a", 1);
    ConfigRow row = first.row().advanced(7);
    JdbcWindows second =
        new JdbcWindows(
            SlotDialect.of(Dialect.ORACLE), connection, row, CONFIG, first.view(), Long.MAX_VALUE);

    assertThat(write(CALL, second, "b", 1)).isPresent();

    assertThat(number("select taken from slot_occupancy where kind = 1")).isEqualTo(2);
    assertThat(number("select until_micros from slot_occupancy where kind = 0"))
        .isEqualTo(FIRST_SEQ + 14);
  }

  @Test
  void writesNothingIfTheSequenceNumberHasChanged() throws SQLException {
    assertThat(write(CALL, windows(FIRST_SEQ - 1), "a", 3)).isEmpty();
    assertNothingWritten();
  }

  @Test
  void writesNothingAtAnotherTime() throws SQLException {
    long now = System.currentTimeMillis() * 1_000;

    assertThat(write(CALL, windows(FIRST_SEQ), "a", 3, now + 600_000_000, now + 700_000_000))
        .isEmpty();
    assertThat(write(CALL, windows(FIRST_SEQ), "a", 3, now - 700_000_000, now - 600_000_000))
        .isEmpty();
    assertNothingWritten();
  }

  @Test
  void writesNothingIfAnEventHasASlot() throws SQLException {
    Sql.update(connection, "insert into slot values ('a1', 2, 1, 0, 0, 0, 0, 0, 0)");

    assertThatThrownBy(() -> write(CALL, windows(FIRST_SEQ), "a", 3))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("Duplicate entry");

    Sql.update(connection, "delete from slot");
    assertNothingWritten();
  }

  @Test
  void doesNotWaitForALockedConfigurationUnlessAsked() throws Exception {
    try (Connection holder = server().connect()) {
      holder.setAutoCommit(false);
      Sql.list(
          holder, row -> true, "select until_micros from slot_occupancy where kind = 0 for update");
      assertThat(write(CALL, windows(FIRST_SEQ), "a", 3)).isEmpty();

      Thread release =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      holder.rollback();
                    } catch (SQLException e) {
                      throw new IllegalStateException(e);
                    }
                  });
      assertThat(write(CALL_WAITING, windows(FIRST_SEQ), "a", 3)).isPresent();
      release.join();
    }
  }

  @Test
  void blockOfOracleIsTheSameTextInAnAnonymousBlock() {
    String block = OracleBlock.call(true);

    assertThat(block).contains("for update wait 10").doesNotContain("$now", "$for_update");
    assertThat(OracleBlock.call(false)).contains("for update skip locked");
    assertThat(block.chars().filter(c -> c == '?').count()).isEqualTo(7);
  }

  /** MariaDB does not read characters of two escapes, so they are not executed there. */
  @Test
  void textsAreQuotedInAscii() {
    assertThat(OracleBlockWriter.quote("a\"\\\n\u00e9\ud83d\ude80"))
        .isEqualTo("\"a\\u0022\\u005c\\u000a\\u00e9\\ud83d\\ude80\"");
  }

  @Test
  void onlyBatchesThatFitAreSentAsOne() {
    assertThat(OracleBlockWriter.fits(requests("a", 50))).isTrue();
    assertThat(OracleBlockWriter.fits(requests("a", 4_096))).isFalse();
    assertThat(OracleBlockWriter.fits(requests("\u20ac".repeat(200), 30))).isFalse();
    SlotConfig large = new SlotConfig("c", 1, SlotPolicy.of(20_000, Duration.ofSeconds(4)), NOON);
    assertThat(
            OracleBlockWriter.fits(
                List.of(new AssignRequest(new SlotRequest("a", "c", NOON), large))))
        .isFalse();
  }
}
