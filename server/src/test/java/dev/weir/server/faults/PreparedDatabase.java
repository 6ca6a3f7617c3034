package dev.weir.server.faults;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.node.stores.postgresql.EmbeddedDatabase;
import dev.weir.store.jdbc.PostgresqlPool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * Databases that have all tables when they start. They are copies of one that is made once in each
 * process that runs tests; to make each of them anew would be most of what many tests do.
 */
public final class PreparedDatabase {
  /** More than are needed to create the tables. */
  private static final int CONNECTIONS = 5;

  private PreparedDatabase() {}

  /** Starts a database with all tables and without rows in a folder that has none yet. */
  public static EmbeddedDatabase start(Path folder) throws IOException {
    Files.createDirectories(folder);
    copyAll(Made.FOLDER, folder);
    return EmbeddedDatabase.start(folder);
  }

  /** Copies a database that does not run. */
  static void copyAll(Path from, Path to) throws IOException {
    for (String part : new String[] {"password", "postgresql"}) {
      copy(from.resolve(part), to.resolve(part));
    }
  }

  /** Copies owners and permissions too, by which PostgreSQL goes. */
  private static void copy(Path from, Path to) throws IOException {
    Process copying =
        new ProcessBuilder("cp", "-a", from.toString(), to.toString()).inheritIO().start();
    Waiting.until("a copy of " + from, () -> !copying.isAlive());
    if (copying.exitValue() != 0) {
      throw new IOException(from + " was not copied");
    }
  }

  /** The one that is copied, which does not run. */
  private static final class Made {
    static final Path FOLDER = make();

    private static Path make() {
      try {
        Path folder = Files.createTempDirectory("weir-database");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
        try (EmbeddedDatabase postgresql = EmbeddedDatabase.start(folder);
            HikariDataSource connections = Database.pool(postgresql)) {
          connections.setMaximumPoolSize(CONNECTIONS);
          PostgresqlPool.migrate(connections);
        }
        return folder;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static void delete(Path folder) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
