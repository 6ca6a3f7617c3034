package dev.weir.torture.mutants;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A unified diff of sources. A part of it applies where the lines are as it says, exactly once in
 * the file, whatever their numbers are by now.
 *
 * @param files the parts of each file, by its path
 */
record Patch(Map<String, List<Part>> files) {
  /** Lines in place of others. */
  record Part(List<String> before, List<String> after) {}

  static Patch read(List<String> lines) {
    Map<String, List<Part>> files = new LinkedHashMap<>();
    List<Part> parts = new ArrayList<>();
    for (String line : lines) {
      if (line.startsWith("--- a/")) {
        parts = new ArrayList<>();
        files.put(line.substring("--- a/".length()), parts);
      } else if (line.startsWith("@@ ")) {
        parts.add(new Part(new ArrayList<>(), new ArrayList<>()));
      } else if (!line.startsWith("+++ ") && !parts.isEmpty()) {
        Part part = parts.getLast();
        String text = line.isEmpty() ? "" : line.substring(1);
        if (!line.startsWith("+")) {
          part.before().add(text);
        }
        if (!line.startsWith("-")) {
          part.after().add(text);
        }
      }
    }
    return new Patch(files);
  }

  /** Returns a text with the parts of a file applied. */
  static String apply(String text, List<Part> parts) {
    String changed = text;
    for (Part part : parts) {
      String before = String.join("\n", part.before()) + "\n";
      int at = changed.indexOf(before);
      if (at < 0 || changed.indexOf(before, at + 1) >= 0) {
        throw new IllegalArgumentException(
            (at < 0 ? "it no longer has" : "it has more than once") + " the lines\n" + before);
      }
      changed =
          changed.substring(0, at)
              + String.join("\n", part.after())
              + "\n"
              + changed.substring(at + before.length());
    }
    return changed;
  }
}
