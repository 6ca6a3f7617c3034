package dev.weir.testing;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A Weir server for a test: a process of its own on a free port of loopback, with everything in
 * memory and a temporary folder, which {@link #close} stops and deletes.
 *
 * <pre>{@code
 * try (TestServer weir = TestServer.start()) {
 *   URI rules = weir.address().resolve("/api/admin/rules");
 * }
 * }</pre>
 *
 * <p>The program is {@code weir.jar} with its libraries beside it. The system property {@value
 * #JAR_PROPERTY} or the environment variable {@value #JAR_VARIABLE} says where it is, or {@link
 * Builder#jar}. It runs on the JVM of the test, but shares no class with it.
 */
public final class TestServer implements AutoCloseable {
  /** The system property with the path of the program. */
  public static final String JAR_PROPERTY = "weir.jar";

  /** The environment variable with the path of the program. */
  public static final String JAR_VARIABLE = "WEIR_JAR";

  private static final Pattern UP = Pattern.compile("Weir is up: (\\S+)");
  private static final Duration STOP_BOUND = Duration.ofMinutes(1);
  private static final long POLL_MILLIS = 20;

  private final Process process;
  private final Path folder;
  private final Thread atExit;
  private final URI address;

  private TestServer(Process process, Path folder, Thread atExit, URI address) {
    this.process = process;
    this.folder = folder;
    this.atExit = atExit;
    this.address = address;
  }

  /** Starts a server with everything in memory, and waits until it is ready. */
  public static TestServer start() {
    return builder().start();
  }

  /** Returns a builder of servers. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns the address of the server, such as {@code http://127.0.0.1:34567}. */
  public URI address() {
    return address;
  }

  /** Stops the server and deletes its folder. May be repeated. */
  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      // The JVM is ending and the hook stops the server as well.
    }
    end(process, folder);
  }

  private static void end(Process process, Path folder) {
    process.destroy();
    boolean isInterrupted = false;
    try {
      if (!process.waitFor(STOP_BOUND.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      isInterrupted = true;
    }
    try {
      delete(folder);
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
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

  /** Builds servers. */
  public static final class Builder {
    private final Map<String, String> settings = new HashMap<>();
    private List<String> command = List.of();
    private Duration startBound = Duration.ofMinutes(5);

    private Builder() {
      setting("weir.host", "127.0.0.1");
      setting("weir.slots.store", "memory");
      // A test does not wait for requests that are not made any more.
      setting("weir.drain", "PT0S");
    }

    /** Sets a setting of the server, such as {@code weir.limits.store}. */
    public Builder setting(String key, String value) {
      settings.put(requireNonNull(key, "key"), requireNonNull(value, "value"));
      return this;
    }

    /** Sets the path of {@code weir.jar}. */
    public Builder jar(Path jar) {
      List<String> words = new ArrayList<>();
      words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      // A server that lives for seconds.
      words.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
      words.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-jar"));
      words.add(requireNonNull(jar, "jar").toAbsolutePath().toString());
      return command(words);
    }

    /** Sets the words that start the program, to be followed by its arguments. */
    public Builder command(List<String> words) {
      this.command = List.copyOf(words);
      return this;
    }

    /** Sets how long to wait until the server is ready; 5 minutes by default. */
    public Builder startBound(Duration bound) {
      this.startBound = requireNonNull(bound, "startBound");
      return this;
    }

    /**
     * Starts the server and waits until it is ready.
     *
     * @throws IllegalStateException if the program is not found, ends, or is not ready in time; the
     *     message has what it printed
     */
    public TestServer start() {
      if (command.isEmpty()) {
        jar(jarOfThisMachine());
      }
      try {
        return launch(Files.createTempDirectory("weir-test"));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static Path jarOfThisMachine() {
      String path = System.getProperty(JAR_PROPERTY);
      if (path == null) {
        path = System.getenv(JAR_VARIABLE);
      }
      if (path == null) {
        throw new IllegalStateException(
            "where is weir.jar? Set the system property %s, the environment variable %s, or jar()"
                .formatted(JAR_PROPERTY, JAR_VARIABLE));
      }
      Path jar = Path.of(path);
      if (!Files.isRegularFile(jar)) {
        throw new IllegalStateException("there is no " + jar.toAbsolutePath());
      }
      return jar;
    }

    private TestServer launch(Path folder) throws IOException {
      Path log = folder.resolve("log");
      List<String> words = new ArrayList<>(command);
      words.addAll(List.of("up", "--port", "0", "--data", folder.resolve("data").toString()));
      ProcessBuilder program = new ProcessBuilder(words);
      // The settings of the user who runs the tests are not those of the tests.
      program.environment().keySet().removeIf(name -> name.startsWith("WEIR_"));
      settings.forEach((key, value) -> program.environment().put(variable(key), value));
      Process process = program.redirectErrorStream(true).redirectOutput(log.toFile()).start();
      Thread atExit = new Thread(() -> end(process, folder), "stops a Weir server");
      try {
        Runtime.getRuntime().addShutdownHook(atExit);
        return new TestServer(process, folder, atExit, awaitReady(process, log));
      } catch (RuntimeException | IOException e) {
        Runtime.getRuntime().removeShutdownHook(atExit);
        end(process, folder);
        throw e;
      }
    }

    private static String variable(String key) {
      String name = key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
      return name.startsWith("WEIR_") ? name : "WEIR_" + name;
    }

    private URI awaitReady(Process process, Path log) throws IOException {
      long begin = System.nanoTime();
      while (true) {
        boolean hasEnded = !process.isAlive();
        String printed = Files.readString(log);
        Matcher up = UP.matcher(printed);
        if (up.find()) {
          return URI.create(up.group(1));
        }
        if (hasEnded) {
          throw new IllegalStateException("the server has ended: " + printed);
        }
        if (System.nanoTime() - begin > startBound.toNanos()) {
          throw new IllegalStateException(
              "the server is not ready after %s: %s".formatted(startBound, printed));
        }
        try {
          Thread.sleep(POLL_MILLIS);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new IllegalStateException("interrupted while the server was starting", e);
        }
      }
    }
  }
}
