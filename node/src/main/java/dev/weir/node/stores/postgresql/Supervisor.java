package dev.weir.node.stores.postgresql;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps PostgreSQL's main process running: if it ends unexpectedly, it is restarted on the same
 * port, with a pause that grows while it does not stay up.
 *
 * <p>Runs its own thread until it is closed. Thread-safe.
 */
final class Supervisor implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Supervisor.class);
  private static final Duration MIN_PAUSE = Duration.ofMillis(50);
  private static final Duration MAX_PAUSE = Duration.ofSeconds(10);
  private static final Duration STOP_BOUND = Duration.ofMinutes(1);

  private final PostgresqlPrograms programs;
  private final PostgresqlCluster cluster;
  private final Postmaster postmaster;
  private final int port;
  private final CompletableFuture<Boolean> closing = new CompletableFuture<>();
  private final Thread thread;
  private volatile Process process;

  /**
   * Takes over a running server.
   *
   * @param process its main process
   */
  Supervisor(PostgresqlPrograms programs, PostgresqlCluster cluster, int port, Process process) {
    this.programs = programs;
    this.cluster = cluster;
    this.postmaster = new Postmaster(cluster.folder());
    this.port = port;
    this.process = process;
    this.thread =
        Thread.ofPlatform().daemon().name("weir-postgresql-supervisor").unstarted(this::run);
    thread.start();
  }

  /** Returns the id of the main process, also while it is being replaced. */
  long pid() {
    return process.pid();
  }

  /** Stops PostgreSQL, closing its connections. Idempotent. */
  @Override
  public void close() {
    closing.complete(true);
    try {
      if (!thread.join(STOP_BOUND)) {
        log.warn("PostgreSQL in {} is still being started", cluster.folder());
      }
    } catch (InterruptedException e) {
      // PostgreSQL must be stopped all the same.
      Thread.currentThread().interrupt();
    }
    if (process.isAlive()) {
      try {
        Postmaster.stop(process.pid(), process::isAlive);
        log.info("PostgreSQL in {} stopped", cluster.folder());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private void run() {
    Duration pause = MIN_PAUSE;
    while (!closing.isDone()) {
      long upSinceNanos = System.nanoTime();
      CompletableFuture.anyOf(process.onExit(), closing).join();
      if (closing.isDone()) {
        return;
      }
      if (System.nanoTime() - upSinceNanos > MAX_PAUSE.toNanos()) {
        pause = MIN_PAUSE;
      }
      log.error(
          "PostgreSQL (process {}) has ended unasked with code {}; starting it again",
          process.pid(),
          process.exitValue());
      do {
        Waiting.until(closing::isDone, pause);
        pause = longer(pause);
      } while (!closing.isDone() && !startAgain());
    }
  }

  private static Duration longer(Duration pause) {
    Duration doubled = pause.multipliedBy(2);
    return doubled.compareTo(MAX_PAUSE) < 0 ? doubled : MAX_PAUSE;
  }

  /** Restarts the server; returns true if it is up again. */
  private boolean startAgain() {
    try {
      postmaster.clearTheWay();
      cluster.configure(port, programs.account());
      Command server = Command.start(programs.words("postgres", "-D", cluster.folder().toString()));
      if (postmaster.awaitReady(server.process(), closing::isDone)) {
        process = server.process();
        log.info("PostgreSQL runs again on port {} (process {})", port, process.pid());
        return true;
      }
      if (!closing.isDone()) {
        log.error(
            "PostgreSQL does not start, trying again: {} | {}",
            PostgresqlCluster.lastLines(server.lastOutput()),
            cluster.lastLogLines());
      }
    } catch (IOException | RuntimeException | Error e) {
      // Keeps trying whatever the failure is, because the node needs its database.
      log.error("PostgreSQL cannot be started, trying again", e);
    }
    return false;
  }
}
