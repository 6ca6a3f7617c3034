package dev.weir.server.faults;

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
public final class NodeProcess implements AutoCloseable {
  /** What a node gets along with. */
  public static final String MEMORY = "-Xmx192m";

  private static final Duration START_BOUND = Duration.ofMinutes(5);
  private static final Duration STOP_BOUND = Duration.ofMinutes(5);

  private final Path log;
  private final int port;
  private final Map<String, String> environment;
  private final List<String> arguments;
  private volatile List<String> program;
  private volatile Process process;

  private NodeProcess(
      Path log,
      int port,
      Map<String, String> environment,
      List<String> program,
      List<String> arguments)
      throws IOException {
    this.log = log;
    this.port = port;
    this.environment = new HashMap<>(environment);
    this.program = program;
    this.arguments = arguments;
    this.process = launch();
  }

  /** Starts a node on a port that stays its own; {@link #awaitReady} says when it is up. */
  static NodeProcess start(Path log, Map<String, String> environment, String... arguments)
      throws IOException {
    Map<String, String> settings = new HashMap<>(environment);
    // A busy machine may pause a client between the head and the body.
    settings.putIfAbsent("WEIR_HTTP_HEAD_TIMEOUT", "PT5M");
    return start(log, settings, Program.command(MEMORY), arguments);
  }

  /**
   * Starts a node by other words than those of {@link Program#command}.
   *
   * @param program the words that start the program, to be followed by its arguments
   */
  public static NodeProcess start(
      Path log, Map<String, String> environment, List<String> program, String... arguments)
      throws IOException {
    int port = Ports.free();
    List<String> words = new ArrayList<>(List.of("up", "--port", Integer.toString(port)));
    words.addAll(List.of(arguments));
    return new NodeProcess(log, port, environment, program, words);
  }

  /** Starts a sender of messages, which listens nowhere. */
  static NodeProcess startSender(Path log, Map<String, String> environment) throws IOException {
    return new NodeProcess(log, 0, environment, Program.command(MEMORY), List.of("sender"));
  }

  private Process launch() throws IOException {
    List<String> command = new ArrayList<>(program);
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    return builder
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
        .start();
  }

  public URI address() {
    return URI.create("http://127.0.0.1:" + port);
  }

  /** Waits until it may be used. */
  public NodeProcess awaitReady() {
    return awaitReady(() -> false);
  }

  /**
   * Waits until it may be used, and starts it again when it refuses to start, as its service does.
   * It does so if its database takes longer for an answer than it waits, as on a busy machine.
   */
  NodeProcess awaitReadyAsService() {
    return awaitReady(this::startAgainIfItRefused);
  }

  /**
   * Waits until it may be used.
   *
   * @param runsAgain asked when it has ended; the wait is in vain unless it was started again
   */
  public NodeProcess awaitReady(Waiting.Condition runsAgain) {
    try (Api api = new Api(address())) {
      Waiting.until(
          "a node that is ready: " + this,
          START_BOUND,
          () -> {
            if (!process.isAlive() && !runsAgain.holds()) {
              throw new AssertionError(this + " has ended: " + log());
            }
            try {
              return api.get("/health/ready").statusCode() == 200;
            } catch (IOException e) {
              return false;
            }
          });
    }
    return this;
  }

  /**
   * Starts it again if it has ended by itself while it started, with a line that says why. Returns
   * false if it has ended in another way.
   */
  public boolean startAgainIfItRefused() throws IOException {
    if (process.isAlive()) {
      return true;
    }
    boolean hasRefused =
        log().lines().reduce((before, line) -> line).orElse("").startsWith("weir: ");
    if (hasRefused) {
      restart();
    }
    return hasRefused;
  }

  public long pid() {
    return process.pid();
  }

  /** Ends it on the spot, as a power cut would. */
  public void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  /** Stops it by a signal until the result is closed. */
  public Stopped suspend() throws IOException {
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
  public void restart() throws IOException {
    process = launch();
  }

  /** Starts it again after its end, on the same port, by other words for the program. */
  public void restart(List<String> otherProgram) throws IOException {
    program = otherProgram;
    restart();
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
