package dev.weir.node.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Help.Ansi;

/**
 * The properties of the output.
 *
 * @param interactive whether it is a terminal, so that a line may be overwritten
 * @param colours whether colours may be used
 * @param unicode whether its character set has block characters
 * @param widthColumns its width
 */
public record Terminal(boolean interactive, boolean colours, boolean unicode, int widthColumns) {
  private static final int USUAL_WIDTH_COLUMNS = 80;
  private static final int MIN_WIDTH_COLUMNS = 40;
  private static final int MAX_WIDTH_COLUMNS = 400;

  public static Terminal ofOutput(Map<String, String> environment) {
    return of(1, System.out, environment);
  }

  public static Terminal ofErrors(Map<String, String> environment) {
    return of(2, System.err, environment);
  }

  private static Terminal of(int descriptor, PrintStream stream, Map<String, String> environment) {
    boolean interactive =
        isTerminal(descriptor) && !environment.getOrDefault("TERM", "").equals("dumb");
    return new Terminal(
        interactive,
        interactive && environment.getOrDefault("NO_COLOR", "").isEmpty(),
        stream.charset().newEncoder().canEncode("█…"),
        widthColumns(environment.getOrDefault("COLUMNS", "")));
  }

  public static int widthColumns(String text) {
    if (!text.matches("[0-9]{1,4}")) {
      return USUAL_WIDTH_COLUMNS;
    }
    return Math.clamp(Integer.parseInt(text), MIN_WIDTH_COLUMNS, MAX_WIDTH_COLUMNS);
  }

  /**
   * Returns true if a descriptor is a terminal. The JDK only reports whether input and output both
   * are. Linux reports it for each; on other systems this guesses.
   */
  private static boolean isTerminal(int descriptor) {
    Path link = Path.of("/proc/self/fd/" + descriptor);
    if (!Files.isSymbolicLink(link)) {
      return Ansi.AUTO.enabled();
    }
    try {
      String target = Files.readSymbolicLink(link).toString();
      return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
    } catch (IOException unknown) {
      return false;
    }
  }
}
