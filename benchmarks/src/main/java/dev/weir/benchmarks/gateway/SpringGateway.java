package dev.weir.benchmarks.gateway;

import dev.weir.benchmarks.JavaCommand;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** A Spring Cloud Gateway in a separate process, with its limiter on a Redis. */
final class SpringGateway implements AutoCloseable {
  private static final String UP = "Started";

  private final Process process;
  private final int port;

  private SpringGateway(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /**
   * The program to start.
   *
   * @param classes our only class
   * @param libraries everything else, in other versions than ours
   */
  record Program(Path classes, Path libraries) {
    String version() throws IOException {
      try (Stream<Path> files = Files.list(libraries)) {
        return files
            .map(file -> file.getFileName().toString())
            .filter(name -> name.startsWith("spring-cloud-gateway-server-webflux-"))
            .findFirst()
            .orElse("Spring Cloud Gateway");
      }
    }
  }

  /** Returns the program, which lies beside that of the benchmarks, if it was built. */
  static Optional<Program> program() {
    // This program runs from .../benchmarks/target, or from a jar in it.
    for (Path folder = Path.of(System.getProperty("java.class.path").split(":", 2)[0]);
        folder != null;
        folder = folder.getParent()) {
      Path target = folder.resolve("spring-gateway").resolve("target");
      if (Files.isDirectory(target.resolve("lib"))) {
        return Optional.of(new Program(target.resolve("classes"), target.resolve("lib")));
      }
    }
    return Optional.empty();
  }

  static SpringGateway start(Program program, URI upstream, int redisPort) throws IOException {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    Path log = Files.createTempFile("weir-bench", ".log");
    log.toFile().deleteOnExit();
    Process process =
        new ProcessBuilder(
                JavaCommand.of(
                    "-Xmx512m",
                    "-cp",
                    program.classes() + ":" + program.libraries() + "/*",
                    "dev.weir.benchmarks.spring.SpringGatewayMain",
                    "--server.address=127.0.0.1",
                    "--server.port=" + port,
                    "--spring.data.redis.host=127.0.0.1",
                    "--spring.data.redis.port=" + redisPort,
                    "--bench.upstream=" + upstream))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    while (process.isAlive()) {
      if (Files.readString(log).contains(UP)) {
        return new SpringGateway(process, port);
      }
      LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
    }
    throw new IllegalStateException("the gateway did not start: " + Files.readString(log));
  }

  URI address() {
    return URI.create("http://127.0.0.1:" + port);
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
