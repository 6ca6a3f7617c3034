package dev.weir.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.check.Checker;
import dev.weir.server.check.Findings;
import dev.weir.server.wiring.postgres.EmbeddedDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;

/** A PostgreSQL that nodes share as their server, and that can be stopped and killed. */
final class Database implements AutoCloseable {
  private static final Duration BOUND = Duration.ofSeconds(60);

  private final Path folder;
  private EmbeddedDatabase postgres;

  private Database(Path folder) {
    this.folder = folder;
    this.postgres = EmbeddedDatabase.start(folder);
  }

  static Database start(Path folder) throws IOException {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("port"), Integer.toString(Ports.free()));
    return new Database(folder);
  }

  /** What a node needs to find it. */
  Map<String, String> environment() {
    return Map.of(
        "WEIR_DB_URL",
        postgres.jdbcUrl(),
        "WEIR_DB_USER",
        postgres.user(),
        "WEIR_DB_PASSWORD",
        postgres.password(),
        "WEIR_DB_WAIT",
        "PT1S",
        "WEIR_DB_POOL_MIN",
        "2",
        "WEIR_DB_POOL_MAX",
        "10");
  }

  /** Ends all its processes on the spot; it is started again by its supervisor. */
  void kill() {
    long pid = postgres.pid();
    killAll(pid);
    Waiting.until("PostgreSQL to be started again", BOUND, () -> postgres.pid() != pid);
  }

  static void killAll(long pid) {
    ProcessHandle main = ProcessHandle.of(pid).orElseThrow();
    Stream<ProcessHandle> all = Stream.concat(Stream.of(main), main.descendants());
    all.toList().forEach(ProcessHandle::destroyForcibly);
  }

  /** Stops all its processes by a signal. */
  Stopped hang() throws IOException {
    return new Stopped(postgres.pid());
  }

  void stop() {
    postgres.close();
  }

  void startAgain() {
    String before = postgres.jdbcUrl();
    postgres = EmbeddedDatabase.start(folder);
    assertThat(postgres.jdbcUrl()).isEqualTo(before);
  }

  /** What the checker finds in the database of a folder and in a journal. */
  static Findings check(Path folder, Journal journal) throws SQLException, IOException {
    EmbeddedDatabase.Access access = EmbeddedDatabase.accessTo(folder);
    try (Connection connection =
        DriverManager.getConnection(access.jdbcUrl(), access.user(), access.password())) {
      Checker checker = new Checker(connection);
      // The load cancels, but never asks again for what it cancelled.
      checker.slots(Long.MIN_VALUE, Checker.Past.COMPLETE);
      checker.answers(journal.file());
      return checker.findings();
    }
  }

  @Override
  public void close() {
    postgres.close();
  }
}
