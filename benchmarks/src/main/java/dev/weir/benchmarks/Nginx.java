package dev.weir.benchmarks;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** An nginx process on a free port. */
public final class Nginx implements AutoCloseable {
  private static final Path PROGRAM = Path.of("/usr/sbin/nginx");
  private static final Duration START_BOUND = Duration.ofSeconds(20);

  private final Process process;
  private final Path folder;
  private final int port;

  private Nginx(Process process, Path folder, int port) {
    this.process = process;
    this.folder = folder;
    this.port = port;
  }

  public static boolean isInstalled() {
    return PROGRAM.toFile().canExecute();
  }

  public static String version() throws IOException {
    Process process =
        new ProcessBuilder(PROGRAM.toString(), "-v").redirectErrorStream(true).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
  }

  /**
   * Starts an nginx.
   *
   * @param http configuration beside the server block
   * @param location how it handles all requests
   */
  public static Nginx start(String http, String location) throws IOException {
    Path folder = Files.createTempDirectory("weir-bench-nginx");
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    Path config = folder.resolve("nginx.conf");
    Files.writeString(
        config,
        """
        daemon off;
        worker_processes auto;
        pid %1$s/pid;
        error_log %1$s/error.log;
        events { worker_connections 4096; }
        http {
          access_log off;
          keepalive_requests 1000000000;
          client_body_temp_path %1$s/body;
          proxy_temp_path %1$s/proxy;
          fastcgi_temp_path %1$s/fastcgi;
          uwsgi_temp_path %1$s/uwsgi;
          scgi_temp_path %1$s/scgi;
          %3$s
          server {
            listen 127.0.0.1:%2$d;
            location / {
              %4$s
            }
          }
        }
        """
            .formatted(folder, port, http, location));
    Process process =
        new ProcessBuilder(
                List.of(PROGRAM.toString(), "-p", folder.toString(), "-c", config.toString()))
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("out.log").toFile())
            .start();
    Nginx nginx = new Nginx(process, folder, port);
    nginx.awaitListening();
    return nginx;
  }

  private void awaitListening() throws IOException {
    long deadlineNanos = System.nanoTime() + START_BOUND.toNanos();
    while (true) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return;
      } catch (IOException e) {
        if (!process.isAlive() || System.nanoTime() - deadlineNanos > 0) {
          throw new IOException(
              "nginx did not start: " + Files.readString(folder.resolve("out.log")), e);
        }
        LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
      }
    }
  }

  public URI address() {
    return URI.create("http://127.0.0.1:" + port);
  }

  @Override
  public void close() throws IOException {
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    try (var files = Files.walk(folder)) {
      for (Path path : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
