package dev.weir.store.redis;

import dev.weir.store.tck.internal.Await;
import dev.weir.store.tck.internal.FreePort;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A Redis server for tests, on a free port of loopback and in a temporary folder. */
final class RedisServer implements AutoCloseable {
  private static final Duration MAX_WAIT = Duration.ofMinutes(2);

  private final List<String> command;
  private final int port;
  private final Path folder;
  private Process process;

  private RedisServer(List<String> command, int port, Path folder) {
    this.command = List.copyOf(command);
    this.port = port;
    this.folder = folder;
    this.process = launch();
    // Shared servers are closed only here. Closing twice is harmless.
    Runtime.getRuntime().addShutdownHook(new Thread(this::close));
  }

  static RedisServer start(RedisProgram program, String... options) {
    int port = freePort();
    List<String> command = new ArrayList<>(List.of(program.executable().toString()));
    command.addAll(List.of("--port", Integer.toString(port), "--bind", "127.0.0.1"));
    command.addAll(List.of("--save", "", "--appendonly", "no", "--daemonize", "no"));
    // By default, a replica waits for further replicas that may connect.
    command.addAll(List.of("--repl-diskless-sync-delay", "0"));
    command.addAll(List.of(options));
    return new RedisServer(command, port, newFolder());
  }

  /**
   * Starts a Sentinel that watches a master called main and needs no quorum. It is patient with the
   * master, which may be silent for seconds on a busy machine, until {@link #hasten}.
   *
   * @param masterPort port of the master
   * @param lines further lines of its configuration
   */
  static RedisServer startSentinel(RedisProgram program, int masterPort, String... lines) {
    int port = freePort();
    Path folder = newFolder();
    String config =
        """
        port %d
        bind 127.0.0.1
        sentinel monitor main 127.0.0.1 %d 1
        sentinel down-after-milliseconds main 600000
        sentinel failover-timeout main 3000
        %s
        """
            .formatted(port, masterPort, String.join("\n", lines));
    try {
      Path file = Files.writeString(folder.resolve("sentinel.conf"), config);
      return new RedisServer(
          List.of(program.executable().toString(), file.toString(), "--sentinel"), port, folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Lets a Sentinel take the master for dead after a short silence. */
  void hasten() {
    waitUntil("SENTINEL SET main down-after-milliseconds 300", "OK");
  }

  /** Makes a Sentinel patient again. */
  void calm() {
    waitUntil("SENTINEL SET main down-after-milliseconds 600000", "OK");
  }

  int port() {
    return port;
  }

  String uri() {
    return "redis://127.0.0.1:" + port;
  }

  /** Kills the server. */
  void kill() {
    process.destroyForcibly();
    waitForEnd();
  }

  /** Starts the server again after {@link #kill}, without data. */
  void restart() {
    process = launch();
  }

  void signal(String name) {
    try {
      Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
      if (kill.waitFor() != 0) {
        throw new IllegalStateException("kill -" + name + " failed");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Sends a command on a separate connection and returns the start of the response. */
  String command(String line) {
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), port), (int) MAX_WAIT.toMillis());
      socket.setSoTimeout((int) MAX_WAIT.toMillis());
      OutputStream out = socket.getOutputStream();
      out.write((line + "\r\n").getBytes(StandardCharsets.UTF_8));
      out.flush();
      InputStream in = socket.getInputStream();
      byte[] buffer = new byte[65_536];
      int read = in.read(buffer);
      return read < 0 ? "" : new String(buffer, 0, read, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(line, e);
    }
  }

  /** Returns the time by the clock of Redis. */
  long micros() {
    List<String> lines = command("TIME").lines().toList();
    return Long.parseLong(lines.get(2)) * 1_000_000 + Long.parseLong(lines.get(4));
  }

  /** Repeats a command until the response contains a text; connections may be closed meanwhile. */
  void waitUntil(String question, String answer) {
    long deadlineNanos = System.nanoTime() + 2 * MAX_WAIT.toNanos();
    String last = "";
    while (!last.contains(answer)) {
      if (System.nanoTime() > deadlineNanos) {
        throw new AssertionError(question + ": " + last);
      }
      try {
        last = command(question);
      } catch (UncheckedIOException e) {
        last = e.toString();
      }
      Await.pause();
    }
  }

  /** Kills the server and removes its folder. */
  @Override
  public synchronized void close() {
    process.destroyForcibly();
    waitForEnd();
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void waitForEnd() {
    try {
      if (!process.waitFor(MAX_WAIT.toSeconds(), TimeUnit.SECONDS)) {
        throw new IllegalStateException("Redis does not end");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private Process launch() {
    try {
      Path log = folder.resolve("log");
      Process started =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
              .start();
      long deadline = System.nanoTime() + MAX_WAIT.toNanos();
      while (!answers()) {
        if (!started.isAlive() || System.nanoTime() > deadline) {
          started.destroyForcibly();
          throw new IllegalStateException("Redis does not start: " + Files.readString(log));
        }
        TimeUnit.MILLISECONDS.sleep(20);
      }
      return started;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private boolean answers() {
    try {
      return command("PING").startsWith("+PONG") || command("PING").startsWith("-NOAUTH");
    } catch (UncheckedIOException e) {
      return false;
    }
  }

  static int freePort() {
    return FreePort.find();
  }

  private static Path newFolder() {
    try {
      return Files.createTempDirectory("weir-redis-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
