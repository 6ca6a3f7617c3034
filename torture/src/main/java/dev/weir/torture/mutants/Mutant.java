package dev.weir.torture.mutants;

import dev.weir.torture.capability.Promise;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * A planted fault: a patch of the product's sources that breaks a promise.
 *
 * @param store where limits have to be counted for it to matter
 * @param faults the names of the faults that it needs to be seen; empty if it needs none, or any
 * @param ways a part of the names of the ways on which these come; empty for all ways
 */
public record Mutant(
    String name,
    Promise promise,
    String store,
    Set<String> faults,
    String ways,
    List<String> lines) {
  private static final String FOLDER = "torture/mutants";
  private static final String SUFFIX = ".patch";
  private static final String SOURCES = "/src/main/java/";
  private static final String RESOURCES = "/src/main/resources/";

  /** The mutants of a source tree, by name. */
  public static List<Mutant> all(Path root) throws IOException {
    try (Stream<Path> files = Files.list(root.resolve(FOLDER))) {
      List<Mutant> mutants = new ArrayList<>();
      for (Path file : files.filter(file -> file.toString().endsWith(SUFFIX)).sorted().toList()) {
        mutants.add(read(file));
      }
      return mutants;
    }
  }

  private static Mutant read(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file);
    String name = file.getFileName().toString();
    return new Mutant(
        name.substring(0, name.length() - SUFFIX.length()),
        Promise.valueOf(needed(lines, "Promise: ")),
        needed(lines, "Store: "),
        field(lines, "Faults: ").map(names -> Set.of(names.split(" +"))).orElse(Set.of()),
        field(lines, "Ways: ").orElse(""),
        lines);
  }

  private static String needed(List<String> lines, String name) {
    return field(lines, name)
        .orElseThrow(() -> new IllegalArgumentException("there is no line \"" + name + "\""));
  }

  private static Optional<String> field(List<String> lines, String name) {
    return lines.stream()
        .filter(line -> line.startsWith(name))
        .findFirst()
        .map(line -> line.substring(name.length()).strip());
  }

  /** Returns the patched files by their paths; fails if the patch does not apply any more. */
  public Map<String, String> patched(Path root) throws IOException {
    Map<String, String> patched = new LinkedHashMap<>();
    for (Map.Entry<String, List<Patch.Part>> file : Patch.read(lines).files().entrySet()) {
      String text = Files.readString(root.resolve(file.getKey()));
      try {
        patched.put(file.getKey(), Patch.apply(text, file.getValue()));
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(name + ", " + file.getKey() + ": " + e.getMessage(), e);
      }
    }
    return patched;
  }

  /**
   * Builds the patched classes and resources into a folder, against the jar of the program.
   *
   * @return the folder to put before the jar
   */
  public Path build(Path root, Path jar, Path folder) throws IOException {
    Path classes = Files.createDirectories(folder.resolve("classes"));
    List<String> sources = new ArrayList<>();
    for (Map.Entry<String, String> file : patched(root).entrySet()) {
      if (file.getKey().contains(SOURCES)) {
        Path source = folder.resolve("sources").resolve(after(SOURCES, file.getKey()));
        Files.createDirectories(source.getParent());
        Files.writeString(source, file.getValue());
        sources.add(source.toString());
      } else {
        Path resource = classes.resolve(after(RESOURCES, file.getKey()));
        Files.createDirectories(resource.getParent());
        Files.writeString(resource, file.getValue());
      }
    }
    if (!sources.isEmpty()) {
      compile(sources, jar, classes);
    }
    return classes;
  }

  private static String after(String part, String path) {
    int at = path.indexOf(part);
    if (at < 0) {
      throw new IllegalArgumentException(path + " is no main source");
    }
    return path.substring(at + part.length());
  }

  private void compile(List<String> sources, Path jar, Path classes) throws IOException {
    var compiler = ToolProvider.getSystemJavaCompiler();
    try (var files = compiler.getStandardFileManager(null, null, null);
        Stream<Path> libraries = Files.list(jar.resolveSibling("lib"))) {
      String classPath =
          Stream.concat(Stream.of(jar), libraries)
              .map(Path::toString)
              .reduce((one, other) -> one + File.pathSeparator + other)
              .orElseThrow();
      StringWriter messages = new StringWriter();
      boolean isCompiled =
          compiler
              .getTask(
                  messages,
                  files,
                  null,
                  // For this JVM, whose JDK runs the nodes: an older release takes a second each.
                  List.of("-proc:none", "-nowarn", "-cp", classPath, "-d", classes.toString()),
                  null,
                  files.getJavaFileObjectsFromStrings(sources))
              .call();
      if (!isCompiled) {
        throw new IllegalArgumentException(name + " does not compile: " + messages);
      }
    }
  }
}
