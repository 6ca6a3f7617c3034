package dev.weir.node.stores.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.store.tck.internal.FreePort;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class EmbeddedDatabaseIT {
  private static final Map<String, String> SETTINGS_IN_FORCE =
      Map.ofEntries(
          Map.entry("fsync", "on"),
          Map.entry("synchronous_commit", "on"),
          Map.entry("full_page_writes", "on"),
          Map.entry("data_checksums", "on"),
          Map.entry("listen_addresses", "127.0.0.1"),
          Map.entry("unix_socket_directories", ""),
          Map.entry("max_connections", "100"),
          Map.entry("shared_buffers", "256MB"),
          Map.entry("huge_pages", "try"),
          Map.entry("max_wal_size", "2GB"),
          Map.entry("checkpoint_timeout", "15min"),
          Map.entry("wal_compression", "off"),
          Map.entry("jit", "off"),
          Map.entry("logging_collector", "on"),
          Map.entry("server_encoding", "UTF8"));

  @TempDir private static Path shared;
  private static EmbeddedDatabase running;

  @TempDir private Path temporary;
  private Path folder;

  /** To make a database takes longer than to copy one that was stopped. */
  @BeforeAll
  static void makeADatabaseAndStartOneForTheTestsThatOnlyLook() throws Exception {
    Path made = shared.resolve("made");
    try (EmbeddedDatabase database = EmbeddedDatabase.start(made)) {
      run(database, "CREATE TABLE kept AS SELECT 42 AS number");
    }
    copyMade(shared.resolve("data"));
    running = EmbeddedDatabase.start(shared.resolve("data"));
  }

  @AfterAll
  static void stopIt() {
    running.close();
  }

  @BeforeEach
  void chooseAFolderWhoseNameHasSpacesAndQuotes() {
    folder = temporary.resolve("it's a data folder");
  }

  @Test
  void runsWithDurableSettings() throws SQLException {
    for (Map.Entry<String, String> setting : SETTINGS_IN_FORCE.entrySet()) {
      assertThat(answer(running, "SHOW " + setting.getKey()))
          .as(setting.getKey())
          .isEqualTo(setting.getValue());
    }
  }

  /** Each connection would pay for more rounds, which protect only what can be guessed. */
  @Test
  void logsInWithASingleRound() throws SQLException {
    assertThat(answer(running, "SELECT rolpassword FROM pg_authid WHERE rolcanlogin"))
        .startsWith("SCRAM-SHA-256$1:");
  }

  /** Copies a database that was stopped, with a table in it, and without its port. */
  private static void copyMade(Path to) throws IOException {
    Path made = shared.resolve("made");
    try (Stream<Path> files = Files.walk(made)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(made.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
    Files.delete(to.resolve("port"));
  }

  @Test
  void keepsDataPortAndPasswordFromStartToStart() throws Exception {
    copyMade(folder);
    // No other process is given this port while the database is stopped.
    Files.writeString(folder.resolve("port"), Integer.toString(FreePort.find()));
    String url;
    try (EmbeddedDatabase database = EmbeddedDatabase.start(folder)) {
      assertThat(answer(database, "SELECT number FROM kept")).isEqualTo("42");
      url = database.jdbcUrl();
    }
    try (EmbeddedDatabase database = EmbeddedDatabase.start(folder)) {
      assertThat(answer(database, "SELECT number FROM kept")).isEqualTo("42");
      assertThat(database.jdbcUrl()).isEqualTo(url);
    }
  }

  @Test
  void letsNobodyInWithoutThePassword() throws IOException {
    assertThatThrownBy(
            () -> DriverManager.getConnection(running.jdbcUrl(), running.user(), "guess"))
        .hasMessageContaining("password authentication failed");
    assertThat(Files.getPosixFilePermissions(shared.resolve("data/password")))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    assertThat(Files.getPosixFilePermissions(shared.resolve("data")))
        .isEqualTo(PosixFilePermissions.fromString("rwx------"));
  }

  @Test
  void closesAFolderThatWasOpenToOthers() throws IOException {
    copyMade(folder);
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
    try (EmbeddedDatabase database = EmbeddedDatabase.start(folder)) {
      assertThat(database.password()).isNotEmpty();
      assertThat(Files.getPosixFilePermissions(folder))
          .isEqualTo(PosixFilePermissions.fromString("rwx------"));
    }
  }

  @Test
  void refusesAFolderInUseInThisProcessAndLeavesItLocked() throws Exception {
    Path used = shared.resolve("data");
    assertThatThrownBy(() -> EmbeddedDatabase.start(used))
        .isInstanceOf(EmbeddedDatabase.StartException.class)
        .hasMessageContaining("the data folder " + used + " is in use")
        .hasMessageContaining("process " + ProcessHandle.current().pid())
        .message()
        .hasLineCount(1);

    Process other = startElsewhere(used);
    assertThat(output(other)).contains("the data folder " + used + " is in use");
    assertThat(answer(running, "SELECT 1")).isEqualTo("1");
  }

  @Test
  void stopsTheOrphanOfAKilledProcessAndFindsItsData() throws Exception {
    copyMade(folder);
    Process killed = startElsewhere(folder);
    long orphan;
    try {
      orphan = Long.parseLong(awaitLine(killed, "committed, served by ").replaceAll("\\D", ""));
    } finally {
      killed.destroyForcibly().waitFor();
    }
    assertThat(ProcessHandle.of(orphan)).isPresent();

    try (EmbeddedDatabase database = EmbeddedDatabase.start(folder)) {
      assertThat(isRunning(orphan)).isFalse();
      assertThat(database.pid()).isNotEqualTo(orphan);
      assertThat(answer(database, "SELECT number FROM committed")).isEqualTo("7");
    }
  }

  @Test
  void recoversWhenPostgresqlItselfWasKilled() throws Exception {
    copyMade(folder);
    try (EmbeddedDatabase database = EmbeddedDatabase.start(folder)) {
      run(database, "CREATE TABLE committed AS SELECT 7 AS number");
      ProcessHandle postgresql = ProcessHandle.of(database.pid()).orElseThrow();
      postgresql.destroyForcibly();
      postgresql.onExit().get();
    }
    try (EmbeddedDatabase database = EmbeddedDatabase.start(folder)) {
      assertThat(answer(database, "SELECT number FROM committed")).isEqualTo("7");
    }
  }

  @Test
  void doesNotTouchAStrangerWhoseIdIsInAStalePidFile() throws Exception {
    copyMade(folder);
    Process stranger = new ProcessBuilder("sleep", "3600").start();
    try {
      Path cluster = folder.resolve("postgresql");
      Files.writeString(
          cluster.resolve("postmaster.pid"),
          "%d\n%s\n1700000000\n5432\n\n127.0.0.1\n  1  1\nready\n"
              .formatted(stranger.pid(), cluster));
      try (EmbeddedDatabase database = EmbeddedDatabase.start(folder)) {
        assertThat(answer(database, "SELECT number FROM kept")).isEqualTo("42");
      }
      assertThat(stranger.isAlive()).isTrue();
    } finally {
      stranger.destroyForcibly();
    }
  }

  @Test
  void beginsAnewWhenTheFirstCreationWasCutShort() throws Exception {
    Path unfinished = Files.createDirectories(folder.resolve("partial-123").resolve("base"));
    Files.writeString(unfinished.resolve("PG_VERSION"), "18\n");
    try (EmbeddedDatabase database = EmbeddedDatabase.start(folder)) {
      assertThat(answer(database, "SELECT 1")).isEqualTo("1");
      assertThat(folder.resolve("partial-123")).doesNotExist();
    }
  }

  @Test
  void choosesAnotherPortWhenTheRecordedOneIsTaken() throws Exception {
    copyMade(folder);
    Files.copy(shared.resolve("data/port"), folder.resolve("port"));
    try (EmbeddedDatabase database = EmbeddedDatabase.start(folder)) {
      assertThat(database.jdbcUrl()).isNotEqualTo(running.jdbcUrl());
      assertThat(answer(database, "SELECT 1")).isEqualTo("1");
    }
  }

  @Test
  void refusesDataOfAnotherMajorVersion() throws Exception {
    Files.createDirectories(folder.resolve("postgresql"));
    Files.writeString(folder.resolve("postgresql").resolve("PG_VERSION"), "17\n");
    assertThatThrownBy(() -> EmbeddedDatabase.start(folder))
        .isInstanceOf(EmbeddedDatabase.StartException.class)
        .hasMessageContaining("was made by PostgreSQL 17 and this Weir brings PostgreSQL 18")
        .message()
        .hasLineCount(1);
  }

  @Test
  void saysWhyADatabaseCannotBeCreated() throws Exception {
    Path failing = Files.createDirectories(temporary.resolve("programs/bin")).resolve("initdb");
    Files.writeString(failing, "#!/bin/sh\necho creating\necho no space left on device\nexit 1\n");
    Files.setPosixFilePermissions(failing, PosixFilePermissions.fromString("rwx------"));
    PostgresqlPrograms programs =
        new PostgresqlPrograms(temporary.resolve("programs"), PostgresqlAccount.SELF, "18.6");
    assertThatThrownBy(() -> EmbeddedDatabase.start(folder, programs))
        .isInstanceOf(EmbeddedDatabase.StartException.class)
        .hasMessage(
            "cannot create a database in %s: creating | no space left on device",
            folder.resolve("postgresql"));
  }

  @Test
  void saysWhyPostgresqlDoesNotStart() throws Exception {
    copyMade(folder);
    Files.delete(folder.resolve("postgresql/global/pg_control"));
    assertThatThrownBy(() -> EmbeddedDatabase.start(folder))
        .isInstanceOf(EmbeddedDatabase.StartException.class)
        .hasMessageContaining("PostgreSQL does not start in " + folder.resolve("postgresql"))
        .hasMessageContaining("could not find the database system")
        .message()
        .hasLineCount(1);
  }

  @Test
  void saysThatTheFolderIsAFile() throws Exception {
    Files.writeString(folder, "not a folder");
    assertThatThrownBy(() -> EmbeddedDatabase.start(folder))
        .isInstanceOf(EmbeddedDatabase.StartException.class)
        .hasMessageContaining("cannot use the data folder " + folder);
  }

  @Test
  void runsAsNobodyForRootWithoutUserNamespaces() throws Exception {
    Assumptions.assumeTrue(PostgresqlAccount.userId() == 0, "needs root");
    Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwx--x--x"));
    copyMade(folder);

    PostgresqlPrograms asNobody =
        PostgresqlPrograms.find(
            PostgresqlArchive.bundled(),
            List.of(PostgresqlArchive.caches(Map.of()).getLast()),
            List.of(PostgresqlAccount.NOBODY));
    try (EmbeddedDatabase database = EmbeddedDatabase.start(folder, asNobody)) {
      assertThat(answer(database, "SELECT 1")).isEqualTo("1");
      assertThat(PostgresqlAccount.ownerId(folder.resolve("postgresql"))).isEqualTo(65_534);
    }
    try (EmbeddedDatabase database = EmbeddedDatabase.start(folder)) {
      assertThat(answer(database, "SELECT 1")).isEqualTo("1");
    }
  }

  private static void run(EmbeddedDatabase database, String sql) throws SQLException {
    try (Connection connection = connect(database);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String answer(EmbeddedDatabase database, String sql) throws SQLException {
    try (Connection connection = connect(database);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      assertThat(rows.next()).isTrue();
      return rows.getString(1);
    }
  }

  private static Connection connect(EmbeddedDatabase database) throws SQLException {
    return DriverManager.getConnection(database.jdbcUrl(), database.user(), database.password());
  }

  // An ended process may wait for its parent for ever where process 1 collects nobody.
  private static boolean isRunning(long pid) {
    return ProcessHandle.of(pid).flatMap(process -> process.info().command()).isPresent();
  }

  private static Process startElsewhere(Path folder) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            Elsewhere.class.getName(),
            folder.toString())
        .redirectErrorStream(true)
        .start();
  }

  private static String output(Process process) throws IOException {
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private static String awaitLine(Process process, String prefix) throws IOException {
    return process
        .inputReader()
        .lines()
        .filter(line -> line.startsWith(prefix))
        .findFirst()
        .orElseThrow();
  }

  /** Another Weir, which commits, says so and stays until it is killed. */
  static final class Elsewhere {
    private Elsewhere() {}

    public static void main(String[] arguments) throws Exception {
      EmbeddedDatabase database = EmbeddedDatabase.start(Path.of(arguments[0]));
      run(database, "CREATE TABLE committed AS SELECT 7 AS number");
      System.out.println("committed, served by " + database.pid());
      Thread.currentThread().join();
    }
  }
}
