package dev.weir.server.wiring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What a node has left running. */
final class Leftovers {
  private Leftovers() {}

  /** Processes that work on the folder: its name is among their words, or they are in it. */
  static List<String> of(Path folder) throws IOException {
    List<String> left = new ArrayList<>();
    try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
      for (Path each :
          processes.filter(path -> path.getFileName().toString().matches("\\d+")).toList()) {
        try {
          String words = Files.readString(each.resolve("cmdline")).replace('\0', ' ');
          Path within = Files.readSymbolicLink(each.resolve("cwd"));
          if (words.contains(folder.toString()) || within.startsWith(folder)) {
            left.add(words);
          }
        } catch (IOException e) {
          // It has ended by now.
        }
      }
    }
    return left;
  }
}
