package dev.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/** Runs the unit tests of the dashboard's modules, in {@code src/test/js}, by Node's test runner. */
@EnabledIf(value = "isNodeAtHand", disabledReason = "there is no node on the PATH")
@Timeout(120)
final class DashboardScriptsTest {
  static boolean isNodeAtHand() {
    return Chromium.onPath("node").isPresent();
  }

  @Test
  void modulesPassTheirTests() throws IOException, InterruptedException {
    Process node =
        new ProcessBuilder("node", "--test", "--test-reporter=spec", Path.of("src/test/js").toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(node.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(node.waitFor()).as(output).isZero();
    assertThat(output).containsPattern("pass [1-9]");
  }
}
