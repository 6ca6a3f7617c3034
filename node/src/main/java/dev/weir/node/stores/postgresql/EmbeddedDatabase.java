package dev.weir.node.stores.postgresql;

import dev.weir.internal.FolderLock;
import dev.weir.node.settings.FileProblem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A PostgreSQL server that runs while this object is open and stores its data in a folder.
 *
 * <p>Committed data survives a crash of Weir, of PostgreSQL and of the machine. The server listens
 * on the loopback address only and requires a password, which is stored in the folder, readable by
 * its owner. If it ends unexpectedly, it is restarted. The folder belongs to one process at a time;
 * the next process cleans up after one that was killed. There is no shutdown hook, and Ctrl-C in
 * the terminal does not reach PostgreSQL, so that the caller can drain before it closes this
 * object. A cancelled start leaves no process behind.
 *
 * <p>Thread-safe.
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
   * Starts PostgreSQL on the data in a folder, which is created if absent. Returns when the server
   * accepts connections.
   *
   * @throws StartException if it cannot be started, with a message of one line for the operator
   */
  public static EmbeddedDatabase start(Path dataFolder) {
    return start(dataFolder, () -> false);
  }

  /**
   * Starts PostgreSQL unless the start is cancelled.
   *
   * @param isStopping checked between the steps of the start, and while PostgreSQL starts
   * @throws StartException if it cannot be started or the start is cancelled; no process is left
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
        // Not interrupted: initdb has child processes, and takes only a second or two.
        PostgresqlCluster cluster = PostgresqlCluster.open(dataFolder, programs);
        refuseIf(isStopping);
        new Postmaster(cluster.folder()).clearTheWay();
        return launch(dataFolder, programs, cluster, lock, isStopping);
      } catch (IOException | RuntimeException e) {
        lock.close();
        throw e;
      }
    } catch (FolderLock.InUseException e) {
      throw new StartException(String.valueOf(e.getMessage()), e);
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
   * Returns address and credentials of the database that a process runs on the data in a folder.
   *
   * @throws StartException if no process ever did
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

  /** Address and credentials of a database. */
  public record Access(String jdbcUrl, String user, String password) {}

  /** Returns the JDBC URL, without user and password. */
  public String jdbcUrl() {
    return jdbcUrl(Integer.toString(port));
  }

  private static String jdbcUrl(String port) {
    return "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
  }

  /** Returns the name of the only database user, a superuser. */
  public String user() {
    return PostgresqlCluster.USER;
  }

  /**
   * Returns the password of the user, which the file {@code password} of the data folder contains.
   */
  public String password() {
    return cluster.password();
  }

  /** Returns the id of PostgreSQL's main process, which changes if it is restarted. */
  public long pid() {
    return supervisor.pid();
  }

  /** Stops PostgreSQL, closing its connections, and releases the folder. Idempotent. */
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
      // Another process may have taken the port between our check and the start of PostgreSQL.
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

  /**
   * Thrown if the embedded database cannot be started. Its message is one line for the operator.
   */
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
