package dev.weir.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A Weir in a process of its own, which can be killed. */
final class NodeProcess implements AutoCloseable {
  private static final Duration START_BOUND = Duration.ofMinutes(5);
  private static final Duration STOP_BOUND = Duration.ofMinutes(5);

  private final Path log;
  private final int port;
  private final Map<String, String> environment;
  private final List<String> command;
  private Process process;

  private NodeProcess(Path log, int port, Map<String, String> environment, List<String> command)
      throws IOException {
    this.log = log;
    this.port = port;
    this.environment = new HashMap<>(environment);
    this.command = command;
    this.process = launch();
  }

  /** Starts a node on a port that stays its own; {@link #awaitReady} says when it is up. */
  static NodeProcess start(Path log, Map<String, String> environment, String... arguments)
      throws IOException {
    int port = Ports.free();
    List<String> command = new ArrayList<>(List.of("up", "--port", Integer.toString(port)));
    command.addAll(List.of(arguments));
    return new NodeProcess(log, port, environment, command);
  }

  /** Starts a sender of messages, which listens nowhere. */
  static NodeProcess startSender(Path log, Map<String, String> environment) throws IOException {
    return new NodeProcess(log, 0, environment, List.of("sender"));
  }

  private Process launch() throws IOException {
    List<String> words = new ArrayList<>(Program.command("-Xmx192m"));
    words.addAll(command);
    ProcessBuilder builder = new ProcessBuilder(words);
    builder.environment().putAll(environment);
    return builder
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
        .start();
  }

  URI address() {
    return URI.create("http://127.0.0.1:" + port);
  }

  /** Waits until it may be used. */
  NodeProcess awaitReady() {
    try (Api api = new Api(address())) {
      Waiting.until(
          "a node that is ready: " + this,
          START_BOUND,
          () -> {
            assertThat(process.isAlive()).as(() -> this + " lives: " + log()).isTrue();
            try {
              return api.get("/health/ready").statusCode() == 200;
            } catch (IOException e) {
              return false;
            }
          });
    }
    return this;
  }

  /** Ends it on the spot, as a power cut would. */
  void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  /** Stops it by a signal until the result is closed. */
  Stopped suspend() throws IOException {
    return new Stopped(process.pid());
  }

  /** Asks it to stop. */
  void terminate() {
    process.destroy();
  }

  /** Waits for its end and says with which code. */
  int awaitEnd() {
    try {
      Waiting.until("the end of " + this, STOP_BOUND, () -> !process.isAlive());
    } catch (AssertionError e) {
      e.addSuppressed(new AssertionError("it printed: " + logWithThreads()));
      throw e;
    }
    return process.exitValue();
  }

  /** Returns what it has printed, with the stacks of its threads at the end. */
  private String logWithThreads() {
    int printed = log().length();
    try {
      new ProcessBuilder("kill", "-QUIT", Long.toString(process.pid())).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Waiting.until(
        "the threads of " + this, () -> !process.isAlive() || log().indexOf("Heap", printed) >= 0);
    return log();
  }

  /** Starts it again after its end, on the same port. */
  void restart() throws IOException {
    process = launch();
  }

  /** Starts it again after its end, on the same port, with a setting that is different. */
  void restart(String name, String value) throws IOException {
    environment.put(name, value);
    restart();
  }

  /** What it has printed and logged so far. */
  String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    if (process.isAlive()) {
      terminate();
      try {
        awaitEnd();
      } finally {
        process.destroyForcibly();
      }
    }
  }

  @Override
  public String toString() {
    return "node on port " + port + ", log " + log;
  }
}
