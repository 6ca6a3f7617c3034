package dev.weir.store.jdbc.rules.internal;

import dev.weir.internal.Micros;
import dev.weir.register.Change;
import dev.weir.register.Entry;
import dev.weir.register.EntryVersion;
import dev.weir.register.Register;
import dev.weir.register.TitlePast;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.clock.internal.ClockReading;
import dev.weir.store.jdbc.internal.Channel;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * A register of versioned entries in the database. Each entry has a row with its id, title and
 * current version; a second table has a row for each version, including those of removed entries. A
 * change is one transaction, and every node is notified of it.
 */
abstract class JdbcRegister<T, E extends Entry<T>> implements Register<T, E> {
  private final Dialect dialect;
  private final Transactions transactions;
  private final StoreClock clock;
  private final Tables tables;
  private final Entry.Factory<T, E> making;

  /**
   * The tables of one kind of entry.
   *
   * @param name name of the table; its id column is {@code NAME_id}, its versions are in the table
   *     {@code NAME_version}
   * @param title the column that is unique among entries
   * @param channel the channel that notifies nodes of changes
   */
  record Tables(String name, String title, Channel channel) {
    /** The first version of the entry {@code v}: it is not 1 if another had its title before. */
    private static final String FIRST =
        "(select min(m.version) from $table_version m where m.$table_id = v.$table_id)";

    /** Replaces {@code $first}, {@code $table} and {@code $title} in SQL. */
    private String sql(String text) {
      return text.replace("$first", FIRST).replace("$table", name).replace("$title", title);
    }
  }

  JdbcRegister(
      Dialect dialect,
      DataSource database,
      StoreClock clock,
      Tables tables,
      Entry.Factory<T, E> making) {
    this.dialect = dialect;
    this.transactions = Transactions.failFast(dialect, database, () -> {});
    this.clock = clock;
    this.tables = tables;
    this.making = making;
  }

  final Dialect dialect() {
    return dialect;
  }

  /** Reads the spec from a row of the version table. */
  abstract T spec(ResultSet row) throws SQLException;

  /** Inserts a version, created at the entry's {@code updatedAt}. */
  abstract void insert(Connection connection, EntryVersion<E> version) throws SQLException;

  @Override
  public final Change<E> create(T spec, String by) {
    return transactions.write(
        connection -> {
          if (isTaken(connection, spec, 0)) {
            return new Change.Taken<>();
          }
          if (count(connection) >= maxEntries()) {
            return new Change.TooMany<>();
          }
          // If two callers create the same title, the second violates the unique key, retries and
          // finds the entry.
          TitlePast past = past(connection, spec);
          long id =
              Sql.insert(
                  connection,
                  tables.sql("$table_id"),
                  tables.sql("insert into $table ($title, version, is_removed) values (?, ?, ?)"),
                  title(spec),
                  past.version() + 1,
                  dialect.flag(false));
          E entry = making.first(id, spec, past, now(connection));
          insert(connection, new EntryVersion<>(entry, by, false));
          notifyNodes(connection, entry);
          return new Change.Done<>(Optional.empty(), entry);
        });
  }

  @Override
  public final Change<E> change(long id, int version, T spec, String by) {
    return transactions.write(
        connection -> {
          Optional<E> before = lock(connection, id);
          if (before.isEmpty()) {
            return new Change.Unknown<>();
          }
          if (Register.isStale(before.get(), version)) {
            return new Change.Stale<>(before.get());
          }
          if (isTaken(connection, spec, id)) {
            return new Change.Taken<>();
          }
          TitlePast past =
              title(spec).equals(title(before.get().spec()))
                  ? TitlePast.NONE
                  : past(connection, spec);
          E next = making.next(before.get(), spec, past, now(connection));
          write(connection, new EntryVersion<>(next, by, false));
          return new Change.Done<>(before, next);
        });
  }

  @Override
  public final Change<E> remove(long id, int version, String by) {
    return transactions.write(
        connection -> {
          Optional<E> before = lock(connection, id);
          if (before.isEmpty()) {
            return new Change.Unknown<>();
          }
          if (Register.isStale(before.get(), version)) {
            return new Change.Stale<>(before.get());
          }
          E last = making.next(before.get(), before.get().spec(), TitlePast.NONE, now(connection));
          write(connection, new EntryVersion<>(last, by, true));
          return new Change.Done<>(before, before.get());
        });
  }

