package dev.weir.store.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.StoreException;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The tables that this process needs: those that all its migrations have made. Other nodes may have
 * applied later ones. Tables can also become older under a running process, when a backup of the
 * version before is restored; it then gets no connections until they are migrated. Thread-safe.
 */
public final class RequiredTables {
  /** Flyway quotes the names, so that they are in lower case in Oracle as well. */
  private static final String APPLIED =
      "select \"version\", \"success\" from \"" + Migrations.NOTES + "\"";

  /** Class of the errors about names that do not exist, or that the user has no right to. */
  private static final String NO_SUCH_TABLE = "42";

  private final HikariDataSource pool;

  /** Scripts by version, in the order in which they are applied. */
  private final Map<String, String> scripts;

  private RequiredTables(HikariDataSource pool, Map<String, String> scripts) {
    this.pool = pool;
    this.scripts = scripts;
  }

  /** Says that tables are older than they have to be. */
  private static final class OlderTablesException extends SQLException {
    private static final long serialVersionUID = 1L;

    OlderTablesException(String reason, @Nullable SQLException cause) {
      super("the tables are older than this version needs: " + reason, cause);
    }
  }

  private record Note(@Nullable String version, boolean isDone) {
    static Note read(ResultSet row) throws SQLException {
      return new Note(row.getString(1), row.getBoolean(2));
    }
  }

  /**
   * Examines the tables now, and whenever the pool opens a connection from now on.
   *
   * @param pool from {@link PostgresqlPool} or {@link OraclePool}
   * @throws StoreException if the tables are older than they have to be, or of a build that cannot
   *     be upgraded to this one
   */
  static RequiredTables guard(Dialect dialect, HikariDataSource pool) {
    Map<String, String> scripts =
        Migrations.known(
            Migrations.flyway(Migrations.connections(pool), "classpath:db/weir/" + dialect.id()));
    RequiredTables tables = new RequiredTables(pool, scripts);
    try (Connection connection = pool.getConnection()) {
      tables.check(connection);
    } catch (SQLException e) {
      throw new StoreException(
          dialect.id(), StoreException.Outcome.NONE, String.valueOf(e.getMessage()), e);
    }
    if (pool.getDataSource() instanceof RetryingConnector connector) {
      connector.examine(tables::check);
    }
    return tables;
  }

  private void check(Connection connection) throws SQLException {
    Set<String> applied;
    try {
      applied =
          Sql.list(connection, Note::read, APPLIED).stream()
              .filter(Note::isDone)
              .map(note -> String.valueOf(note.version()))
              .collect(Collectors.toSet());
    } catch (SQLException e) {
      throw String.valueOf(e.getSQLState()).startsWith(NO_SUCH_TABLE)
          ? new OlderTablesException("no notes of migrations can be read", e)
          : e;
    }
    for (Map.Entry<String, String> required : scripts.entrySet()) {
      if (!applied.contains(required.getKey())) {
        throw new OlderTablesException(required.getValue() + " was not applied", null);
      }
    }
  }

  /**
   * Returns why the tables cannot be used now; empty if they can. If they cannot, connections that
   * were opened before are closed, because no work may go on.
   *
   * @throws SQLException if the database failed
   */
  public String reasonAgainst(Connection connection) throws SQLException {
    try {
      check(connection);
      return "";
    } catch (OlderTablesException e) {
      pool.getHikariPoolMXBean().softEvictConnections();
      return String.valueOf(e.getMessage());
    }
  }

  /** Returns why the pool opens no connections, if that is because of the tables. */
  public Optional<String> refusal() {
    return ConnectionFailures.latest(pool)
        .filter(OlderTablesException.class::isInstance)
        .map(SQLException::getMessage);
  }
}
