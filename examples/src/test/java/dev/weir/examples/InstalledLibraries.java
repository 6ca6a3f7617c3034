package dev.weir.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A local Maven repository with the libraries of this build as {@code ./weir install} would put
 * them there. Everything else in it is that of the machine's own repository, which gets none of our
 * artifacts.
 */
final class InstalledLibraries {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private InstalledLibraries() {}

  /** Creates the repository in an empty folder, with links to the content of another one. */
  static void install(Path folder, Path machinesRepository) throws IOException {
    Path group = folder.resolve("dev/weir");
    Files.createDirectories(group);
    link(machinesRepository, folder, "dev");
    if (Files.isDirectory(machinesRepository.resolve("dev"))) {
      link(machinesRepository.resolve("dev"), folder.resolve("dev"), "weir");
    }
    String version = first("(?m)^  <version>(.*)</version>$", text("pom.xml"));
    add(group, ROOT, version);
    String modules = first("(?m)^readonly published_modules=\"(.*)\"$", text("weir"));
    for (String module : modules.split(",", -1)) {
      add(group, ROOT.resolve(module), version);
    }
  }

  /** Links what is in one folder into another, except for one entry. */
  private static void link(Path from, Path to, String except) throws IOException {
    try (Stream<Path> entries = Files.list(from)) {
      for (Path entry : entries.toList()) {
        if (!entry.getFileName().toString().equals(except)) {
          Files.createSymbolicLink(to.resolve(entry.getFileName()), entry.toRealPath());
        }
      }
    }
  }

  /** Removes the links, so that nothing that deletes the repository has to look at them. */
  static void unlink(Path folder) throws IOException {
    for (Path linked : List.of(folder, folder.resolve("dev"))) {
      try (Stream<Path> entries = Files.list(linked)) {
        for (Path entry : entries.filter(Files::isSymbolicLink).toList()) {
          Files.delete(entry);
        }
      }
    }
  }

  private static void add(Path group, Path module, String version) throws IOException {
    String pom = Files.readString(module.resolve("pom.xml"));
    String artifact = first("(?m)^  <artifactId>(.*)</artifactId>$", pom);
    String name = artifact + "-" + version;
    Path target = Files.createDirectories(group.resolve(artifact).resolve(version));
    Files.copy(module.resolve("pom.xml"), target.resolve(name + ".pom"));
    if (!pom.contains("<packaging>pom</packaging>")) {
      Path jar = module.resolve("target").resolve(name + ".jar");
      if (!Files.exists(jar)) {
        throw new IllegalStateException(jar + " is missing: package the other modules first");
      }
      Files.copy(jar, target.resolve(name + ".jar"));
    }
  }

  /** The version of a plugin that this build uses, which is in the machine's repository. */
  static String pluginVersion(String plugin) throws IOException {
    return first(
        "<artifactId>" + plugin + "</artifactId>\\s*<version>(.*)</version>", text("pom.xml"));
  }

  /** The text of a file of this project, named from its root. */
  static String text(String file) throws IOException {
    return Files.readString(ROOT.resolve(file));
  }

  private static String first(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    if (!matcher.find()) {
      throw new IllegalStateException("nothing matches " + pattern);
    }
    return matcher.group(1);
  }
}
