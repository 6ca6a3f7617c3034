package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.faults.Program;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code ./weir}, as users call it, with the program that was just built. */
final class ScriptIT {
  private static final Path JAR = Prose.ROOT.resolve("server/target/weir.jar");

  /** Commands with commands of their own. */
  private static final Set<String> GROUPS =
      Set.of("slots", "payments", "notifications", "surrealdb");

  private static String nodeOptions = "";

  private final Set<String> run = new TreeSet<>();

  @BeforeAll
  static void prepareToStartNodes() throws IOException {
    assertThat(JAR).as("the program, which Maven packages before this test").exists();
    nodeOptions = Program.scriptOptions(JAR);
  }

  @Test
  void everyCommandExplainsItself() throws Exception {
    assertThat(commands()).contains("up", "test", "install", "bench");
    for (String command : commands()) {
      assertThat(weir(command, "--help")).as(command).contains("Usage: ");
    }
    assertThat(weir("version")).matches("weir \\S+\\n");
    assertThat(weir("settings")).contains("weir.port", "WEIR_PORT");
  }

  @Test
  void refusesWhatItDoesNotKnow() throws Exception {
    Process unknown = start("upp");
    assertThat(unknown.getErrorStream().readAllBytes())
        .asString()
        .contains("unknown command 'upp'");
    assertThat(unknown.waitFor()).isEqualTo(2);
  }

  /** With an outdated list, a first build fetches one library after the other. */
  @Test
  void firstBuildFetchesTheLibrariesOfTheProgramAtOnce() throws IOException {
    Set<String> listed =
        Files.readAllLines(Prose.ROOT.resolve(".mvn/libraries")).stream()
            .map(line -> line.split(":", -1))
            .filter(parts -> parts[2].equals("jar"))
            .map(parts -> parts[1] + "-" + parts[3] + ".jar")
            .collect(Collectors.toSet());
    try (Stream<Path> files = Files.list(JAR.resolveSibling("lib"))) {
      List<String> used =
          files
              .map(file -> file.getFileName().toString())
              .filter(name -> !name.startsWith("weir-"))
              // Of one kind of machine.
              .filter(name -> !name.matches(".*(linux|osx|darwin|windows)-.*"))
              .toList();
      assertThat(used).hasSizeGreaterThan(50);
      assertThat(listed).as("what './weir libraries' has listed").containsAll(used);
    }
  }

  /** Everything that {@code ./weir help} and the documents name, on one node. */
  @Test
  void whatTheDocumentsNameRunsOrIsListed(@TempDir Path folder) throws Exception {
    String data = folder.resolve("data").toString();
    Path slots = folder.resolve("feed.ndjson");
    Files.writeString(
        slots, "{\"eventId\":\"pay-1\",\"requestedTime\":\"2026-06-01T12:00:00Z\"}\n");
    Path adopted = folder.resolve("old.csv");
    Files.writeString(adopted, "eventId,scheduledTime\nold-1,2026-06-01T12:00:01Z\n");
    String payments = folder.resolve("june.csv").toString();
    Process node = start("up", "--port", "0", "--data", data);
    try {
      BufferedReader lines = node.inputReader(StandardCharsets.UTF_8);
      String url = address(lines, "Weir is up: ");
      Thread reader = Thread.ofVirtual().start(() -> lines.lines().forEach(line -> {}));
      assertThat(called("slots import", slots.toString(), "--url", url)).contains("1");
      assertThat(called("slots adopt", adopted.toString(), "--url", url)).contains("adopted   1");
      assertThat(called("slots forecast", "--events", "10", "--url", url)).contains("default");
      String from = "2026-06-01T12:00:00Z";
      assertThat(called("slots windows", "--from", from, "--url", url)).contains("12:00:00");
      called("payments simulate", payments, "--payments", "20");
      called("payments run", payments, "--url", url, "--feed-id", "june");
      assertThat(called("payments status", "june", "--url", url)).contains("june");
      assertThat(called("payments report", "--feed", "june", "--url", url)).contains("20");
      called("payments hold", "june", "--url", url);
      called("payments resume", "june", "--url", url);
      called("payments retry", "june", "--url", url);
      called("payments cancel", "june", "--url", url);
      called("notifications replay", "--url", url);
      called("verify", "--data", data);
      assertThat(called("surrealdb schema")).contains("DEFINE TABLE", "token_bucket");
      stop(node);
      reader.join();
    } finally {
      node.destroyForcibly();
    }
    Process bank = start("downstream", "--port", "0");
    try {
      assertThat(address(bank.inputReader(StandardCharsets.UTF_8), "The payment API is up: "))
          .startsWith("http://127.0.0.1:");
      stop(bank);
    } finally {
      bank.destroyForcibly();
    }
    run.addAll(List.of("up", "downstream", "help", "version", "settings"));
    List<String> listed =
        Prose.read("CONTRIBUTING.md").table("Not run by the gate").stream()
            .map(row -> row.getFirst().replaceAll("`(\\./weir )?", ""))
            .toList();
    assertThat(listed).isNotEmpty().doesNotContainAnyElementsOf(run);
    // The gate itself calls these two.
    run.addAll(List.of("test", "install"));
    run.addAll(listed);
    assertThat(run).containsAll(documented());
  }

