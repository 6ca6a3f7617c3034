package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Documents name what there is, and lead where they say. */
final class DependenciesTest {
  private static final Pattern DEPENDENCY =
      Pattern.compile(
          "<dependency>\\s*(?:<!--.*?-->\\s*)?<groupId>([^<]+)</groupId>\\s*"
              + "<artifactId>([^<]+)</artifactId>",
          Pattern.DOTALL);

  private static final Pattern ROW = Pattern.compile("(?m)^\\| `([^`]+:[^`]+)` \\| ([^|]+) \\|");

  @Test
  void everyDependencyHasItsLineAndSaysWhoUsesIt() throws IOException {
    Map<String, Set<String>> declared = new TreeMap<>();
    Set<String> tested = new TreeSet<>();
    for (Path pom : files("pom.xml")) {
      String module = Prose.ROOT.relativize(pom.getParent()).toString();
      if (!module.isEmpty()) {
        if (Files.isDirectory(pom.getParent().resolve("src/test"))) {
          tested.add(module);
        }
        String text =
            Files.readString(pom)
                .replaceAll("(?s)<dependencyManagement>.*</dependencyManagement>", "");
        DEPENDENCY
            .matcher(text)
            .results()
            .map(DependenciesTest::name)
            .filter(name -> !name.startsWith("dev.weir:"))
            .forEach(name -> declared.computeIfAbsent(name, any -> new TreeSet<>()).add(module));
      }
    }
    Map<String, Set<String>> listed = new TreeMap<>();
    for (MatchResult row :
        ROW.matcher(Prose.read("docs/dependencies.md").text()).results().toList()) {
      String users = row.group(2);
      listed.put(
          row.group(1),
          users.equals("all") ? tested : new TreeSet<>(Set.of(users.split(", ", -1))));
    }
    assertThat(listed).isEqualTo(declared);
  }

  @Test
  void bomNamesEveryInstalledLibraryInTheVersionOfTheParent() throws IOException {
    String launcher = Prose.read("weir").text();
    Matcher modules = Pattern.compile("published_modules=\"bom,([^\"]+)\"").matcher(launcher);
    assertThat(modules.find()).isTrue();
    Set<String> published = new TreeSet<>();
    for (String module : modules.group(1).split(",", -1)) {
      published.add(artifact(Prose.read(module + "/pom.xml").text()));
    }
    String bom = Prose.read("bom/pom.xml").text();
    assertThat(
            DEPENDENCY
                .matcher(bom)
                .results()
                .filter(result -> result.group(1).equals("dev.weir"))
                .map(result -> result.group(2)))
        .containsExactlyInAnyOrderElementsOf(published);
    String parent = Prose.read("pom.xml").text();
    assertThat(version(bom)).isEqualTo(version(parent));
    for (String shared : List.of("netty", "slf4j")) {
      String version = "<%s.version>(.*)</%s.version>".formatted(shared, shared);
      assertThat(first(version, bom)).as(shared).isEqualTo(first(version, parent));
    }
  }

  private static String artifact(String pom) {
    return first("(?m)^  <artifactId>(.*)</artifactId>$", pom);
  }

  private static String version(String pom) {
    return first("(?m)^  <version>(.*)</version>$", pom);
  }

  private static String first(String regex, String text) {
    Matcher matcher = Pattern.compile(regex).matcher(text);
    assertThat(matcher.find()).as(regex).isTrue();
    return matcher.group(1);
  }

  @Test
  void everyLinkLeadsSomewhere() throws IOException {
    for (Path file : files(".md")) {
      for (Path link : new Prose(file, Files.readString(file)).links()) {
        assertThat(link).as("linked from " + file).exists();
      }
    }
  }

  private static String name(MatchResult dependency) {
    return dependency.group(1) + ":" + dependency.group(2);
  }

  /** The files of the repository whose name ends so, outside of what is built. */
  private static Set<Path> files(String ending) throws IOException {
    try (Stream<Path> all = Files.walk(Prose.ROOT)) {
      return all.filter(file -> file.getFileName().toString().endsWith(ending))
          .filter(file -> !Prose.ROOT.relativize(file).toString().contains("target"))
          .filter(Files::isRegularFile)
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }
}