  @Override
  public final Optional<E> find(long id) {
    return transactions.read(connection -> find(connection, id));
  }

  @Override
  public final List<EntryVersion<E>> versions(long id) {
    return transactions.read(
        connection ->
            Sql.list(
                connection,
                this::version,
                tables.sql(
                    """
                    select v.*, f.created_at as entry_created_at
                    from $table_version v
                    join $table_version f on f.$table_id = v.$table_id and f.version = $first
                    where v.$table_id = ?
                    order by v.version desc
                    fetch first ? rows only
                    """),
                id,
                MAX_VERSIONS));
  }

  @Override
  public final List<E> all() {
    return transactions.read(
        connection -> Sql.list(connection, this::read, inForce("order by r.$table_id")));
  }

  private Optional<E> find(Connection connection, long id) throws SQLException {
    return Sql.first(connection, this::read, inForce("and r.$table_id = ?"), id);
  }

  /** Selects the current versions of entries that are not removed. */
  private String inForce(String more) {
    return tables.sql(
        """
        select v.*, f.created_at as entry_created_at
        from $table r
        join $table_version v on v.$table_id = r.$table_id and v.version = r.version
        join $table_version f on f.$table_id = v.$table_id and f.version = $first
        where %s
        """
                .formatted(dialect.isFalse("r.is_removed"))
            + more);
  }

  private EntryVersion<E> version(ResultSet row) throws SQLException {
    // An empty text is null in Oracle.
    String changedBy = Objects.requireNonNullElse(row.getString("changed_by"), "");
    return new EntryVersion<>(read(row), changedBy, row.getBoolean("is_removed"));
  }

  private E read(ResultSet row) throws SQLException {
    return making.create(
        row.getLong(tables.sql("$table_id")),
        row.getInt("version"),
        spec(row),
        Micros.instant(row.getLong("entry_created_at")),
        Micros.instant(row.getLong("created_at")));
  }

  /** Reads in a separate statement after locking, to see what was committed meanwhile. */
  private Optional<E> lock(Connection connection, long id) throws SQLException {
    Sql.first(
        connection,
        row -> true,
        tables.sql("select 1 from $table where $table_id = ? " + dialect.forUpdate()),
        id);
    return find(connection, id);
  }

  private boolean isTaken(Connection connection, T spec, long own) throws SQLException {
    return Sql.first(
            connection,
            row -> true,
            tables.sql(
                switch (dialect) {
                  case POSTGRESQL ->
                      "select 1 from $table where $title = ? and $table_id <> ? and not is_removed";
                  // The column of the unique key, which is null in removed entries.
                  case ORACLE -> "select 1 from $table where $title_in_use = ? and $table_id <> ?";
                }),
            title(spec),
            own)
        .isPresent();
  }

  /** Returns the latest version that had the title of a spec, also of removed entries. */
  private TitlePast past(Connection connection, T spec) throws SQLException {
    return Sql.first(
            connection,
            row -> new TitlePast(row.getInt(1), Micros.instant(row.getLong(2))),
            tables.sql("select max(version), max(created_at) from $table_version where $title = ?"),
            title(spec))
        .orElse(TitlePast.NONE);
  }

  private long count(Connection connection) throws SQLException {
    return Sql.first(
            connection,
            row -> row.getLong(1),
            tables.sql("select count(*) from $table where " + dialect.isFalse("is_removed")))
        .orElseThrow();
  }

  private void write(Connection connection, EntryVersion<E> version) throws SQLException {
    insert(connection, version);
    E entry = version.entry();
    Sql.update(
        connection,
        tables.sql("update $table set $title = ?, version = ?, is_removed = ? where $table_id = ?"),
        title(entry.spec()),
        entry.version(),
        dialect.flag(version.isRemoval()),
        entry.id());
    notifyNodes(connection, entry);
  }

  private void notifyNodes(Connection connection, E entry) throws SQLException {
    tables.channel().send(dialect, connection, Long.toString(entry.id()));
  }

  private Instant now(Connection connection) throws SQLException {
    return Micros.instant(ClockReading.now(connection, dialect, clock));
  }
}
