package dev.weir.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.faults.Program;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node that is told to stop while it starts leaves no PostgreSQL behind. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class SignalDuringStartIT {
  private static final String CREATING = "Creating a database in";
  private static final String RUNNING = "runs on port";

  @TempDir private Path folder;

  private Process start() throws IOException {
    List<String> command = new ArrayList<>(Program.command());
    command.addAll(List.of("up", "--port", "0", "--data", folder.toString()));
    ProcessBuilder builder = new ProcessBuilder(command);
    return builder.redirectErrorStream(true).start();
  }

  /** By its handle, because destroying a process closes its output too. */
  private void endsCleanly(Process process, BufferedReader output) throws Exception {
    process.toHandle().destroy();
    List<String> rest = output.lines().toList();
    assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as("%s", rest).isEqualTo(128 + 15);
    assertThat(left()).as("%s", rest).isEmpty();
    assertThat(folder.resolve("postgresql/postmaster.pid")).doesNotExist();
  }

  /** Processes that work on the folder: its name is among their words, or they are in it. */
  private List<String> left() throws IOException {
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

  private static void await(BufferedReader output, String text) throws IOException {
    List<String> seen = new ArrayList<>();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      seen.add(line);
      if (line.contains(text)) {
        return;
      }
    }
    throw new IOException("ended without \"" + text + "\": " + seen);
  }

  private void endsAfter(String line) throws Exception {
    Process process = start();
    try (BufferedReader output = process.inputReader()) {
      await(output, line);
      endsCleanly(process, output);
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void whileTheDatabaseIsMade() throws Exception {
    endsAfter(CREATING);
  }

  @Test
  void whenTheDatabaseRuns() throws Exception {
    endsAfter(RUNNING);
    // And again, on the folder that the first has left.
    endsAfter(RUNNING);
  }

  /** PostgreSQL has been started, and has not said yet that it is ready. */
  @Test
  void whileTheDatabaseStarts() throws Exception {
    endsAfter(RUNNING);
    Process process = start();
    try (BufferedReader output = process.inputReader()) {
      Path pidFile = folder.resolve("postgresql/postmaster.pid");
      while (!Files.exists(pidFile) && process.isAlive()) {
        Thread.onSpinWait();
      }
      endsCleanly(process, output);
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void whenTheNodeIsUp() throws Exception {
    endsAfter("Weir is up");
  }
}
