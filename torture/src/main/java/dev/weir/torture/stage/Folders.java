package dev.weir.torture.stage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Folders of stores that do not run. */
public final class Folders {
  private Folders() {}

  /** Deletes all that is in a folder, if there is one. */
  static void empty(Path folder) throws IOException {
    if (Files.exists(folder)) {
      for (Path each : contents(folder).reversed()) {
        if (!each.equals(folder)) {
          Files.delete(each);
        }
      }
    }
  }

  /** Deletes a folder with all that is in it. */
  public static void delete(Path folder) throws IOException {
    empty(folder);
    Files.delete(folder);
  }

  /** Copies all that is in a folder into another one, which is empty or missing. */
  static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    for (Path each : contents(from)) {
      Path target = to.resolve(from.relativize(each));
      if (!each.equals(from)) {
        Files.copy(each, target);
      }
    }
  }

  /** The folder and all that is in it, each folder before its contents. */
  private static List<Path> contents(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.sorted(Comparator.naturalOrder()).toList();
    }
  }
}
