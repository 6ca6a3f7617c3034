package dev.weir.opensearch;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Starts, kills and restarts an {@link OpenSearchNode} for tests. It needs nothing but the JDK: the
 * class path of the node is in a file beside these classes.
 */
public final class OpenSearchProcess implements AutoCloseable {
  private static final Duration MAX_START = Duration.ofMinutes(10);
  private static final Duration MAX_STOP = Duration.ofMinutes(5);
  private static final Duration MAX_ANSWER = Duration.ofMinutes(1);
  private static final Duration PAUSE = Duration.ofMillis(100);

  /**
   * Below the range from which the system takes the ports of connections: until the node listens,
   * any of them, and this process too, could be given its port.
   */
  private static final int FIRST_PORT = 20_000;

  private static final int LAST_PORT = 32_000;

  private final Path folder;
  private final int port;
  private final int transportPort;
  private final HttpClient client = HttpClient.newHttpClient();
  private Process process;

  /**
   * Starts a node and waits until it answers.
   *
   * @param folder where its data and its log are
   */
  public OpenSearchProcess(Path folder) throws IOException, InterruptedException {
    this.folder = folder.toAbsolutePath();
    this.port = freePort();
    this.transportPort = freePortExcept(port);
    this.process = launch();
    awaitAnswer();
  }

  private static int freePortExcept(int other) {
    int found = freePort();
    while (found == other) {
      found = freePort();
    }
    return found;
  }

  private static int freePort() {
    while (true) {
      int number = ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT);
      try (ServerSocket socket = new ServerSocket(number, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (IOException e) {
        // Another program has it.
      }
    }
  }

  private Process launch() throws IOException {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xms256m",
            "-Xmx512m",
            // A short life on a machine with much to do: start quickly, compile lightly.
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-XX:+ExitOnOutOfMemoryError",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            location() + File.pathSeparator + libraries(),
            OpenSearchNode.class.getName(),
            folder.toString(),
            Integer.toString(port),
            Integer.toString(transportPort));
    Files.createDirectories(folder);
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
        .start();
  }

  /** Returns the folder or archive of these classes. */
  private static Path location() {
    return Path.of(
        URI.create(
            OpenSearchProcess.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toString()));
  }

  /** Returns the class path that the build has written beside these classes. */
  private static String libraries() throws IOException {
    try (InputStream file = OpenSearchProcess.class.getResourceAsStream("class-path.txt")) {
      if (file == null) {
        throw new IOException("class-path.txt is missing: build this module with Maven");
      }
      return new String(file.readAllBytes(), StandardCharsets.UTF_8).strip();
    }
  }

  private void awaitAnswer() throws IOException, InterruptedException {
    long deadlineNanos = System.nanoTime() + MAX_START.toNanos();
    while (!answers()) {
      if (System.nanoTime() - deadlineNanos > 0
          || process.waitFor(PAUSE.toMillis(), TimeUnit.MILLISECONDS)) {
        close();
        throw new IOException("OpenSearch has not started, see " + log());
      }
    }
  }

  private boolean answers() throws InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(
                address().resolve("/_cluster/health?wait_for_status=yellow&timeout=1s"))
            .timeout(MAX_ANSWER)
            .build();
    try {
      return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException e) {
      return false;
    }
  }

  private Path log() {
    return folder.resolve("node.log");
  }

  public URI address() {
    return URI.create("http://127.0.0.1:" + port);
  }

  /** Kills the node as {@code kill -9} does. */
  public void kill() throws InterruptedException {
    process.destroyForcibly();
    if (!process.waitFor(MAX_STOP.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new IllegalStateException("OpenSearch does not end");
    }
  }

  /** Starts a node that was killed, with its data and on its port. */
  public void restart() throws IOException, InterruptedException {
    process = launch();
    awaitAnswer();
  }

  /** Stops the node. */
  @Override
  public void close() {
    process.destroyForcibly();
  }
}
