package dev.weir.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.verify.Findings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nodes that bring their own PostgreSQL. */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
final class EmbeddedUnderFaultsIT {
  private static final int CALLERS = 4;
  private static final int ANSWERS_BETWEEN = 100;
  private static final Duration BOUND = Duration.ofMinutes(3);
  private static final Map<String, String> SETTINGS = Map.of("WEIR_DB_WAIT", "PT1M");

  @TempDir private static Path folder;
  private static Path data;
  private static NodeProcess node;

  @BeforeAll
  static void start() throws IOException {
    data = folder.resolve("data");
    node = start("node", data);
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @Test
  void keepsItsWordWhenKilledAndWhenItsDatabaseIsKilled() throws Exception {
    try (Target target = new Target(node.awaitReady().address());
        Journal journal = new Journal(folder.resolve("answers.ndjson"))) {
      Load.configure(target.api);
      try (Load load = new Load(List.of(target), journal)) {
        load.start(CALLERS);
        load.awaitAnswers(target, ANSWERS_BETWEEN);

        target.excuse(Target.Excuse.KILLED);
        node.kill();
        long orphan = postmaster(data);
        assertThat(isRunning(orphan)).as("PostgreSQL outlives its killed node").isTrue();
        node.restart();
        node.awaitReady();
        target.excuse(Target.Excuse.NONE);
        assertThat(isRunning(orphan)).as("the orphan").isFalse();
        load.awaitAnswers(target, ANSWERS_BETWEEN);

        long killed = postmaster(data);
        Database.killAll(killed);
        Waiting.until("the end of PostgreSQL", BOUND, () -> !isRunning(killed));
        // Until it runs again, all answers are refusals.
        Waiting.until("its log", BOUND, () -> node.log().contains("PostgreSQL runs again on port"));
        load.awaitAnswers(target, ANSWERS_BETWEEN);
        assertThat(postmaster(data)).isNotEqualTo(killed);

        load.finish();
        assertThat(load.strange()).isEmpty();
      }
      Findings findings = Database.check(data, journal);
      assertThat(findings.clean()).as(findings.toString()).isTrue();
    }
  }

  @Test
  void runsBesideAnotherAndRefusesItsFolderInOneLine() throws Exception {
    try (NodeProcess other = start("other", folder.resolve("other"));
        Target first = new Target(node.awaitReady().address());
        Target second = new Target(other.awaitReady().address())) {
      for (Target each : List.of(first, second)) {
        assertThat(each.api.post("/api/v1/slots", "{\"eventId\":\"same\"}").body())
            .contains("\"replayed\":false");
      }
      try (NodeProcess intruder = start("intruder", data)) {
        assertThat(intruder.awaitEnd()).isEqualTo(2);
        assertThat(intruder.log())
            .hasLineCount(1)
            .startsWith("weir: the data folder " + data + " is in use by a running Weir (process ");
      }
      assertThat(first.api.post("/api/v1/slots", "{\"eventId\":\"same\"}").body())
          .contains("\"replayed\":true");
    }
  }

  private static NodeProcess start(String name, Path data) throws IOException {
    return NodeProcess.start(folder.resolve(name + ".log"), SETTINGS, "--data", data.toString());
  }

  private static long postmaster(Path data) throws IOException {
    try (var lines = Files.lines(data.resolve("postgresql/postmaster.pid"))) {
      return Long.parseLong(lines.findFirst().orElseThrow().strip());
    }
  }

  // An ended process may wait for its parent for ever where process 1 collects nobody.
  private static boolean isRunning(long pid) {
    return ProcessHandle.of(pid).flatMap(process -> process.info().command()).isPresent();
  }
}
