package dev.weir.server.cli;

import java.io.Closeable;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Properties;

/** A query of the tables of another system, on a connection of its own that changes nothing. */
final class OldTable implements Closeable {
  private static final int ROWS_A_FETCH = 2_000;

  private final Connection connection;
  private final ResultSet rows;

  private OldTable(Connection connection, ResultSet rows) {
    this.connection = connection;
    this.rows = rows;
  }

  /**
   * Runs a query.
   *
   * @param user empty to leave it to the URL, and so for the password
   */
  static OldTable open(String url, String user, String password, String query) throws IOException {
    Properties properties = new Properties();
    if (!user.isEmpty()) {
      properties.setProperty("user", user);
    }
    if (!password.isEmpty()) {
      properties.setProperty("password", password);
    }
    try {
      Connection connection = DriverManager.getConnection(url, properties);
      try {
        connection.setReadOnly(true);
        // In PostgreSQL, rows are only then fetched in portions.
        connection.setAutoCommit(false);
        PreparedStatement statement = connection.prepareStatement(query);
        statement.setFetchSize(ROWS_A_FETCH);
        return new OldTable(connection, statement.executeQuery());
      } catch (SQLException e) {
        connection.close();
        throw e;
      }
    } catch (SQLException e) {
      throw failure(e);
    }
  }

  ResultSet rows() {
    return rows;
  }

  static FeedException failure(SQLException e) {
    String message = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    return new FeedException("the database says: " + message);
  }

  @Override
  public void close() throws IOException {
    try {
      connection.rollback();
      connection.close();
    } catch (SQLException e) {
      throw failure(e);
    }
  }
}
