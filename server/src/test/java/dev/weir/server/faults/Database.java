package dev.weir.server.faults;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.node.stores.postgresql.EmbeddedDatabase;
import dev.weir.server.verify.Findings;
import dev.weir.server.verify.Verifier;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;

/** A PostgreSQL that nodes share as their server, and that can be stopped and killed. */
public final class Database implements AutoCloseable {
  private static final Duration BOUND = Duration.ofMinutes(3);

  /** Longer than a statement of the tests waits for a connection, even on a busy machine. */
  private static final Duration CONNECTION_BOUND = Duration.ofMinutes(5);

  private final Path folder;
  private volatile EmbeddedDatabase postgresql;

  private Database(Path folder, EmbeddedDatabase postgresql) {
    this.folder = folder;
    this.postgresql = postgresql;
  }

  /** Starts one that has all tables. */
  public static Database start(Path folder) throws IOException {
    choosePort(folder);
    return new Database(folder, PreparedDatabase.start(folder));
  }

  /** Starts one without tables, which the first node creates. */
  static Database startEmpty(Path folder) throws IOException {
    choosePort(folder);
    return new Database(folder, EmbeddedDatabase.start(folder));
  }

  /** Starts one on the files that a folder has already. */
  public static Database open(Path folder) throws IOException {
    choosePort(folder);
    return new Database(folder, EmbeddedDatabase.start(folder));
  }

  private static void choosePort(Path folder) throws IOException {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("port"), Integer.toString(Ports.free()));
  }

  /** What a node needs to find it, and to wait for it on however busy a machine. */
  public Map<String, String> environment() {
    return environment(port());
  }

  /** The port where it listens. */
  public int port() {
    return URI.create(postgresql.jdbcUrl().substring("jdbc:".length())).getPort();
  }

  /** What a node needs that reaches it by another port, such as that of a relay. */
  public Map<String, String> environment(int port) {
    return Map.of(
        "WEIR_DB_URL",
        postgresql.jdbcUrl().replace(":" + port() + "/", ":" + port + "/"),
        "WEIR_DB_USER",
        postgresql.user(),
        "WEIR_DB_PASSWORD",
        postgresql.password(),
        "WEIR_DB_WAIT",
        "PT1M",
        "WEIR_DB_POOL_MIN",
        "2",
        "WEIR_DB_POOL_MAX",
        "10");
  }

  /** The password of its only user. */
  public String password() {
    return postgresql.password();
  }

  /** Executes a statement, as an administrator would. */
  public void execute(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  public Connection connect() throws SQLException {
    return DriverManager.getConnection(
        postgresql.jdbcUrl(), postgresql.user(), postgresql.password());
  }

  /** Returns two connections for statements of a test, which outlive the end of the database. */
  public HikariDataSource pool() {
    return pool(postgresql);
  }

  static HikariDataSource pool(EmbeddedDatabase postgresql) {
    HikariDataSource connections = new HikariDataSource();
    connections.setJdbcUrl(postgresql.jdbcUrl());
    connections.setUsername(postgresql.user());
    connections.setPassword(postgresql.password());
    connections.setMaximumPoolSize(2);
    connections.setConnectionTimeout(CONNECTION_BOUND.toMillis());
    return connections;
  }

  /** Ends all its processes on the spot; it is started again by its supervisor. */
  public void kill() {
    long pid = postgresql.pid();
    killAll(pid);
    Waiting.until("PostgreSQL to be started again", BOUND, () -> postgresql.pid() != pid);
  }

  static void killAll(long pid) {
    ProcessHandle main = ProcessHandle.of(pid).orElseThrow();
    Stream<ProcessHandle> all = Stream.concat(Stream.of(main), main.descendants());
    all.toList().forEach(ProcessHandle::destroyForcibly);
  }

  /** Stops all its processes by a signal. */
  public Stopped hang() throws IOException {
    return new Stopped(postgresql.pid());
  }

  /** Ends all its processes on the spot, and does not start it again. */
  public void killForGood() {
    killAll(postgresql.pid());
    postgresql.close();
  }

  /** Stops it in an orderly way. */
  public void stop() {
    postgresql.close();
  }

  /** Copies its files while it does not run. */
  public void copyTo(Path other) throws IOException {
    Files.createDirectories(other);
    PreparedDatabase.copyAll(folder, other);
  }

  /** Replaces its files by a copy while it does not run. */
  public void replaceBy(Path copy) throws IOException {
    try (Stream<Path> files = Files.walk(folder.resolve("postgresql"))) {
      for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
    PreparedDatabase.copyAll(copy, folder);
  }

  /** Starts it again after it was stopped, on the same port. */
  public void startAgain() {
    String before = postgresql.jdbcUrl();
    postgresql = EmbeddedDatabase.start(folder);
    if (!postgresql.jdbcUrl().equals(before)) {
      throw new AssertionError(postgresql.jdbcUrl() + " in place of " + before);
    }
  }

  /** What the verifier finds in the database of a folder and in a journal. */
  static Findings check(Path folder, Journal journal) throws SQLException, IOException {
    EmbeddedDatabase.Access access = EmbeddedDatabase.accessTo(folder);
    try (Connection connection =
        DriverManager.getConnection(access.jdbcUrl(), access.user(), access.password())) {
      Verifier verifier = new Verifier(connection);
      // The load cancels, but never asks again for what it cancelled.
      verifier.slots(Long.MIN_VALUE, Verifier.Past.COMPLETE);
      verifier.answers(journal.file());
      return verifier.findings();
    }
  }

  @Override
  public void close() {
    postgresql.close();
  }
}
