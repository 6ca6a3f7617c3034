package dev.weir.benchmarks;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import redis.embedded.core.ExecutableProvider;

/**
 * A Redis for the benchmarks without persistence: Debian's if it is installed, else the one bundled
 * as a library.
 */
public final class BenchRedis implements AutoCloseable {
  private static final Duration MAX_WAIT = Duration.ofMinutes(2);

  private final Process process;
  private final Path folder;
  private final int port;

  private BenchRedis(Process process, Path folder, int port) {
    this.process = process;
    this.folder = folder;
    this.port = port;
  }

  public static BenchRedis start() throws IOException, InterruptedException {
    int port = FreePort.find();
    Path folder = Files.createTempDirectory("weir-bench-redis-");
    List<String> command =
        List.of(
            program().toString(),
            "--port",
            Integer.toString(port),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "no",
            "--dir",
            folder.toString());
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    BenchRedis redis = new BenchRedis(process, folder, port);
    redis.waitUntilItListens();
    return redis;
  }

  public String uri() {
    return "redis://127.0.0.1:" + port;
  }

  public int port() {
    return port;
  }

  /** Returns the version of the server. */
  public String version() {
    try (RedisClient client = RedisClient.create(uri());
        StatefulRedisConnection<String, String> connection = client.connect()) {
      return connection
          .sync()
          .info("server")
          .lines()
          .filter(line -> line.startsWith("redis_version:"))
          .map(line -> line.substring(line.indexOf(':') + 1))
          .findFirst()
          .orElse("unknown");
    }
  }

  @Override
  public void close() throws IOException {
    process.destroy();
    process.onExit().join();
    Files.deleteIfExists(folder);
  }

  private void waitUntilItListens() throws IOException, InterruptedException {
    long deadlineNanos = System.nanoTime() + MAX_WAIT.toNanos();
    while (true) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return;
      } catch (IOException e) {
        if (!process.isAlive() || System.nanoTime() > deadlineNanos) {
          throw e;
        }
        TimeUnit.MILLISECONDS.sleep(20);
      }
    }
  }

  private static Path program() throws IOException {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    Optional<Path> installed =
        Pattern.compile(":")
            .splitAsStream(path)
            .map(name -> Path.of(name, "redis-server"))
            .filter(Files::isExecutable)
            .findFirst();
    return installed.isPresent()
        ? installed.get()
        : ExecutableProvider.newJarResourceProvider().get().toPath();
  }
}
