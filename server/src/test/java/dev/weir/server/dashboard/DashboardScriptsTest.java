package dev.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.faults.Programs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * Runs the unit tests of the dashboard's modules, in {@code src/test/js}, by Node's test runner.
 */
@EnabledIf(value = "isNodeAtHand", disabledReason = "there is no node on the PATH")
@Timeout(900)
final class DashboardScriptsTest {
  static boolean isNodeAtHand() {
    return Programs.isInstalled("node");
  }

  @Test
  void modulesPassTheirTests() throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("node", "--test", "--test-reporter=spec"));
    try (Stream<Path> files = Files.list(Path.of("src/test/js"))) {
      files.map(Path::toString).filter(file -> file.endsWith(".test.mjs")).forEach(command::add);
    }
    Process node = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(node.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(node.waitFor()).as(output).isZero();
    assertThat(output).containsPattern("pass [1-9]");
  }
}
