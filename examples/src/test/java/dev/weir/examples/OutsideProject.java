package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A project with nothing of ours but what the README shows: its coordinates, its programs and the
 * packages that it names. Each program stands there twice, in memory and on a shared store. Maven
 * and Gradle can build it.
 */
final class OutsideProject {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private static final String POM =
      """
      <project>
        <modelVersion>4.0.0</modelVersion>
        <groupId>outside</groupId>
        <artifactId>outside</artifactId>
        <version>1</version>
        <properties>
          <maven.compiler.release>21</maven.compiler.release>
          <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
        </properties>
        <dependencyManagement>
          <dependencies>
            MANAGED
          </dependencies>
        </dependencyManagement>
        <dependencies>
          DECLARED
          <dependency>
            <groupId>dev.weir</groupId>
            <artifactId>weir-store-jdbc</artifactId>
          </dependency>
          <dependency>
            <groupId>dev.weir</groupId>
            <artifactId>weir-store-redis</artifactId>
          </dependency>
          <dependency>
            <groupId>dev.weir</groupId>
            <artifactId>weir-store-tck</artifactId>
            <scope>test</scope>
          </dependency>
        </dependencies>
        <build>
          <plugins>
            <plugin>
              <artifactId>maven-resources-plugin</artifactId>
              <version>RESOURCES</version>
            </plugin>
            <plugin>
              <artifactId>maven-compiler-plugin</artifactId>
              <version>COMPILER</version>
            </plugin>
            <plugin>
              <artifactId>maven-dependency-plugin</artifactId>
              <version>DEPENDENCY</version>
              <executions>
                <execution>
                  <phase>compile</phase>
                  <goals>
                    <goal>build-classpath</goal>
                  </goals>
                  <configuration>
                    <includeScope>runtime</includeScope>
                    <outputFile>target/libraries</outputFile>
                  </configuration>
                </execution>
              </executions>
            </plugin>
          </plugins>
        </build>
      </project>
      """;

  /** Without the descriptor of the module: how Gradle finds modules depends on its version. */
  private static final String GRADLE =
      """
      apply plugin: 'java'

      repositories {
        mavenLocal()
        // For versions that Maven does not choose, hence does not fetch.
        mavenCentral()
      }

      dependencies {
        if (GradleVersion.current() >= GradleVersion.version('5.0')) {
          implementation platform('dev.weir:weir-bom:VERSION')
        }
        implementation 'dev.weir:weir-engine:VERSION'
        implementation 'dev.weir:weir-store-jdbc:VERSION'
        implementation 'dev.weir:weir-store-redis:VERSION'
        testImplementation 'dev.weir:weir-store-tck:VERSION'
      }

      sourceSets.main.java.exclude 'module-info.java'

      tasks.withType(JavaCompile) {
        sourceCompatibility = '21'
        targetCompatibility = '21'
        options.encoding = 'UTF-8'
        options.fork = true
        options.forkOptions.executable = 'JAVAC'
      }
      """;

  private static final String MODULE =
      """
      module outside {
        requires dev.weir.engine;
        requires dev.weir.store.jdbc;
        requires dev.weir.store.redis;
        requires java.naming;
        requires java.sql;
        requires org.postgresql.jdbc;
      }
      """;

  /** A minute for a command: the first one starts while the process is still loading classes. */
  private static final String PROGRAM =
      """
      package outside;

      IMPORTS
      import java.time.Duration;
      import java.time.Instant;
      import javax.sql.DataSource;
      import org.postgresql.ds.PGSimpleDataSource;

      public final class Program {
        public static void main(String... args) {
          limit();
          slot();
          RedisSettings patient = RedisSettings.of(args[0]).withCommandTimeout(Duration.ofMinutes(1));
          try (Redis redis = Redis.open(patient)) {
            limitOnRedis(redis);
          }
          PGSimpleDataSource dataSource = new PGSimpleDataSource();
          dataSource.setUrl(args[1]);
          slotOnPostgresql(dataSource);
        }

        static void limit() {
      LIMIT
        }

        static void limitOnRedis(Redis redis) {
      SHARED_LIMIT
        }

        static void slot() {
      SLOT
        }

        static void slotOnPostgresql(DataSource dataSource) {
      SHARED_SLOT
        }

        static void serve(long remaining) {
          System.out.println("served, " + remaining + " left");
        }

        static void tryAgainIn(Duration delay) {
          System.out.println("refused for " + delay);
        }

        static void schedule(String eventId, Instant at) {
          System.out.println(eventId + " at " + at);
        }
      }
      """;

  /** What an author of a store begins with. It is only compiled. */
  private static final String STORE_TEST =
      """
      package outside;

      import dev.weir.limits.Limit;
      import dev.weir.limits.TokenBucket;
      import dev.weir.limits.LimitStore;
      import dev.weir.store.tck.limits.LimitStoreKit;
      import java.time.InstantSource;
      import java.util.List;
      import java.util.function.Supplier;

      final class StoreTest implements LimitStoreKit {
        @Override
        public List<Class<? extends Limit>> kinds() {
          return List.of(TokenBucket.class);
        }

        @Override
        public Supplier<LimitStore> limitsBy(InstantSource clock) {
          throw new UnsupportedOperationException();
        }
      }
      """;

  private final Path folder;

  private OutsideProject(Path folder) {
    this.folder = folder;
  }

