package dev.weir.server.wiring.postgresql;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A real PostgreSQL that runs for as long as this object is open and keeps its data in a folder.
 *
 * <p>What it has committed survives a crash of Weir, of PostgreSQL and of the machine. It listens
 * on the loopback address only and asks for a password that is kept in the folder, readable by its
 * owner. Should it end unasked, it is started again. The folder belongs to one process at a time;
 * one that was killed is cleaned up after by the next. Nothing is stopped behind the back of
 * whoever drains before closing: there is no shutdown hook, and Ctrl-C in the terminal does not
 * reach PostgreSQL. A start that is no longer wanted leaves no process behind.
 *
 * <p>Safe for use by several threads.
 */
public final class EmbeddedDatabase implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(EmbeddedDatabase.class);
  private static final int PORTS_TRIED = 5;

  private final FolderLock lock;
  private final PostgresqlCluster cluster;
  private final Supervisor supervisor;
  private final int port;

  private EmbeddedDatabase(
      FolderLock lock, PostgresqlCluster cluster, Supervisor supervisor, int port) {
    this.lock = lock;
    this.cluster = cluster;
    this.supervisor = supervisor;
    this.port = port;
  }

  /**
   * Starts PostgreSQL on the data in a folder, which is created if absent, and returns when it
   * accepts connections.
   *
   * @throws StartException if it cannot, with a message of one line for the operator
   */
  public static EmbeddedDatabase start(Path dataFolder) {
    return start(dataFolder, () -> false);
  }

  /**
   * Starts PostgreSQL unless it is no longer wanted.
   *
   * @param isStopping looked at between the steps of the start, and while PostgreSQL starts
   * @throws StartException if it cannot, or is not wanted any more; then no process is left
   */
  public static EmbeddedDatabase start(Path dataFolder, BooleanSupplier isStopping) {
    Path folder = dataFolder.toAbsolutePath().normalize();
    PostgresqlPrograms programs;
    try {
      programs =
          PostgresqlPrograms.find(
              PostgresqlArchive.bundled(),
              PostgresqlArchive.caches(System.getenv()),
              PostgresqlAccount.candidates());
    } catch (IOException e) {
      throw new StartException("cannot unpack the bundled PostgreSQL: " + FileProblem.text(e), e);
    }
    return start(folder, programs, isStopping);
  }

  static EmbeddedDatabase start(Path dataFolder, PostgresqlPrograms programs) {
    return start(dataFolder, programs, () -> false);
  }

  private static EmbeddedDatabase start(
      Path dataFolder, PostgresqlPrograms programs, BooleanSupplier isStopping) {
    refuseIf(isStopping);
    try {
      Folders.createPrivate(dataFolder);
      FolderLock lock = FolderLock.claim(dataFolder);
      try {
        // Not cut short: initdb has processes of its own, and takes a second or two.
        PostgresqlCluster cluster = PostgresqlCluster.open(dataFolder, programs);
        refuseIf(isStopping);
        new Postmaster(cluster.folder()).clearTheWay();
        return launch(dataFolder, programs, cluster, lock, isStopping);
      } catch (IOException | RuntimeException e) {
        lock.close();
        throw e;
      }
    } catch (IOException e) {
      throw unusable(dataFolder, e);
    } catch (UncheckedIOException e) {
      throw unusable(dataFolder, Objects.requireNonNull(e.getCause()));
    }
  }

  private static StartException unusable(Path dataFolder, IOException e) {
    return new StartException(
        "cannot use the data folder " + dataFolder + ": " + FileProblem.text(e), e);
  }

  private static void refuseIf(BooleanSupplier isStopping) {
    if (isStopping.getAsBoolean()) {
      throw new StartException("stopped while starting");
    }
  }

  /**
   * How to get into the database that some process runs on the data in a folder.
   *
   * @throws StartException if none ever did
   */
  public static Access accessTo(Path dataFolder) {
    try {
      return new Access(
          jdbcUrl(Files.readString(dataFolder.resolve("port")).strip()),
          PostgresqlCluster.USER,
          Files.readString(dataFolder.resolve("password")).strip());
    } catch (IOException e) {
      throw new StartException(
          "the data folder " + dataFolder + " holds no database: " + FileProblem.text(e), e);
    }
  }

  /** Where a database is and how to get in. */
  public record Access(String jdbcUrl, String user, String password) {}

  /** The address for a JDBC driver, without user and password. */
  public String jdbcUrl() {
    return jdbcUrl(Integer.toString(port));
  }

  private static String jdbcUrl(String port) {
    return "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
  }

  /** The name of the one database user, who may do everything. */
  public String user() {
    return PostgresqlCluster.USER;
  }

  /** The password of the user, also found in the file {@code password} of the data folder. */
  public String password() {
    return cluster.password();
  }

  /** The id of PostgreSQL's main process; another one after it had to be started again. */
  public long pid() {
    return supervisor.pid();
  }

  /** Stops PostgreSQL, cutting its connections, and gives the folder free. Idempotent. */
  @Override
  public void close() {
    try {
      try {
        supervisor.close();
      } finally {
        lock.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static EmbeddedDatabase launch(
      Path dataFolder,
      PostgresqlPrograms programs,
      PostgresqlCluster cluster,
      FolderLock lock,
      BooleanSupplier isStopping)
      throws IOException {
    Path portFile = dataFolder.resolve("port");
    int port = Ports.recordedOrFree(portFile);
    for (int attempt = 1; ; attempt++) {
      cluster.configure(port, programs.account());
      Files.writeString(portFile, port + "\n");
      Command server = Command.start(programs.words("postgres", "-D", cluster.folder().toString()));
      if (new Postmaster(cluster.folder()).awaitReady(server.process(), isStopping)) {
        log.info(
            "PostgreSQL {} runs on port {} with its data in {}",
            programs.version(),
            port,
            cluster.folder());
        return new EmbeddedDatabase(
            lock, cluster, new Supervisor(programs, cluster, port, server.process()), port);
      }
      refuseIf(isStopping);
      // Between our look and its start somebody else may have taken the port.
      if (attempt == PORTS_TRIED || Ports.isFree(port)) {
        throw new StartException(
            "PostgreSQL does not start in %s: %s | %s"
                .formatted(
                    cluster.folder(),
                    PostgresqlCluster.lastLines(server.lastOutput()),
                    cluster.lastLogLines()));
      }
      port = Ports.free();
    }
  }

  /** The reason why the embedded database cannot be had, in a line for the operator. */
  public static final class StartException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StartException(String message) {
      super(message);
    }

    StartException(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
