package dev.weir.server.verify;

import dev.weir.internal.Micros;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import java.util.List;

/**
 * Proves the invariants of slots from the content of the database.
 *
 * <p>Everything is read in one read-only transaction that sees one snapshot, in portions: memory
 * does not grow with the number of slots, and nodes may keep working.
 */
public final class Verifier {
  private static final String DUPLICATES =
      "select event_id from slot group by event_id having count(*) > 1"
          + " fetch first 20 rows only";

  private static final String WITHOUT_VERSION =
      """
      select s.event_id from slot s
      where not exists (
        select 1 from slot_config_version v
        where v.config_id = s.config_id and v.version = s.version)
      fetch first 20 rows only
      """;

  private final Connection connection;
  private final Findings findings = new Findings();

  /** The time from which to check, and the current time of the database. */
  record Span(long fromMicros, long nowMicros) {}

  /** What is known of slots that are no longer in the database. */
  public enum Past {
    /** Some may have been cancelled and requested again, or removed by retention. */
    UNKNOWN,
    /**
     * There are none: every slot ever assigned still exists. A free place proves that it was free.
     */
    COMPLETE
  }

  /**
   * Creates a verifier.
   *
   * @param connection used exclusively by this verifier, which leaves it in a transaction
   */
  public Verifier(Connection connection) throws SQLException {
    this.connection = connection;
    connection.setAutoCommit(false);
    connection.setReadOnly(true);
    // In Oracle, serializable is the level that reads one snapshot.
    connection.setTransactionIsolation(
        connection
                .getMetaData()
                .supportsTransactionIsolationLevel(Connection.TRANSACTION_REPEATABLE_READ)
            ? Connection.TRANSACTION_REPEATABLE_READ
            : Connection.TRANSACTION_SERIALIZABLE);
  }

  /** Returns the findings so far. */
  public Findings findings() {
    return findings;
  }

  /**
   * Checks the slots scheduled from a time on. {@link Long#MIN_VALUE} checks all, unless retention
   * has removed some.
   */
  public void slots(long fromMicros, Past past) throws SQLException {
    ids(DUPLICATES, Invariant.ONE_SLOT, "has more than one slot");
    ids(WITHOUT_VERSION, Invariant.KEPT, "has a slot of a version that does not exist");
    if (findings.breaches(Invariant.KEPT) > 0) {
      return;
    }
    long nowMicros = nowMicros();
    for (ConfigFact config : ConfigFact.all(connection)) {
      slots(config, new Span(fromMicros, nowMicros), past);
    }
  }

  /** Checks that each response in a journal, one JSON line each, matches the database. */
  public void answers(Path journal) throws IOException, SQLException {
    new AnswersCheck(connection, findings).read(journal);
  }

  private void slots(ConfigFact config, Span span, Past past) throws SQLException {
    if (config.versions().isEmpty()
        || config.versions().lastKey() != config.version()
        || config.versions().size() != config.version()) {
      findings.breach(
          Invariant.KEPT,
          "%s is at version %d and has versions %s"
              .formatted(config.name(), config.version(), config.versions().keySet()));
      return;
    }
    String query =
        SlotFact.SELECT + " where config_id = ? and scheduled >= ? order by scheduled, event_id";
    try (StoredSpansCheck windows = new StoredSpansCheck(connection, config, span, findings);
        Rows<SlotFact> slots =
            Rows.of(connection, SlotFact::read, query, config.configId(), span.fromMicros())) {
      List<SlotCheck> checks =
          List.of(
              new LimitCheck(config, findings),
              new TimesCheck(config, findings),
              new EarliestChecks(config, span.fromMicros(), past, findings),
              new SpreadCheck(config, findings),
              windows);
      while (slots.peek().isPresent()) {
        SlotFact slot = slots.take().orElseThrow();
        for (SlotCheck check : checks) {
          check.slot(slot);
        }
      }
      for (SlotCheck check : checks) {
        check.end();
      }
    }
  }

  /**
   * Reads the database's clock, not the start of the transaction, which may be before its snapshot.
   */
  private long nowMicros() throws SQLException {
    boolean isPostgresql = connection.getMetaData().getDatabaseProductName().equals("PostgreSQL");
    String now = isPostgresql ? "select clock_timestamp()" : "select systimestamp from dual";
    try (Rows<OffsetDateTime> times =
        Rows.of(connection, row -> row.getObject(1, OffsetDateTime.class), now)) {
      return Micros.ceil(times.take().orElseThrow().toInstant());
    }
  }

  private void ids(String sql, Invariant invariant, String what) throws SQLException {
    try (Statement statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        findings.breach(invariant, "event \"%s\" %s".formatted(rows.getString(1), what));
      }
    }
  }
}
