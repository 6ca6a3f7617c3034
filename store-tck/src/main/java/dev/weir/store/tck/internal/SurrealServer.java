package dev.weir.store.tck.internal;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * SurrealDB for tests: its engine for Node.js, from npm, behind a small bridge on a free port of
 * loopback. {@code ./weir test} installs it.
 */
public final class SurrealServer implements AutoCloseable {
  public static final String NAMESPACE = "test";
  public static final String DATABASE = "weir";
  public static final String USER = "weir";
  public static final String PASSWORD = "a \"pass\\word\" \u00e9";

  /** Why tests are skipped where {@link #isAvailable} is false. */
  public static final String MISSING =
      "@surrealdb/node is not installed; ./weir test installs it from npm";

  private static final Duration MAX_WAIT = Duration.ofMinutes(4);
  private static final Duration TOKEN_LIFE = Duration.ofHours(1);

  private final Storage storage;
  private final int port;
  private final Path folder;
  private final Duration tokenLife;
  private Process process;

  /** The storage engines of SurrealDB. */
  public enum Storage {
    MEMORY,
    ROCKSDB,
    SURREALKV
  }

  private SurrealServer(Storage storage, Duration tokenLife) {
    this.storage = storage;
    this.tokenLife = tokenLife;
    this.port = FreePort.find();
    this.folder = newFolder();
    this.process = launch();
    // Shared servers are closed only here. Closing twice is harmless.
    Runtime.getRuntime().addShutdownHook(new Thread(this::close));
  }

  /** Starts a server on an empty database. */
  public static SurrealServer start(Storage storage) {
    return new SurrealServer(storage, TOKEN_LIFE);
  }

  /** Starts a server whose tokens end after the given time. */
  public static SurrealServer start(Storage storage, Duration tokenLife) {
    return new SurrealServer(storage, tokenLife);
  }

  /** Returns true if Node.js and the engine are installed. */
  public static boolean isAvailable() {
    return node().isPresent() && modules().isPresent();
  }

  public int port() {
    return port;
  }

  public String uri() {
    return "http://127.0.0.1:" + port;
  }

  /** Kills the server. */
  public void kill() {
    process.destroyForcibly();
    await(process);
  }

  /** Starts the server again after {@link #kill}, with its data if the storage keeps any. */
  public void restart() {
    process = launch();
  }

  /** Starts the server again after {@link #kill}, without its data. */
  public void restartEmpty() {
    delete(folder.resolve("data"));
    restart();
  }

  public void signal(String name) {
    try {
      await(new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns how often users have signed in since the last start. */
  public long signIns() {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request = HttpRequest.newBuilder(URI.create(uri() + "/sign-ins")).build();
      return Long.parseLong(client.send(request, HttpResponse.BodyHandlers.ofString()).body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    kill();
    delete(folder);
  }

  private String engine() {
    return switch (storage) {
      case MEMORY -> "mem://";
      case ROCKSDB -> "rocksdb://" + folder.resolve("data");
      case SURREALKV -> "surrealkv://" + folder.resolve("data");
    };
  }

  private Process launch() {
    List<String> command = new ArrayList<>();
    command.add(node().orElseThrow().toString());
    command.add(bridge().toString());
    command.add(modules().orElseThrow().toString());
    command.addAll(List.of(engine(), Integer.toString(port), NAMESPACE, DATABASE));
    command.addAll(List.of(USER, PASSWORD, Long.toString(tokenLife.toSeconds())));
    Path log = folder.resolve("log");
    try {
      Process started =
          new ProcessBuilder(command)
              .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
              .start();
      // The only line that it prints; at the end of the process there is none.
      String line = started.inputReader().readLine();
      if (!"ready".equals(line)) {
        throw new IllegalStateException("SurrealDB does not start: " + Files.readString(log));
      }
      return started;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path bridge() {
    Path script = folder.resolve("bridge.mjs");
    try (InputStream content = SurrealServer.class.getResourceAsStream("surrealdb-bridge.mjs")) {
      return Files.write(script, Objects.requireNonNull(content).readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Optional<Path> node() {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return Pattern.compile(File.pathSeparator)
        .splitAsStream(path)
        .map(folder -> Path.of(folder, "node"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Returns the folder of the installed packages: in this project's target folder. */
  private static Optional<Path> modules() {
    for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
      Path modules = folder.resolve("target/surrealdb/node_modules");
      if (Files.isDirectory(modules.resolve("@surrealdb/node"))) {
        return Optional.of(modules);
      }
    }
    return Optional.empty();
  }

  private static void await(Process ending) {
    try {
      if (!ending.waitFor(MAX_WAIT.toSeconds(), TimeUnit.SECONDS)) {
        throw new IllegalStateException("a process does not end");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Path newFolder() {
    try {
      return Files.createTempDirectory("weir-surrealdb");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path folder) {
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
}
