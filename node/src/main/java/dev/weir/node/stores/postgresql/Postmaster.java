package dev.weir.node.stores.postgresql;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server process of a PostgreSQL cluster, observed and controlled from outside: through the
 * file {@code postmaster.pid} in its data directory, and by signals.
 */
final class Postmaster {
  private static final Logger log = LoggerFactory.getLogger(Postmaster.class);
  private static final Duration FAST_STOP_BOUND = Duration.ofSeconds(30);
  private static final Duration IMMEDIATE_STOP_BOUND = Duration.ofSeconds(10);
  private static final Duration SIGNAL_BOUND = Duration.ofMinutes(1);

  /** The workers of a server that was killed end when they notice that. */
  private static final Duration ABANDONED_BOUND = Duration.ofMinutes(1);

  private static final int STATUS_LINE = 7;

  private final Path cluster;
  private final Path pidFile;
  private final StartTimes times;

  /**
   * How long a start is awaited.
   *
   * @param betweenReports after which time the log says that it is still starting, each time
   * @param max how long a server is awaited that does not even say that it is starting
   */
  record StartTimes(Duration betweenReports, Duration max) {
    private static final StartTimes DEFAULT =
        new StartTimes(Duration.ofSeconds(10), Duration.ofMinutes(5));
  }

  Postmaster(Path cluster) {
    this(cluster, StartTimes.DEFAULT);
  }

  Postmaster(Path cluster, StartTimes times) {
    this.cluster = cluster;
    this.times = times;
    this.pidFile = cluster.resolve("postmaster.pid");
  }

  /** Returns true if the server with this process id accepts connections. */
  boolean isReady(long pid) {
    return isStatus(pid, "ready");
  }

  private boolean isStatus(long pid, String status) {
    List<String> lines = lines();
    return lines.size() > STATUS_LINE
        && lines.get(0).strip().equals(Long.toString(pid))
        && lines.get(STATUS_LINE).strip().equals(status);
  }

  /**
   * Waits until a server that was just started accepts connections. Returns false if it has ended
   * instead. Recovery from a crash may take any time, and would begin anew if it was stopped.
   *
   * @param givenUp returns true when the start is cancelled
   */
  boolean awaitReady(Process process, BooleanSupplier givenUp) throws IOException {
    long pid = process.pid();
    BooleanSupplier decided = () -> isReady(pid) || !process.isAlive() || givenUp.getAsBoolean();
    boolean ready = false;
    try {
      long begunNanos = System.nanoTime();
      while (!Waiting.until(decided, times.betweenReports())) {
        Duration waited = Duration.ofNanos(System.nanoTime() - begunNanos);
        if (waited.compareTo(times.max()) >= 0 && !isStatus(pid, "starting")) {
          break;
        }
        log.info(
            "PostgreSQL is still starting after {} s, recovering from a crash takes its time",
            waited.toSeconds());
      }
      ready = process.isAlive() && isReady(pid);
      return ready;
    } finally {
      if (!ready && process.isAlive()) {
        stop(pid, process::isAlive);
      }
    }
  }

  /**
   * Prepares the cluster for a start: stops a server that outlived its Weir, waits for the workers
   * of one that was killed, and neutralizes a {@code postmaster.pid} that names a process which is
   * not a PostgreSQL of this cluster. Such a process is not touched.
   */
  void clearTheWay() throws IOException {
    OptionalLong recorded = recordedPid();
    if (recorded.isEmpty()) {
      return;
    }
    long pid = recorded.getAsLong();
    if (serves(pid)) {
      log.warn(
          "Stopping PostgreSQL (process {}), left in {} by a Weir that was killed", pid, cluster);
      stop(pid, () -> serves(pid));
    }
    if (!Waiting.until(this::isAbandoned, ABANDONED_BOUND)) {
      throw new EmbeddedDatabase.StartException(
          "processes of an earlier PostgreSQL are still at work in " + cluster);
    }
    if (!lines().isEmpty() && ProcessHandle.of(pid).isPresent()) {
      // PostgreSQL refuses to start while this process lives, whatever it is. Deleting the file
      // would also delete the data that PostgreSQL needs to notice workers still attached to its
      // shared memory; it treats the id of its own parent as stale, and checks the rest.
      log.warn("{} names process {}, which is no PostgreSQL of this folder", pidFile, pid);
      String content = Files.readString(pidFile);
      Files.writeString(
          pidFile, content.replaceFirst("^\\d+", Long.toString(ProcessHandle.current().pid())));
    }
  }

  /**
   * Stops the server: first with an orderly end of all transactions, and if that takes too long
   * immediately, with recovery at the next start.
   */
  static void stop(long pid, BooleanSupplier running) throws IOException {
    signal("INT", pid);
    if (Waiting.until(() -> !running.getAsBoolean(), FAST_STOP_BOUND)) {
      return;
    }
    log.warn("PostgreSQL (process {}) does not stop, ending it at once", pid);
    signal("QUIT", pid);
    if (!Waiting.until(() -> !running.getAsBoolean(), IMMEDIATE_STOP_BOUND)) {
      signal("KILL", pid);
    }
  }

  // The JDK can send only TERM, which waits for clients to leave, and KILL.
  private static void signal(String name, long pid) throws IOException {
    Command.run(
        List.of("/bin/sh", "-c", "kill -s \"$0\" \"$1\"", name, Long.toString(pid)), SIGNAL_BOUND);
  }

  private OptionalLong recordedPid() {
    // A negative id is a server in single-user mode, run by hand: PostgreSQL itself refuses it.
    return lines().stream()
        .limit(1)
        .map(String::strip)
        .filter(line -> line.matches("[1-9]\\d{0,9}"))
        .mapToLong(Long::parseLong)
        .findFirst();
  }

  private List<String> lines() {
    try {
      return Files.readAllLines(pidFile);
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean isAbandoned() {
    return ProcessHandle.allProcesses().noneMatch(process -> serves(process.pid()));
  }

  /**
   * Returns true if a process is a PostgreSQL of this cluster. All of them have the data directory
   * as working directory, even after it is renamed; a zombie process has none.
   */
  private boolean serves(long pid) {
    return ProcessHandle.of(pid)
        .filter(process -> isPostgresql(process) && worksInCluster(process))
        .isPresent();
  }

  // The name ends with " (deleted)" if the programs have been unpacked again since.
  private static boolean isPostgresql(ProcessHandle process) {
    return process
        .info()
        .command()
        .filter(command -> Path.of(command).getFileName().toString().startsWith("postgres"))
        .isPresent();
  }

  private boolean worksInCluster(ProcessHandle process) {
    Path workingFolder = Path.of("/proc", Long.toString(process.pid()), "cwd");
    if (Files.exists(workingFolder)) {
      try {
        return Files.isSameFile(workingFolder, cluster);
      } catch (IOException e) {
        log.debug("Process {} is gone or not ours", process.pid(), e);
        return false;
      }
    }
    return process
        .info()
        .arguments()
        .filter(arguments -> List.of(arguments).contains(cluster.toString()))
        .isPresent();
  }
}
