package dev.weir.benchmarks.services;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The program of another service, running with its log in a file. */
final class PeerProcess implements AutoCloseable {
  private static final Duration MAX_WAIT = Duration.ofSeconds(30);

  private final Process process;
  private final Path log;

  private PeerProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /** Starts a program and waits until it listens on all of its ports. */
  static PeerProcess start(
      List<String> command, Map<String, String> environment, List<Integer> ports)
      throws IOException, InterruptedException {
    Path log = Files.createTempFile("weir-bench-peer", ".log");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    PeerProcess peer = new PeerProcess(builder.start(), log);
    for (int port : ports) {
      peer.waitFor(port);
    }
    return peer;
  }

  private void waitFor(int port) throws IOException, InterruptedException {
    long deadlineNanos = System.nanoTime() + MAX_WAIT.toNanos();
    while (!isListening(port)) {
      if (!process.isAlive() || System.nanoTime() - deadlineNanos > 0) {
        String said = Files.readString(log);
        close();
        throw new IllegalStateException("the peer does not listen on port " + port + ": " + said);
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  private static boolean isListening(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException refused) {
      return false;
    }
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly().onExit().join();
    Files.deleteIfExists(log);
  }
}
