package dev.weir.store.jdbc;

import dev.weir.store.tck.internal.Await;
import dev.weir.store.tck.internal.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A MariaDB in its Oracle mode, of the machine's package mariadb-server, in a temporary folder. */
public final class MariaDb implements AutoCloseable {
  private static final List<Path> FOLDERS = List.of(Path.of("/usr/sbin"), Path.of("/usr/bin"));
  private static final int START_SECONDS = 240;

  private final Process process;
  private final String url;

  private MariaDb(Process process, String url) {
    this.process = process;
    this.url = url;
  }

  /** Returns true if the package is installed. */
  public static boolean isInstalled() {
    return Stream.of("mariadbd", "mariadb-install-db").allMatch(MariaDb::isProgram);
  }

  private static boolean isProgram(String name) {
    return FOLDERS.stream().anyMatch(folder -> Files.isExecutable(folder.resolve(name)));
  }

  private static String program(String name) {
    return FOLDERS.stream()
        .map(folder -> folder.resolve(name))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow()
        .toString();
  }

  /** Starts a server whose data is in the folder. */
  public static MariaDb start(Path folder) throws IOException, InterruptedException, SQLException {
    Path data = folder.resolve("data");
    String user = System.getProperty("user.name");
    run(
        folder,
        program("mariadb-install-db"),
        "--no-defaults",
        "--user=" + user,
        "--datadir=" + data,
        "--auth-root-authentication-method=normal",
        "--skip-test-db");
    int port = FreePort.find();
    Process process =
        new ProcessBuilder(
                program("mariadbd"),
                "--no-defaults",
                "--user=" + user,
                "--datadir=" + data,
                "--socket=" + folder.resolve("socket"),
                "--pid-file=" + folder.resolve("pid"),
                "--bind-address=127.0.0.1",
                "--port=" + port,
                "--innodb-buffer-pool-size=32M",
                "--character-set-server=utf8mb4")
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    MariaDb started =
        new MariaDb(
            process,
            "jdbc:mariadb://127.0.0.1:%d/mysql?user=root&sslMode=disable&allowMultiQueries=false"
                .formatted(port));
    started.awaitConnection(folder);
    return started;
  }

  private static void run(Path folder, String... command) throws IOException, InterruptedException {
    Path log = folder.resolve("install-log");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    if (!process.waitFor(START_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new IOException(Files.readString(log));
    }
  }

  private void awaitConnection(Path folder) throws IOException, SQLException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (true) {
      try (Connection connection = DriverManager.getConnection(url)) {
        if (connection.isValid(1)) {
          return;
        }
      } catch (SQLException e) {
        if (!process.isAlive() || System.nanoTime() > deadline) {
          throw new IOException(Files.readString(folder.resolve("log")), e);
        }
        Await.pause();
      }
    }
  }

  /** Opens a connection in Oracle mode. */
  public Connection connect() throws SQLException {
    Connection connection = DriverManager.getConnection(url);
    try (var statement = connection.createStatement()) {
      statement.execute("set sql_mode = 'ORACLE'");
    }
    return connection;
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (process.waitFor(START_SECONDS, TimeUnit.SECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
  }
}