  /** The commands that {@code ./weir help} names. */
  private static Set<String> commands() throws Exception {
    return Pattern.compile("(?m)^  \\./weir ([a-z]+)")
        .matcher(weir("help"))
        .results()
        .map(line -> line.group(1))
        .collect(TreeSet::new, Set::add, Set::addAll);
  }

  /** The commands that the help and the documents for users name. */
  private static Set<String> documented() throws Exception {
    Set<String> names = new TreeSet<>();
    List<String> texts = new ArrayList<>(List.of(weir("help"), Prose.read("README.md").text()));
    texts.add(Prose.read("CONTRIBUTING.md").text());
    try (Stream<Path> guides = Files.list(Prose.ROOT.resolve("docs"))) {
      for (Path guide : guides.filter(file -> file.toString().endsWith(".md")).toList()) {
        texts.add(Files.readString(guide));
      }
    }
    for (String text : texts) {
      Pattern.compile("\\./weir ([a-z]+)(?: ([a-z]+))?")
          .matcher(text)
          .results()
          .filter(command -> !GROUPS.contains(command.group(1)) || command.group(2) != null)
          .map(
              command ->
                  GROUPS.contains(command.group(1))
                      ? command.group(1) + " " + command.group(2)
                      : command.group(1))
          .forEach(names::add);
    }
    assertThat(names).contains("up", "payments run", "slots import");
    return names;
  }

  private String called(String command, String... options) throws Exception {
    run.add(command);
    return weir(
        Stream.concat(Stream.of(command.split(" ", -1)), Stream.of(options))
            .toArray(String[]::new));
  }

  /** Returns what the script prints. */
  private static String weir(String... words) throws Exception {
    Process process = start(words);
    Thread errors =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    process.getErrorStream().transferTo(System.err);
                  } catch (IOException e) {
                    throw new IllegalStateException(e);
                  }
                });
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    errors.join();
    assertThat(process.waitFor()).as("%s%n%s", List.of(words), printed).isZero();
    return printed;
  }

  private static Process start(String... words) throws IOException {
    List<String> command = new ArrayList<>(List.of("./weir"));
    command.addAll(List.of(words));
    ProcessBuilder builder = new ProcessBuilder(command).directory(Prose.ROOT.toFile());
    builder
        .environment()
        .put("WEIR_JAVA_OPTS", words[0].equals("up") ? nodeOptions : Program.LIGHT);
    // The script would build what Maven has built for this test.
    String root = Prose.ROOT.toAbsolutePath().normalize().toString();
    builder.environment().put("BUILDING_WEIR_IN", root);
    // The first message waits for the start of the embedded Kafka.
    builder.environment().put("WEIR_NOTIFICATIONS_SEND_TIMEOUT", "PT5M");
    builder.environment().put("WEIR_DB_WAIT", "PT2M");
    Process process = builder.start();
    process.getOutputStream().close();
    return process;
  }

  /** Returns what follows a greeting. */
  private static String address(BufferedReader lines, String greeting) throws IOException {
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.startsWith(greeting)) {
        return line.substring(greeting.length()).strip();
      }
    }
    throw new AssertionError("it ended without a line that begins with " + greeting);
  }

  /** SIGTERM; by its handle, because destroying a process closes its output too. */
  private static void stop(Process process) throws InterruptedException {
    process.toHandle().destroy();
    assertThat(process.waitFor()).isIn(0, 143);
  }
}
