package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The script {@code ./weir} with a JDK and a Maven that only note how they are called. */
final class ScriptTest {
  private static final String JAVA =
      """
      echo "java ${LC_CTYPE:-} $*"
      """;

  /** Writes a jar that ends as archives do, or waits for its end if there is a file "stall". */
  private static final String MAVEN =
      """
      echo "$*" >>maven.calls
      echo $$ >maven.id
      echo '[INFO] ---------< dev.weir:weir-server >---------'
      if [ -e stall ]; then exec sleep 600; fi
      if [ -e edit ]; then
        rm edit
        echo >>pom.xml
      fi
      if [ -e reports ]; then
        mkdir -p engine/target/surefire-reports
        cp reports/* engine/target/surefire-reports
      fi
      mkdir -p server/target
      for library in server/target/lib/weir-*.jar; do
        if [ -e "$library" ]; then echo "PK of other classes" >"$library"; fi
      done
      printf 'PK\\005\\006%018d' 0 >server/target/weir.jar
      """;

  @TempDir private Path folder;
  private Path root = Path.of("");
  private Path jar = Path.of("");
  private Path source = Path.of("");

  @BeforeEach
  void setUp() throws IOException {
    root = Files.createDirectories(folder.resolve("it's \"here\" $HOME"));
    jar = root.resolve("server/target/weir.jar");
    for (String name : List.of("weir", "pom.xml")) {
      Files.copy(Prose.ROOT.resolve(name), root.resolve(name));
    }
    Files.setPosixFilePermissions(
        root.resolve("weir"), PosixFilePermissions.fromString("rwxr-xr-x"));
    for (Path module : folders(Prose.ROOT)) {
      Files.createDirectory(root.resolve(module.getFileName()));
    }
    Files.createFile(root.resolve(".mvn/libraries"));
    source = Files.createDirectories(root.resolve("engine/src/main/java")).resolve("A.java");
    Files.createFile(source);
    Path jdk = folder.resolve("jdk");
    program(jdk.resolve("bin/java"), JAVA);
    program(jdk.resolve("bin/javac"), "");
    Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"99\"\n");
    program(folder.resolve("bin/mvn"), MAVEN);
    // Nothing is to be had from anywhere.
    for (String name : List.of("apt-get", "npm", "python3", "sudo")) {
      program(folder.resolve("bin").resolve(name), "exit 1\n");
    }
  }

  private static List<Path> folders(Path parent) throws IOException {
    try (Stream<Path> files = Files.list(parent)) {
      return files.filter(file -> Files.isDirectory(file) && !file.endsWith("target")).toList();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "upp",
        "help upp",
        "version 1",
        "format --check",
        "libraries now",
        "install now",
        "faults many",
        "faults 3 5",
        "torture --minuts 3",
        "torture --seed 7 --models",
        "torture --models large",
        "bench",
        "bench nothing",
        "test NothingTest",
        "test -q NothingTest",
        "test -pl server ''",
        "install --file=pom.xml",
      })
  void refusesWhatACommandDoesNotTakeBeforeItDoesAnything(String words) throws Exception {
    Process process = start("./weir " + words);
    String errors = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(errors).isEqualTo(2);
    assertThat(errors).startsWith("weir: ").hasLineCount(1);
    assertThat(process.getInputStream().readAllBytes()).isEmpty();
    assertThat(root.resolve("maven.calls")).doesNotExist();
  }

  @Test
  void namesTestsThatAreThere() throws Exception {
    Path tests = Files.createDirectories(root.resolve("engine/src/test/java"));
    Files.writeString(tests.resolve("OneTest.java"), "void works() {}");
    assertThat(failure("./weir test OneTest#breaks")).contains("there is no test breaks");
    assertThat(failure("./weir test One")).contains("there is no test class 'One'");
  }

  /** Also from a machine without a language, a home or the folder of the script. */
  @Test
  void startsFromAnywhere() throws Exception {
    String version = run("./weir version");
    assertThat(version).matches("weir \\S+\\n");
    assertThat(run("sh weir version")).isEqualTo(version);
    assertThat(
            run("ln -s \"$PWD/weir\" ../one && ln -s one ../two && cd / && \"$OLDPWD\"/../two -V"))
        .isEqualTo(version);
    assertThat(run("cd .. && CDPATH=\"$PWD\" bash \"${OLDPWD##*/}/weir\" version"))
        .isEqualTo(version);
    assertThat(run("unset HOME; ./weir settings 2>&1")).endsWith("weir.jar settings\n");
    assertThat(run("unset LANG LC_CTYPE; LC_ALL=C ./weir settings")).startsWith("java  --");
    for (String language : List.of("C", "xx_YY.UTF-8")) {
      String command = "unset LANG LC_CTYPE; LC_ALL=%s ./weir settings \"$(printf '\\303\\244')\"";
      assertThat(run(command.formatted(language))).as(language).startsWith("java C.UTF-8 --");
    }
    assertThat(run("jdk_home=/ stages=false ./weir settings")).endsWith("weir.jar settings\n");
    assertThat(run("WEIR_JAVA_OPTS=$'-Da=1\\n-Db=2' ./weir settings")).contains(" -Da=1 -Db=2 ");
  }

  @Test
  void buildsWhatIsMissingOutdatedOrHalf() throws Exception {
    assertThat(builds()).isEqualTo(1);
    assertThat(builds()).isZero();
    Files.delete(source);
    assertThat(builds()).as("without a source that has gone").isEqualTo(1);
    Files.writeString(jar, "PK half of a jar, whose writer was killed");
    assertThat(builds()).as("in place of half a jar").isEqualTo(1);
    Files.createFile(root.resolve("edit"));
    Files.delete(jar);
    assertThat(builds()).isEqualTo(1);
    assertThat(builds()).as("with what was changed during the build").isEqualTo(1);
    Files.writeString(source, "of another version");
    Files.setLastModifiedTime(source, FileTime.from(Instant.EPOCH));
    assertThat(builds()).as("with a source that is older than the jar").isEqualTo(1);
    Files.setLastModifiedTime(source, FileTime.from(Instant.now().plus(Duration.ofDays(1))));
    assertThat(builds()).as("although a time is in the future").isZero();
    Files.createDirectories(jar.resolveSibling("lib"));
    Files.writeString(jar.resolveSibling("lib/weir-engine-1.jar"), "built by Maven alone");
    assertThat(builds()).as("in place of a library of other sources").isEqualTo(1);
  }

  /** Whose classes would be gone in the middle of what it does. */
  @Test
  void leavesItsFilesToANodeThatRuns() throws Exception {
    assertThat(builds()).isEqualTo(1);
    Path library = Files.createDirectories(jar.resolveSibling("lib")).resolve("weir-engine-1.jar");
    for (Path file : List.of(jar, library)) {
      Files.writeString(file, "PK what a node runs from");
    }
    try (InputStream program = Files.newInputStream(jar);
        InputStream engine = Files.newInputStream(library)) {
      assertThat(builds()).isEqualTo(1);
      assertThat(program).hasContent("PK what a node runs from");
      assertThat(engine).hasContent("PK what a node runs from");
    }
    assertThat(Files.readString(jar)).doesNotContain("what a node runs from");
    assertThat(jar.resolveSibling("weir.jar.new")).doesNotExist();
  }

  @Test
  void explainsItselfWithoutAProgram() throws Exception {
    assertThat(run("./weir up --help")).contains("./weir up [--port P]");
    assertThat(builds()).isEqualTo(1);
    assertThat(run("./weir up --help")).endsWith("weir.jar up --help\n");
    Files.writeString(jar, "PK half of a jar");
    assertThat(run("./weir up --help")).contains("./weir up [--port P]");
    assertThat(run("./weir -V --help")).isEqualTo(run("./weir version --help"));
  }

  @Test
  void waitsForAnotherBuild() throws Exception {
    Path stall = Files.createFile(root.resolve("stall"));
    Process first = start("exec ./weir install 2>&1");
    try (BufferedReader lines = first.inputReader(StandardCharsets.UTF_8)) {
      assertThat(lines.readLine()).contains("weir-server");
      Process second = start("exec ./weir settings 2>&1");
      try (BufferedReader others = second.inputReader(StandardCharsets.UTF_8)) {
        assertThat(others.readLine()).contains("waiting for another build");
        Files.delete(stall);
        assertThat(second.isAlive()).isTrue();
        first.toHandle().destroy();
        assertThat(others.lines()).last(STRING).endsWith("weir.jar settings");
      }
    }
    assertThat(Files.readAllLines(root.resolve("maven.calls"))).hasSize(2);
  }

  /** Also of reports that end early, because their test did or the disk is full. */
  @Test
  void countsTheTestsOfAllReports() throws Exception {
    Path tests = Files.createDirectories(root.resolve("engine/src/test/java"));
    Files.createFile(tests.resolve("OneTest.java"));
    Path reports = Files.createDirectory(root.resolve("reports"));
    for (String name : List.of("One", "Other")) {
      Files.writeString(
          reports.resolve("TEST-%s.xml".formatted(name)),
          """
          <?xml version="1.0" encoding="UTF-8"?>
          <testsuite name="%s" time="1.5" tests="6" errors="1" skipped="0" failures="1">
            <system-out>&lt;testsuite tests="9"</system-out>
          """
              .formatted(name));
    }
    Files.createFile(reports.resolve("TEST-Third.xml"));
    Process process = start("LC_ALL=de_DE.UTF-8 ./weir test OneTest 2>/dev/null");
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(printed).isEqualTo(1);
    assertThat(printed).contains("      1.5  One\n").endsWith("8 passed, 4 failed, 0 skipped\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"settings", "install", "format"})
  void endsMavenWithItself(String command) throws Exception {
    Path stall = Files.createFile(root.resolve("stall"));
    Process process = start("exec ./weir " + command + " 2>&1");
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      assertThat(lines.readLine()).contains("weir-server");
      long maven = Long.parseLong(Files.readString(root.resolve("maven.id")).strip());
      assertThat(ProcessHandle.of(maven)).isPresent();
      process.toHandle().destroy();
      assertThat(process.waitFor()).isEqualTo(143);
      assertThat(ProcessHandle.of(maven).filter(ProcessHandle::isAlive)).isEmpty();
    }
    Files.delete(stall);
    if (command.equals("settings")) {
      Files.createDirectories(jar.getParent());
      Files.write(jar, "PK\5\6%018d".formatted(0).getBytes(StandardCharsets.US_ASCII));
      assertThat(builds()).as("what the build has left may lack libraries").isEqualTo(1);
    }
  }

  /** Returns how often Maven is called when the program is. */
  private int builds() throws Exception {
    Path calls = root.resolve("maven.calls");
    Files.deleteIfExists(calls);
    assertThat(run("./weir settings")).endsWith("weir.jar settings\n");
    if (Files.notExists(calls)) {
      return 0;
    }
    try (Stream<String> lines = Files.lines(calls)) {
      return Math.toIntExact(lines.count());
    }
  }

  private String failure(String command) throws Exception {
    Process process = start(command + " 2>&1");
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(printed).isEqualTo(2);
    return printed;
  }

  private String run(String command) throws Exception {
    Process process = start(command);
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    String errors = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as("%s%n%s%s", command, printed, errors).isZero();
    return printed;
  }

  private Process start(String command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder("bash", "-c", command).directory(root.toFile());
    builder.environment().put("JAVA_HOME", folder.resolve("jdk").toString());
    builder.environment().put("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"));
    Process process = builder.start();
    process.getOutputStream().close();
    return process;
  }

  private static void program(Path file, String script) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/sh\n" + script);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
