package dev.weir.node.stores.postgresql;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A running external program; the end of its output is kept for error messages. */
final class Command {
  private static final File NULL_DEVICE = new File("/dev/null");
  private static final int OUTPUT_KEPT_BYTES = 8_192;

  /** Reached only if a process that outlives the program holds its output open. */
  private static final Duration OUTPUT_BOUND = Duration.ofMinutes(1);

  private final Process process;
  private final CompletableFuture<String> output = new CompletableFuture<>();

  private Command(Process process) {
    this.process = process;
    Thread.ofVirtual().name("output of process " + process.pid()).start(this::collectOutput);
  }

  /** Starts the program, detached from our terminal and with English output whatever the locale. */
  static Command start(List<String> words) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(words);
    builder.redirectErrorStream(true).redirectInput(ProcessBuilder.Redirect.from(NULL_DEVICE));
    builder.environment().put("LC_ALL", "C");
    return new Command(builder.start());
  }

  /**
   * Runs the program to its end. If it takes longer than {@code bound}, it is killed and has
   * failed.
   */
  static Finished run(List<String> words, Duration bound) throws IOException {
    Command command = start(words);
    if (Waiting.until(() -> !command.process.isAlive(), bound)) {
      return new Finished(command.process.exitValue(), command.lastOutput());
    }
    command.process.destroyForcibly();
    return new Finished(-1, "killed as it was still running after " + bound.toSeconds() + " s");
  }

  Process process() {
    return process;
  }

  /**
   * Returns the last output of an ended program; empty if another process holds its output open for
   * too long.
   */
  String lastOutput() {
    return output.completeOnTimeout("", OUTPUT_BOUND.toSeconds(), TimeUnit.SECONDS).join();
  }

  private void collectOutput() {
    byte[] kept = new byte[2 * OUTPUT_KEPT_BYTES];
    int length = 0;
    try (InputStream stream = process.getInputStream()) {
      while (true) {
        if (length == kept.length) {
          System.arraycopy(kept, OUTPUT_KEPT_BYTES, kept, 0, OUTPUT_KEPT_BYTES);
          length = OUTPUT_KEPT_BYTES;
        }
        int read = stream.read(kept, length, kept.length - length);
        if (read < 0) {
          break;
        }
        length += read;
      }
      output.complete(new String(Arrays.copyOf(kept, length), StandardCharsets.UTF_8).strip());
    } catch (IOException e) {
      output.completeExceptionally(new UncheckedIOException(e));
    }
  }

  /** How a program ended: its exit code, 0 for success, and the end of its output. */
  record Finished(int exitCode, String output) {
    boolean succeeded() {
      return exitCode == 0;
    }
  }
}
