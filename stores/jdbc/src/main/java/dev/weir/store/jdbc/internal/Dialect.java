package dev.weir.store.jdbc.internal;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.StoreException;
import dev.weir.internal.Micros;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.Locale;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A kind of database, and what differs between the kinds in statements of all capabilities. */
public enum Dialect {
  POSTGRESQL("postgresql", "(extract(epoch from clock_timestamp()) * 1000000)::bigint", ""),

  /** Oracle 19c and later. */
  ORACLE("oracle", "systimestamp", " from dual");

  private final String id;
  private final String now;
  private final String fromNothing;

  Dialect(String id, String now, String fromNothing) {
    this.id = id;
    this.now = now;
    this.fromNothing = fromNothing;
  }

  /**
   * Returns the dialect of a database: by the URL of its pool, or else by what a connection says.
   *
   * @throws StoreException if the database cannot be reached
   * @throws IllegalArgumentException if it is neither PostgreSQL nor Oracle
   */
  public static Dialect of(DataSource database) {
    @Nullable String url = database instanceof HikariDataSource pool ? pool.getJdbcUrl() : null;
    if (url != null && url.startsWith("jdbc:postgresql:")) {
      return POSTGRESQL;
    }
    if (url != null && url.startsWith("jdbc:oracle:")) {
      return ORACLE;
    }
    try (Connection connection = database.getConnection()) {
      String product = connection.getMetaData().getDatabaseProductName();
      return switch (product.toLowerCase(Locale.ROOT)) {
        case "postgresql" -> POSTGRESQL;
        case "oracle" -> ORACLE;
        default ->
            throw new IllegalArgumentException(
                "the database must be PostgreSQL or Oracle, not " + product);
      };
    } catch (SQLException e) {
      throw new StoreException(
          StoreException.Outcome.NONE, "the database failed: " + e.getMessage(), e);
    }
  }

  /** Returns the name of the database in messages and metrics. */
  public String id() {
    return id;
  }

  /** Returns the SQL expression of the database's clock, to be read by {@link #micros}. */
  public String now() {
    return now;
  }

  /** Returns the query of the database's clock. */
  public String selectNow() {
    return "select " + now + fromNothing;
  }

  /** Reads a column that was selected by {@link #now}, in microseconds since the epoch. */
  public long micros(ResultSet row, int column) throws SQLException {
    return switch (this) {
      case POSTGRESQL -> row.getLong(column);
      case ORACLE -> Micros.ceil(row.getObject(column, OffsetDateTime.class).toInstant());
    };
  }

  /**
   * Returns the clause that locks the rows of a query and waits for them, up to {@link
   * Timeouts#LOCK}. In PostgreSQL that time is a setting of the connection.
   */
  public String forUpdate() {
    return switch (this) {
      case POSTGRESQL -> "for update";
      case ORACLE -> "for update wait " + Timeouts.LOCK.toSeconds();
    };
  }

  /** Returns the SQL condition that a flag is not set. */
  public String isFalse(String column) {
    return switch (this) {
      case POSTGRESQL -> "not " + column;
      case ORACLE -> column + " = 0";
    };
  }

  /** Returns the parameter of a flag: Oracle has had no boolean columns before version 23. */
  public Object flag(boolean value) {
    return switch (this) {
      case POSTGRESQL -> value;
      case ORACLE -> value ? 1 : 0;
    };
  }
}
