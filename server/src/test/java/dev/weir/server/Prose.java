package dev.weir.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A Markdown file of the repository. */
record Prose(Path file, String text) {
  /** The folder of the repository: tests run in the folder of their module. */
  static final Path ROOT = Path.of("").toAbsolutePath().getParent();

  private static final Pattern BLOCK =
      Pattern.compile("(?m)^```(\\w+)\\n(.*?)^```$", Pattern.DOTALL);

  private static final Pattern EXCHANGE =
      Pattern.compile(
          "(?m)^```sh\\n(((?!```)[^\\n]*\\n)+)```\\n```(?:json|text)\\n(.*?)^```$", Pattern.DOTALL);

  static Prose read(String path) throws IOException {
    Path file = ROOT.resolve(path);
    return new Prose(file, Files.readString(file));
  }

  /** A fenced block. */
  record Block(String language, String text) {}

  /** A command, and what it prints as the block right after it shows. */
  record Exchange(String command, String answer) {}

  List<Exchange> exchanges() {
    return EXCHANGE.matcher(text).results().map(e -> new Exchange(e.group(1), e.group(3))).toList();
  }

  List<Block> blocks() {
    return BLOCK.matcher(text).results().map(b -> new Block(b.group(1), b.group(2))).toList();
  }

  /** The rows of the first table whose head begins with {@code firstColumn}, without the head. */
  List<List<String>> table(String firstColumn) {
    List<List<String>> rows = new ArrayList<>();
    boolean inside = false;
    for (String line : text.lines().toList()) {
      if (line.startsWith("| " + firstColumn + " |")) {
        inside = true;
      } else if (inside && !line.startsWith("|")) {
        return rows;
      } else if (inside && !line.startsWith("|---")) {
        rows.add(Pattern.compile(" *\\| *").splitAsStream(line).filter(c -> !c.isEmpty()).toList());
      }
    }
    return rows;
  }

  /** The files that it links to. */
  List<Path> links() {
    Matcher links = Pattern.compile("\\]\\(([^)#:]+)(#[^)]*)?\\)").matcher(text);
    return links.results().map(link -> file.resolveSibling(link.group(1))).toList();
  }
}
