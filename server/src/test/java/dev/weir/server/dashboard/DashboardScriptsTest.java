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
 * Runs the unit tests of the dashboard's scripts by Node's test runner: those in {@code
 * src/test/js} of the server, and of each product for its page.
 */
@EnabledIf(value = "isNodeAtHand", disabledReason = "there is no node on the PATH")
@Timeout(900)
final class DashboardScriptsTest {
  private static final String TESTS = "src/test/js";

  static boolean isNodeAtHand() {
    return Programs.isInstalled("node");
  }

  @Test
  void modulesPassTheirTests() throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(List.of("node", "--import", "./" + TESTS + "/served.mjs"));
    command.addAll(List.of("--test", "--test-reporter=spec"));
    for (String module : List.of(".", "../notifications/server", "../payments/server")) {
      command.addAll(tests(Path.of(module).resolve(TESTS)));
    }
    Process node = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(node.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(node.waitFor()).as(output).isZero();
    assertThat(output).containsPattern("pass [1-9]");
  }

  private static List<String> tests(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      List<String> tests =
          files.map(Path::toString).filter(file -> file.endsWith(".test.mjs")).toList();
      assertThat(tests).as("in " + folder).isNotEmpty();
      return tests;
    }
  }
}
