package dev.weir.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.faults.Program;
import dev.weir.server.faults.Waiting;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node that is told to stop while it starts leaves no PostgreSQL behind. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
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
    assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as("%s", rest).isEqualTo(128 + 15);
    assertThat(Leftovers.of(folder)).as("%s", rest).isEmpty();
    assertThat(folder.resolve("postgresql/postmaster.pid")).doesNotExist();
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

  /** And again, on the folder that the first has left. */
  @Test
  void whenTheDatabaseRunsAndWhileItStarts() throws Exception {
    endsAfter(RUNNING);
    endsAfterThePidFile();
  }

  /** PostgreSQL has been started, and has not said yet that it is ready. */
  private void endsAfterThePidFile() throws Exception {
    Process process = start();
    try (BufferedReader output = process.inputReader()) {
      Path pidFile = folder.resolve("postgresql/postmaster.pid");
      Waiting.until("PostgreSQL", () -> Files.exists(pidFile) || !process.isAlive());
      endsCleanly(process, output);
    } finally {
      process.destroyForcibly();
    }
  }
}
