package dev.weir.server.faults;

import dev.weir.server.Main;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the program is started in a process of its own: as the jar that users start where the tests
 * run with that jar, as in the gate, and from the class path of the test elsewhere. The jar is
 * started with an archive of its classes as they are when it is up. The archive is made once for
 * each jar, and halves the work of a start.
 */
public final class Program {
  private static final Logger log = LoggerFactory.getLogger(Program.class);
  private static final Duration BOUND = Duration.ofMinutes(5);
  private static final Pattern ADDRESS = Pattern.compile("Weir is up: (\\S+)");

  /** Short lives on a machine with much to do: start quickly, compile lightly. */
  public static final String LIGHT = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

  private static final int COMPACT_SINCE = 25;

  private Program() {}

  /** The words that start it, to be followed by its arguments. */
  public static List<String> command(String... options) {
    return command(Started.WITH, options);
  }

  /** The words that start the program of a jar. */
  public static List<String> command(Path jar, String... options) throws IOException {
    return command(with(jar), options);
  }

  /** The words that start the program of a jar, with other classes in place of some of its own. */
  public static List<String> command(Path replacing, Path jar, String... options) {
    return ofClassPath(replacing + File.pathSeparator + jar, options);
  }

  /** The words that start the program of a class path. */
  public static List<String> ofClassPath(String path, String... options) {
    return command(List.of("-cp", path, Main.class.getName()), options);
  }

  /** Where the program is that the tests run with: its jar, or the folder of its classes. */
  public static Path code() {
    try {
      return Path.of(Main.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<String> command(List<String> with, String... options) {
    List<String> words = new ArrayList<>(java());
    words.addAll(List.of(options));
    words.addAll(with);
    return words;
  }

  private static List<String> java() {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(List.of(LIGHT.split(" ", -1)));
    words.add("--enable-native-access=ALL-UNNAMED");
    // As the script has it; an archive fits no JVM with the other headers.
    if (Runtime.version().feature() >= COMPACT_SINCE) {
      words.add("-XX:+UseCompactObjectHeaders");
    }
    return words;
  }

  /**
   * The options of the JVM with which the script starts a node from a jar that is beside its
   * libraries, in a single line. Commands that are done in a second are faster without the archive,
   * because all of its classes are loaded.
   */
  public static String scriptOptions(Path jar) throws IOException {
    List<String> words = new ArrayList<>(List.of(LIGHT));
    // A JVM that finds an archive unfit for it says so among what the program prints.
    words.add("-Xlog:disable");
    archiveOf(jar)
        // The script divides the options at each space.
        .filter(archive -> !archive.toString().contains(" "))
        .ifPresent(archive -> words.add(Archives.here().using() + archive));
    return String.join(" ", words);
  }

  /** Holds what is found out once. */
  private static final class Started {
    static final List<String> WITH = with();

    private static List<String> with() {
      try {
        Path code = code();
        if (Files.isDirectory(code)) {
          return List.of("-cp", System.getProperty("java.class.path"), Main.class.getName());
        }
        return Program.with(code);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static List<String> with(Path jar) throws IOException {
    List<String> words = new ArrayList<>();
    archiveOf(jar).ifPresent(archive -> words.add(Archives.here().using() + archive));
    words.addAll(List.of("-jar", jar.toString()));
    return words;
  }

  /** The options of the JVM that make an archive at the end of a process, and that use it. */
  private record Archives(String making, String using) {
    static Archives here() {
      return Runtime.version().feature() >= 25
          ? new Archives("-XX:AOTCacheOutput=", "-XX:AOTCache=")
          : new Archives("-XX:ArchiveClassesAtExit=", "-XX:SharedArchiveFile=");
    }
  }

  /** Returns the archive of a jar, made now if there is none, whichever process is first. */
  private static Optional<Path> archiveOf(Path jar) throws IOException {
    Path archive = jar.resolveSibling("weir.archive");
    Path content = jar.resolveSibling("weir.archive.txt");
    try (FileChannel channel =
            FileChannel.open(
                jar.resolveSibling("weir.archive.lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
        FileLock lock = channel.lock()) {
      String described = describe(jar);
      boolean isMade =
          lock.isValid()
              && Files.exists(archive)
              && Files.exists(content)
              && Files.readString(content).equals(described);
      if (!isMade) {
        Files.deleteIfExists(content);
        Files.deleteIfExists(archive);
        Path folder = Files.createTempDirectory("weir");
        make(jar, folder, archive);
        delete(folder);
        Files.writeString(content, described);
      }
    }
    return Optional.of(archive).filter(Files::exists);
  }

  /** What an archive is made of; the JVM accepts it for nothing else. */
  private static String describe(Path jar) throws IOException {
    StringBuilder text = new StringBuilder(System.getProperty("java.home"));
    text.append(' ').append(Runtime.version()).append('\n');
    try (Stream<Path> libraries = Files.list(jar.resolveSibling("lib"))) {
      for (Path each : Stream.concat(Stream.of(jar), libraries.sorted()).toList()) {
        text.append(each).append(' ').append(Files.size(each)).append(' ');
        text.append(Files.getLastModifiedTime(each)).append('\n');
      }
    }
    return text.toString();
  }

  /** Starts the program, asks it for something, and stops it. */
  private static void make(Path jar, Path folder, Path archive) throws IOException {
    Path output = folder.resolve("output");
    // Beside it, so that it can be moved at once.
    Path made = jar.resolveSibling("weir.archive.new");
    List<String> words = new ArrayList<>(java());
    words.addAll(List.of("-Xmx192m", Archives.here().making() + made, "-jar", jar.toString()));
    words.addAll(List.of("up", "--port", "0", "--data", folder.resolve("data").toString()));
    ProcessBuilder builder = new ProcessBuilder(words);
    // The process that writes the archive is told of it by nothing else.
    builder.environment().put("JDK_AOT_VM_OPTIONS", "--enable-native-access=ALL-UNNAMED");
    builder.environment().put("WEIR_LIMITS_STORE", "postgresql");
    builder.environment().put("WEIR_DB_WAIT", "PT1M");
    Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      Waiting.until(
          "the program to be up",
          BOUND,
          () -> !process.isAlive() || ADDRESS.matcher(Files.readString(output)).find());
      Matcher address = ADDRESS.matcher(Files.readString(output));
      if (address.find()) {
        ask(URI.create(address.group(1)));
      }
      process.destroy();
      Waiting.until("the archive of the program", BOUND, () -> !process.isAlive());
    } finally {
      process.destroyForcibly();
    }
    if (Files.exists(made)) {
      Files.move(made, archive, StandardCopyOption.ATOMIC_MOVE);
    } else {
      log.warn("No archive of the program was made: {}", Files.readString(output));
    }
  }

  private static void ask(URI address) throws IOException {
    try (Api api = new Api(address)) {
      Waiting.until(
          "a program that is ready", BOUND, () -> api.get("/health/ready").statusCode() == 200);
      api.configure("{'configName':'default','maxPerWindow':10,'windowSize':'PT1S'}");
      String rule = "{\"name\":\"r\",\"allowedRequests\":5,\"windowSeconds\":60}";
      api.post("/api/admin/rules", rule);
      api.post("/api/v1/check", "{\"rule\":\"r\",\"key\":\"k\"}");
      api.lines("{\"eventId\":\"e\"}\n");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }
}
