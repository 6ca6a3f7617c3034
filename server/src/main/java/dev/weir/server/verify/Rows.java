package dev.weir.server.verify;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/** Rows in the order of their query, fetched in portions, with a look-ahead of one row. */
final class Rows<T> implements AutoCloseable {
  private static final int ROWS_A_PORTION = 5_000;

  private final PreparedStatement statement;
  private final ResultSet rows;
  private final Reader<T> reader;
  private Optional<T> next;

  /** Reads one row. */
  interface Reader<T> {
    T read(ResultSet row) throws SQLException;
  }

  private Rows(PreparedStatement statement, ResultSet rows, Reader<T> reader) throws SQLException {
    this.statement = statement;
    this.rows = rows;
    this.reader = reader;
    this.next = fetch();
  }

  static <T> Rows<T> of(Connection connection, Reader<T> reader, String sql, Object... parameters)
      throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    try {
      for (int i = 0; i < parameters.length; i++) {
        statement.setObject(i + 1, parameters[i]);
      }
      statement.setFetchSize(ROWS_A_PORTION);
      return new Rows<>(statement, statement.executeQuery(), reader);
    } catch (SQLException | RuntimeException e) {
      statement.close();
      throw e;
    }
  }

  /** Returns the next row without taking it. */
  Optional<T> peek() {
    return next;
  }

  /** Returns the next row and moves on. */
  Optional<T> take() throws SQLException {
    Optional<T> taken = next;
    next = fetch();
    return taken;
  }

  private Optional<T> fetch() throws SQLException {
    return rows.next() ? Optional.of(reader.read(rows)) : Optional.empty();
  }

  @Override
  public void close() throws SQLException {
    statement.close();
  }
}
