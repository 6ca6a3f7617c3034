package dev.weir.node.stores.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that takes its time, of which only the process and the file of its status are there. */
final class PostmasterTest {
  private static final Postmaster.StartTimes SHORT =
      new Postmaster.StartTimes(Duration.ofMillis(1), Duration.ofMillis(1));

  @TempDir private Path cluster;
  private Process server;

  @BeforeEach
  void start() throws IOException {
    server = new ProcessBuilder("sleep", "600").start();
  }

  @AfterEach
  void stop() {
    server.destroyForcibly();
  }

  private void say(String status) {
    try {
      Files.writeString(
          cluster.resolve("postmaster.pid"),
          server.pid() + "\nfolder\n0\n5432\n\n127.0.0.1\n0\n" + status + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void recoveryIsAwaitedAsLongAsTheServerSaysThatItIsStarting() throws IOException {
    say("starting");
    AtomicInteger looks = new AtomicInteger();
    BooleanSupplier readyInTheEnd =
        () -> {
          if (looks.incrementAndGet() == 20) {
            say("ready");
          }
          return false;
        };
    assertThat(new Postmaster(cluster, SHORT).awaitReady(server, readyInTheEnd)).isTrue();
    assertThat(server.isAlive()).isTrue();
  }

  @Test
  void serverThatSaysNothingIsStoppedInTheEnd() throws IOException {
    assertThat(new Postmaster(cluster, SHORT).awaitReady(server, () -> false)).isFalse();
    assertThat(server.isAlive()).isFalse();
  }
}
