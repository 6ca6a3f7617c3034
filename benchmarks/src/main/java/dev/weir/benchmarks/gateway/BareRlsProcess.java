package dev.weir.benchmarks.gateway;

import dev.weir.benchmarks.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A {@link BareRls} in a separate process, with the same JVM options as Weir. */
final class BareRlsProcess implements AutoCloseable {
  private static final Pattern LISTENING = Pattern.compile("listening on ([0-9]+)");

  private final Process process;
  private final int port;

  private BareRlsProcess(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  static BareRlsProcess start(String heap) throws IOException {
    Process process =
        new ProcessBuilder(
                JavaCommand.of(
                    heap, "-cp", System.getProperty("java.class.path"), BareRls.class.getName()))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    BufferedReader output = process.inputReader();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      Matcher listening = LISTENING.matcher(line);
      if (listening.find()) {
        return new BareRlsProcess(process, Integer.parseInt(listening.group(1)));
      }
    }
    throw new IllegalStateException("the bare service did not start");
  }

  int port() {
    return port;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