  static OutsideProject write(Path folder) throws IOException {
    String readme = text("README.md");
    String coordinates = blocks(readme, "xml").getFirst();
    int declared = coordinates.indexOf("<!-- in dependencies;");
    List<String> programs = blocks(readme, "java");
    String limit = programs.get(0);
    String slot = programs.get(1);
    Path main = Files.createDirectories(folder.resolve("src/main/java/outside"));
    Path test = Files.createDirectories(folder.resolve("src/test/java/outside"));
    Files.writeString(
        folder.resolve("pom.xml"),
        POM.replace("MANAGED", coordinates.substring(0, declared))
            .replace("DECLARED", coordinates.substring(declared))
            .replace("RESOURCES", pluginVersion("maven-resources-plugin"))
            .replace("COMPILER", pluginVersion("maven-compiler-plugin"))
            .replace("DEPENDENCY", pluginVersion("maven-dependency-plugin")));
    Files.writeString(folder.resolve("settings.gradle"), "rootProject.name = 'outside'\n");
    Files.writeString(
        folder.resolve("build.gradle"),
        GRADLE
            .replace("VERSION", first("<version>(.*)</version>", coordinates))
            .replace("JAVAC", program("javac")));
    Files.writeString(main.resolveSibling("module-info.java"), MODULE);
    Files.writeString(
        main.resolve("Program.java"),
        PROGRAM
            .replace("IMPORTS", imports(readme))
            .replace(
                "SHARED_LIMIT",
                replaced(limit, "Limiter.inMemory()", "Limiter.on(new RedisLimitStore(redis))"))
            .replace(
                "SHARED_SLOT",
                replaced(
                    slot,
                    "SlotScheduler.inMemory()",
                    "SlotScheduler.on(JdbcSlotStore.on(dataSource))"))
            .replace("LIMIT", limit)
            .replace("SLOT", slot));
    Files.writeString(test.resolve("StoreTest.java"), STORE_TEST);
    return new OutsideProject(folder);
  }

  /** Returns the version of a plugin that this build uses, which is in the machine's repository. */
  private static String pluginVersion(String plugin) throws IOException {
    return first(
        "<artifactId>" + plugin + "</artifactId>\\s*<version>(.*)</version>", text("pom.xml"));
  }

  /** Returns the text of a file of this build, named from its root. */
  private static String text(String file) throws IOException {
    return Files.readString(ROOT.resolve(file));
  }

  private static String first(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    if (!matcher.find()) {
      throw new IllegalStateException("nothing matches " + pattern);
    }
    return matcher.group(1);
  }

  /** The content of the README's code blocks in a language. */
  private static List<String> blocks(String readme, String language) {
    return Pattern.compile("(?ms)^```" + language + "\\n(.*?)^```$")
        .matcher(readme)
        .results()
        .map(block -> block.group(1))
        .toList();
  }

  /** Imports every package that the README says the types are in. */
  private static String imports(String readme) {
    return Pattern.compile("`(dev\\.weir\\.[a-z.]+)`")
        .matcher(readme)
        .results()
        .map((MatchResult name) -> "import " + name.group(1) + ".*;")
        .distinct()
        .collect(Collectors.joining("\n"));
  }

  private static String replaced(String program, String part, String by) {
    assertThat(program).contains(part);
    return program.replace(part, by);
  }

  /** Compiles the project with the Maven of this build. */
  void compile(Path maven, Path repository) throws IOException, InterruptedException {
    run(
        maven.resolve("bin/mvn").toString(),
        "-B",
        "-q",
        "-Dmaven.repo.local=" + repository,
        "test-compile");
  }

  /** Returns true if there is a Gradle to compile with. */
  static boolean canUseGradle() {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "gradle")));
  }

  void compileWithGradle(Path repository) throws IOException, InterruptedException {
    run(
        "gradle",
        "--no-daemon",
        "--quiet",
        "--gradle-user-home=" + folder.resolve("gradle"),
        "-Dmaven.repo.local=" + repository,
        "compileTestJava");
  }

  List<String> runOnTheClassPath(String... args) throws IOException, InterruptedException {
    return java(args, "-cp", "target/classes:" + libraries(), "outside.Program");
  }

  /**
   * With all modules: only automatic ones are found without being named, and some of the libraries
   * that the stores use are not.
   */
  List<String> runAsAModule(String... args) throws IOException, InterruptedException {
    return java(
        args,
        "-p",
        "target/classes:" + libraries(),
        "--add-modules",
        "ALL-MODULE-PATH",
        "-m",
        "outside/outside.Program");
  }

  private String libraries() throws IOException {
    return Files.readString(folder.resolve("target/libraries")).strip();
  }

  private List<String> java(String[] args, String... options)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(program("java"));
    command.addAll(List.of(options));
    command.addAll(List.of(args));
    return run(command.toArray(String[]::new));
  }

  /** Returns the path of a program of the JDK that runs this test. */
  private static String program(String name) {
    return Path.of(System.getProperty("java.home"), "bin", name).toString();
  }

  /** Returns what the command printed. */
  private List<String> run(String... command) throws IOException, InterruptedException {
    Path output = folder.resolve("output.txt");
    Path errors = folder.resolve("errors.txt");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile());
    // Maven compiles with the JDK that it runs on; an old Gradle does not run on a new one.
    if (!command[0].equals("gradle")) {
      builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    }
    Process process = builder.start();
    process.getOutputStream().close();
    boolean ended = process.waitFor(30, TimeUnit.MINUTES);
    process.destroyForcibly();
    String printed = Files.readString(output);
    assertThat(ended && process.exitValue() == 0)
        .as("%s\n%s%s", String.join(" ", command), printed, Files.readString(errors))
        .isTrue();
    return printed.lines().toList();
  }
}
