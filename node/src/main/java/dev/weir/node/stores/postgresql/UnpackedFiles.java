package dev.weir.node.stores.postgresql;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The list of what was unpacked into a folder, kept there. A folder whose name is on the disk may
 * lack files: after a loss of power those whose content was not written yet, and in a folder for
 * temporary files those that were not read for some days.
 */
final class UnpackedFiles {
  private static final String NAME = "unpacked-files";
  private static final String END = "end";

  private UnpackedFiles() {}

  /** Writes the list of what is in the folder. */
  static void list(Path folder) throws IOException {
    List<String> lines = new ArrayList<>(in(folder));
    lines.add(END);
    Files.write(folder.resolve(NAME), lines);
  }

  /** Returns true if everything is there that was unpacked into the folder. */
  static boolean areIn(Path folder) throws IOException {
    try {
      List<String> lines = Files.readAllLines(folder.resolve(NAME));
      return !lines.isEmpty()
          && lines.getLast().equals(END)
          && in(folder).containsAll(lines.subList(0, lines.size() - 1));
    } catch (NoSuchFileException | CharacterCodingException | UncheckedIOException e) {
      // The last one if another process takes it away at this moment.
      return false;
    }
  }

  /** Returns a line for each file and link in the folder, with its size. */
  private static Set<String> in(Path folder) throws IOException {
    Set<String> lines = new HashSet<>();
    try (Stream<Path> entries = Files.walk(folder)) {
      for (Path entry : entries.toList()) {
        BasicFileAttributes attributes =
            Files.readAttributes(entry, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!attributes.isDirectory()) {
          lines.add(attributes.size() + " " + folder.relativize(entry));
        }
      }
    }
    return lines;
  }
}
