package dev.weir.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.verify.Findings;
import dev.weir.server.verify.Invariant;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Two nodes on one PostgreSQL, callers on both, and each fault. {@code -Dweir.faults.rounds=N}
 * repeats that, with the faults of the one node on the other in every second round.
 */
@Timeout(value = 2, unit = TimeUnit.HOURS)
final class TwoNodesUnderFaultsIT {
  private static final Logger log = LoggerFactory.getLogger(TwoNodesUnderFaultsIT.class);
  private static final int ROUNDS =
      Integer.getInteger("weir.faults.rounds", 1) * Fault.values().length;
  private static final int CALLERS = 8;
  private static final int ANSWERS_BETWEEN = 100;

  /** While PostgreSQL is stopped, callers wait so long; being refused at any time is all right. */
  private static final String WAIT = "PT3S";

  private enum Fault {
    KILL_NODE,
    KILL_POSTGRESQL,
    DRAIN_NODE,
    STOP_POSTGRESQL
  }

  @TempDir private Path folder;

  private Database database;
  private List<NodeProcess> nodes;
  private List<Target> targets;
  private Load load;

  @Test
  void whatWasAnsweredHoldsThroughEveryFault() throws Exception {
    try (Database postgresql = Database.start(folder.resolve("data"));
        NodeProcess one = start("1.log", postgresql);
        NodeProcess two = start("2.log", postgresql);
        Target first = new Target(one.address());
        Target second = new Target(two.address());
        Journal journal = new Journal(folder.resolve("answers.ndjson"))) {
      database = postgresql;
      nodes = List.of(one.awaitReadyAsService(), two.awaitReadyAsService());
      targets = List.of(first, second);
      Load.configure(first.api);
      try (Load callers = new Load(targets, journal)) {
        load = callers;
        load.start(CALLERS);
        for (int round = 0; round < ROUNDS && load.strange().isEmpty(); round++) {
          targets.forEach(target -> load.awaitAnswers(target, ANSWERS_BETWEEN));
          round(round);
        }
        load.finish();
        assertThat(load.strange()).isEmpty();
      }
      long beginNanos = System.nanoTime();
      Findings findings = Database.check(folder.resolve("data"), journal);
      log.info("Checked in {} ms:\n{}", millisSince(beginNanos), findings);
      assertThat(findings.clean()).as(findings.toString()).isTrue();
      assertThat(findings.lookedAt(Invariant.KEPT, "answers"))
          .isGreaterThan(2L * ROUNDS * ANSWERS_BETWEEN);
    }
  }

  private NodeProcess start(String name, Database postgresql) throws IOException {
    Map<String, String> settings = new HashMap<>(postgresql.environment());
    settings.put("WEIR_DB_WAIT", WAIT);
    // Longer than a caller is busy or paused, even on a busy machine.
    settings.put("WEIR_DRAIN", "PT3M");
    settings.put("WEIR_DRAIN_IDLE", "PT1M");
    return NodeProcess.start(folder.resolve(name), settings);
  }

  private void round(int round) throws Exception {
    Fault fault = Fault.values()[round % Fault.values().length];
    // One is killed and the other drained, and then the other way around.
    int index = (round / 2 + round / Fault.values().length) % nodes.size();
    NodeProcess node = nodes.get(index);
    Target target = targets.get(index);
    long refusalsBefore = targets.stream().mapToLong(each -> each.refusals.get()).sum();
    long beginNanos = System.nanoTime();
    switch (fault) {
      case KILL_NODE -> {
        target.excuse(Target.Excuse.KILLED);
        node.kill();
        node.restart();
        node.awaitReadyAsService();
        target.excuse(Target.Excuse.NONE);
      }
      case KILL_POSTGRESQL -> database.kill();
      case DRAIN_NODE -> {
        target.excuse(Target.Excuse.LEAVING);
        node.terminate();
        assertThat(node.awaitEnd()).as("exit code after SIGTERM").isEqualTo(143);
        node.restart();
        node.awaitReadyAsService();
        target.excuse(Target.Excuse.NONE);
      }
      case STOP_POSTGRESQL -> {
        database.stop();
        targets.forEach(each -> load.awaitRefusals(each, 1));
        database.startAgain();
      }
    }
    long backNanos = System.nanoTime();
    targets.forEach(each -> load.awaitAnswers(each, 1));
    log.info(
        "Round {} of {}: over after {} ms, both nodes answer {} ms later, {} refusals",
        1 + round / Fault.values().length,
        fault,
        Duration.ofNanos(backNanos - beginNanos).toMillis(),
        millisSince(backNanos),
        targets.stream().mapToLong(each -> each.refusals.get()).sum() - refusalsBefore);
    move(round);
  }

  /** A change of limit and of size amid the faults; what is lost is asked again. */
  private void move(int round) {
    String json =
        "{'configName':'moving','maxPerWindow':%d,'windowSize':'PT%dS'}"
            .formatted(20 + round * 7 % 40, 2 + round % 5)
            .replace('\'', '"');
    Api api = targets.get(round % targets.size()).api;
    Waiting.until(
        "another limit", () -> api.post("/admin/rate-limit/config", json).statusCode() < 300);
  }

  private static long millisSince(long nanos) {
    return Duration.ofNanos(System.nanoTime() - nanos).toMillis();
  }
}
