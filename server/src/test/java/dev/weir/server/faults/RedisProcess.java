package dev.weir.server.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A Redis in a process of its own, which can be killed. */
public final class RedisProcess implements AutoCloseable {
  private static final Duration BOUND = Duration.ofMinutes(3);

  private final int port;
  private final Path log;

  /** All words but those for the port. */
  private final List<String> command;

  private volatile Process process;

  /** Starts one that keeps nothing. */
  public RedisProcess(int port, Path log) throws IOException {
    this(port, log, List.of("redis-server", "--save", "", "--appendonly", "no"));
  }

  private RedisProcess(int port, Path log, List<String> command) throws IOException {
    this.port = port;
    this.log = log;
    this.command = List.copyOf(command);
    this.process = launch();
    awaitListening();
  }

  /** Starts one that keeps everything it has answered, in a folder, even if it is killed. */
  public static RedisProcess durable(int port, Path log, Path folder) throws IOException {
    Files.createDirectories(folder);
    return new RedisProcess(
        port,
        log,
        List.of(
            "redis-server",
            "--dir",
            folder.toString(),
            "--save",
            "",
            "--appendonly",
            "yes",
            "--appendfsync",
            "always"));
  }

  /**
   * Starts one with a file of settings, which it may write to.
   *
   * @param isSentinel whether it is a Sentinel, which watches others
   */
  public static RedisProcess configured(int port, Path log, Path settings, boolean isSentinel)
      throws IOException {
    List<String> command = new ArrayList<>(List.of("redis-server", settings.toString()));
    if (isSentinel) {
      command.add("--sentinel");
    }
    return new RedisProcess(port, log, command);
  }

  /** Returns true if tests with Redis can run; {@code ./weir test} says that they cannot. */
  public static boolean isInstalled() {
    return Programs.isInstalled("redis-server");
  }

  private Process launch() throws IOException {
    List<String> words = new ArrayList<>(command);
    words.addAll(List.of("--port", Integer.toString(port), "--bind", "127.0.0.1"));
    return new ProcessBuilder(words)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
        .start();
  }

  private void awaitListening() {
    Waiting.until(
        "Redis to listen",
        BOUND,
        () -> {
          try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
          } catch (IOException e) {
            return false;
          }
        });
  }

  public String address() {
    return "redis://127.0.0.1:" + port;
  }

  public int port() {
    return port;
  }

  /** Cuts all connections, and keeps what it knows. */
  public void hangUp() throws IOException {
    // A number: how many there were.
    if (!ask("CLIENT KILL TYPE normal SKIPME yes").startsWith(":")) {
      throw new IllegalStateException("Redis does not hang up");
    }
  }

  /** Sends a command and returns the first line of the answer. */
  public String ask(String command) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        BufferedReader answer =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
      socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.US_ASCII));
      return String.valueOf(answer.readLine());
    }
  }

  /** Sends a command and returns the whole answer, as it is written by the protocol. */
  public String askAll(String command) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.US_ASCII));
      // Redis answers, and closes the connection.
      socket.shutdownOutput();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }
  }

  /** Stops it by a signal. */
  public Stopped hang() throws IOException {
    return new Stopped(process.pid());
  }

  /** Ends it on the spot. */
  public void kill() {
    process.destroyForcibly();
    Waiting.until("the end of Redis", BOUND, () -> !process.isAlive());
  }

  boolean isRunning() {
    return process.isAlive();
  }

  /** Starts it again, on the same port, with what it keeps. */
  public void start() throws IOException {
    process = launch();
    awaitListening();
  }

  @Override
  public void close() {
    kill();
  }
}
