package dev.weir.benchmarks.slots;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.postgresql.PGConnection;

/**
 * The lower bound for a bulk load: a plain {@code COPY} of the same rows into the same table.
 *
 * <p>The rows are exported once from a table that already contains them, in their physical order;
 * each measurement then copies the file into a new table with the same columns, constraints and
 * indexes. Creating the rows and the table is not counted, the commit is.
 */
final class CopyBaseline implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 16;

  /** The format of the exported rows. */
  enum Format {
    TEXT("text"),
    BINARY("binary");

    private final String sql;

    Format(String sql) {
      this.sql = sql;
    }
  }

  /**
   * The result of a copy.
   *
   * @param rows the number of rows copied
   * @param elapsed from the first byte to the commit
   */
  record Copied(long rows, Duration elapsed) {
    double seconds() {
      return elapsed.toNanos() / 1e9;
    }
  }

  private final DataSource dataSource;
  private final String table;
  private final Format format;
  private final Path file;

  private CopyBaseline(DataSource dataSource, String table, Format format, Path file) {
    this.dataSource = dataSource;
    this.table = table;
    this.format = format;
    this.file = file;
  }

  /**
   * Exports the rows of a table to a temporary file.
   *
   * @param table the table's name as SQL writes it, schema included; trusted, never user input
   */
  static CopyBaseline of(DataSource dataSource, String table, Format format)
      throws SQLException, IOException {
    Path file = Files.createTempFile("copy-baseline", "." + format.sql);
    try (Connection connection = dataSource.getConnection();
        OutputStream rows = new BufferedOutputStream(Files.newOutputStream(file), BUFFER_BYTES)) {
      connection
          .unwrap(PGConnection.class)
          .getCopyAPI()
          .copyOut("COPY " + table + " TO STDOUT (FORMAT " + format.sql + ")", rows);
    }
    return new CopyBaseline(dataSource, table, format, file);
  }

  /** Copies the rows into a new table, which is dropped afterwards. */
  Copied measure() throws SQLException, IOException {
    String target = table + "_copy_baseline";
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(true);
      statement.execute("DROP TABLE IF EXISTS " + target);
      statement.execute("CREATE TABLE " + target + " (LIKE " + table + " INCLUDING ALL)");
      // Pages that other work has dirtied must not be written during this measurement.
      statement.execute("CHECKPOINT");
      try (InputStream rows = new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES)) {
        long beganNanos = System.nanoTime();
        long copied =
            connection
                .unwrap(PGConnection.class)
                .getCopyAPI()
                .copyIn(
                    "COPY " + target + " FROM STDIN (FORMAT " + format.sql + ")",
                    rows,
                    BUFFER_BYTES);
        return new Copied(copied, Duration.ofNanos(System.nanoTime() - beganNanos));
      } finally {
        statement.execute("DROP TABLE " + target);
      }
    }
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(file);
  }
}
