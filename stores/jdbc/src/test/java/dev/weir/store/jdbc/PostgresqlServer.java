package dev.weir.store.jdbc;

import dev.weir.store.tck.internal.Await;
import dev.weir.store.tck.internal.FreePort;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** A PostgreSQL with its own folder and port, which a test stops and starts again. */
public final class PostgresqlServer implements AutoCloseable {
  /** The default is ten seconds, which a busy machine exceeds. */
  static final Duration STARTUP = Duration.ofMinutes(5);

  private final Path data;
  private final EmbeddedPostgres running;

  private PostgresqlServer(Path data, int port) throws IOException {
    this.data = data;
    this.running =
        EmbeddedPostgres.builder()
            .setDataDirectory(data)
            .setCleanDataDirectory(false)
            .setPort(port)
            .setPGStartupWait(STARTUP)
            .start();
  }

  /**
   * Starts a server.
   *
   * @param data its folder, which is kept
   */
  public static PostgresqlServer start(Path data) throws IOException {
    return new PostgresqlServer(data, FreePort.find());
  }

  /** Starts the server again after {@link #close}, with its data and on its port. */
  public PostgresqlServer startAgain() throws IOException {
    return new PostgresqlServer(data, port());
  }

  public int port() {
    return running.getPort();
  }

  public String url() {
    return running.getJdbcUrl("postgres", "postgres");
  }

  /** Stops the server, and returns when it has ended. */
  @Override
  public void close() throws IOException {
    running.close();
    // It waits for a few seconds only.
    Await.until(() -> !Files.exists(data.resolve("postmaster.pid")));
  }
}
