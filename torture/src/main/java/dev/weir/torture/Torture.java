package dev.weir.torture;

import dev.weir.torture.capability.Capability;
import dev.weir.torture.capability.Check;
import dev.weir.torture.capability.Findings;
import dev.weir.torture.capability.Load;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.capability.Round;
import dev.weir.torture.gateway.Gateways;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.history.History;
import dev.weir.torture.limits.Limits;
import dev.weir.torture.messages.Messages;
import dev.weir.torture.payments.Payments;
import dev.weir.torture.rules.Rules;
import dev.weir.torture.slots.Slots;
import dev.weir.torture.stage.CalledProgram;
import dev.weir.torture.stage.Client;
import dev.weir.torture.stage.Node;
import dev.weir.torture.stage.Stage;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Rounds of load and faults on a stage, each checked when it is over. */
public final class Torture {
  /** What is tortured. A new capability adds itself here. */
  static final List<Capability> CAPABILITIES =
      List.of(
          new Slots(), new Limits(), new Rules(), new Gateways(), new Messages(), new Payments());

  private static final Duration BOUND = Duration.ofMinutes(3);

  /** Begins the kind of a request that is wrong on purpose, and may be answered with 400. */
  private static final String WRONG = "wrong ";

  private static final int BAD_REQUEST = 400;
  private static final Set<Integer> LISTED = Set.of(0, 200, 201, 202, 204, 404, 409, 412, 429, 503);

  private final Stage stage;
  private final Path folder;
  private final Set<Promise> selected;
  private final int callers;

  /**
   * Creates the torture of a stage.
   *
   * @param folder for the histories
   * @param selected the promises that are checked, and whose capabilities get load
   * @param callers of each capability
   */
  public Torture(Stage stage, Path folder, Set<Promise> selected, int callers) {
    this.stage = stage;
    this.folder = folder;
    this.selected = selected;
    this.callers = callers;
  }

  /** What came of a round. */
  public record Outcome(long seed, Findings findings, History history) {}

  /** Plays a round and checks it. */
  public Outcome round(long seed, Duration time) throws Exception {
    Findings findings = new Findings(selected);
    try (History history = new History(folder.resolve("round-" + seed + ".ndjson"))) {
      String name = "r" + Long.toString(seed, Character.MAX_RADIX);
      Round round = new Round(name, stage, new Client(stage, history), history);
      List<Capability> capabilities =
          CAPABILITIES.stream()
              .filter(capability -> capability.promises().stream().anyMatch(selected::contains))
              .toList();
      List<Load> loads = capabilities.stream().map(each -> each.load(round)).toList();
      for (Load load : loads) {
        load.prepare();
      }
      if (!play(history, loads, seed, time, findings)) {
        // Without a node, loads cannot be finished, and there is nothing to compare with.
        if (findings.isClean()) {
          throw new IllegalStateException("a node is not ready");
        }
        return new Outcome(seed, findings, history);
      }
      for (Load load : loads) {
        load.finish();
      }
      for (Check check : capabilities.stream().map(each -> each.check(round)).toList()) {
        check.check(findings);
      }
      answers(history, findings);
      return new Outcome(seed, findings, history);
    }
  }

  /** Returns true if all nodes are ready in the end. */
  private boolean play(
      History history, List<Load> loads, long seed, Duration time, Findings findings)
      throws IOException, InterruptedException {
    Callers calling = Callers.start(loads, callers, seed);
    Schedule schedule = Schedule.start(stage, history, seed);
    Thread.sleep(time);
    List<String> failures = schedule.end(BOUND);
    failures.forEach(failure -> findings.broken(Promise.A2, failure, List.of()));
    calling.end(BOUND);
    boolean isReady = true;
    for (Node node : stage.nodes()) {
      node.startAgainIfItRefused();
      findings.looked(Promise.A2, 1);
      try {
        node.awaitReady();
      } catch (AssertionError e) {
        isReady = false;
        findings.broken(Promise.A2, String.valueOf(e.getMessage()), List.of());
      }
    }
    return isReady;
  }

  private static void answers(History history, Findings findings) {
    for (Exchange exchange : history.exchanges()) {
      if (exchange.kind().equals(CalledProgram.CALL)
          || CAPABILITIES.stream().anyMatch(capability -> capability.isExceptional(exchange))) {
        continue;
      }
      findings.looked(Promise.A1, 1);
      boolean isExpected =
          LISTED.contains(exchange.status())
              || (exchange.status() == BAD_REQUEST && exchange.kind().startsWith(WRONG));
      if (!isExpected) {
        findings.broken(
            Promise.A1,
            "%s of %s was answered with %d"
                .formatted(exchange.kind(), exchange.subject(), exchange.status()),
            List.of(exchange));
      }
    }
  }
}
