package dev.weir.torture.stage;

import dev.weir.server.faults.RedisProcess;
import dev.weir.server.faults.Relay;
import dev.weir.server.faults.Stopped;
import dev.weir.server.faults.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A Redis of several. All others know it by the port of its relay, which it announces: nodes that
 * are sent there, replicas and Sentinels.
 */
public final class RedisMember implements AutoCloseable {
  private static final Duration BOUND = Duration.ofMinutes(3);

  private final String name;
  private final Path folder;
  private final Relay relay;
  private final RedisProcess process;

  private RedisMember(String name, Path folder, Relay relay, RedisProcess process) {
    this.name = name;
    this.folder = folder;
    this.relay = relay;
    this.process = process;
  }

  /**
   * Starts one that keeps everything it has answered.
   *
   * @param relay the way to it
   * @param settings beside those that all have
   */
  static RedisMember start(int number, int port, Relay relay, Path data, Path log, String settings)
      throws IOException {
    Path folder = Files.createDirectories(data.resolve("redis-" + number));
    Path file = data.resolve("redis-" + number + ".conf");
    Files.writeString(
        file,
        """
        dir %s
        save ""
        appendonly yes
        appendfsync always
        repl-diskless-sync-delay 0
        %s
        """
            .formatted(folder, settings));
    return new RedisMember(
        "Redis " + number, folder, relay, RedisProcess.configured(port, log, file, false));
  }

  int port() {
    return process.port();
  }

  /** The port by which the others know it. */
  int announcedPort() {
    return relay.port();
  }

  Way way() {
    return new Way("all to " + this, relay);
  }

  boolean isPrimary() {
    return tell("ROLE").contains("master");
  }

  /** Returns true if it is a replica that has what its primary has. */
  boolean follows() {
    String answer = tell("INFO replication");
    return answer.contains("role:slave") && answer.contains("master_link_status:up");
  }

  /**
   * Sends a command and returns the answer, or nothing if there is none: a Redis that changes its
   * role hangs up on all.
   */
  String tell(String command) {
    try {
      return process.askAll(command);
    } catch (IOException e) {
      return "";
    }
  }

  /** Sends a command until it is answered with OK. */
  void command(String command) {
    Waiting.until(command, BOUND, () -> tell(command).startsWith("+OK"));
  }

  /** Ends it on the spot. */
  public void kill() {
    process.kill();
  }

  /** Starts it again with what it has. */
  public void start() throws IOException {
    process.start();
  }

  /** Starts it again without what it had counted. */
  public void startEmpty() throws IOException {
    Folders.empty(folder.resolve("appendonlydir"));
    process.start();
  }

  /** Stops it by SIGSTOP until the result is closed. */
  public Stopped suspend() throws IOException {
    return process.hang();
  }

  /** Cuts its connections to its replicas. */
  public void hangUpOnReplicas() throws IOException {
    process.ask("CLIENT KILL TYPE replica");
  }

  @Override
  public void close() throws IOException {
    process.close();
    relay.close();
  }

  @Override
  public String toString() {
    return name;
  }
}
