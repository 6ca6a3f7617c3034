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
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Rounds of load and faults on a stage, each checked when it is over. */
public final class Torture {
  /** What is tortured. A new capability adds itself here. */
  static final List<Capability> CAPABILITIES =
      List.of(
          new Slots(), new Limits(), new Rules(), new Gateways(), new Messages(), new Payments());

  private static final Duration BOUND = Duration.ofMinutes(20);

  /** Begins the kind of a request that is wrong on purpose, and may be answered with 400. */
  private static final String WRONG = "wrong ";

  private static final int BAD_REQUEST = 400;
  private static final Set<Integer> LISTED = Set.of(0, 200, 201, 202, 204, 404, 409, 412, 429, 503);

  private final Stage stage;
  private final Path folder;
  private final Set<Promise> selected;

  /**
   * Creates the torture of a stage.
   *
   * @param folder for the histories
   * @param selected the promises that are checked, and whose capabilities get load
   */
  public Torture(Stage stage, Path folder, Set<Promise> selected) {
    this.stage = stage;
    this.folder = folder;
    this.selected = selected;
  }

  /** Returns the capabilities that promise any of these. */
  static List<Capability> capabilitiesOf(Set<Promise> promises) {
    return CAPABILITIES.stream()
        .filter(capability -> capability.promises().stream().anyMatch(promises::contains))
        .toList();
  }

  /** What came of a round. */
  public record Outcome(long seed, Findings findings, History history) {}

  /** Plays a round and checks it. */
  public Outcome round(long seed, Plan plan) throws Exception {
    Findings findings = new Findings(selected);
    try (History history = new History(folder.resolve("round-" + seed + ".ndjson"))) {
      String name = "r" + Long.toString(seed, Character.MAX_RADIX);
      Round round = new Round(name, stage, new Client(stage, history), history, plan.maxWait());
      List<Capability> capabilities = capabilitiesOf(selected);
      List<Load> loads = capabilities.stream().map(each -> each.load(round)).toList();
      together(loads, Load::prepare);
      if (!play(history, loads, seed, plan, findings)) {
        // Without a node, loads cannot be finished, and there is nothing to compare with.
        if (findings.isClean()) {
          throw new IllegalStateException("a node is not ready");
        }
        return new Outcome(seed, findings, history);
      }
      together(loads, Load::finish);
      for (Check check : capabilities.stream().map(each -> each.check(round)).toList()) {
        check.check(findings);
      }
      answers(history, findings);
      return new Outcome(seed, findings, history);
    }
  }

  /** A step of a load. */
  private interface Step {
    void of(Load load) throws Exception;
  }

  /** Lets all loads make a step at the same time, because each waits most of the time. */
  private static void together(List<Load> loads, Step step) throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Void>> steps =
          loads.stream()
              .<Callable<Void>>map(
                  load ->
                      () -> {
                        step.of(load);
                        return null;
                      })
              .toList();
      for (Future<Void> end : threads.invokeAll(steps)) {
        end.get();
      }
    }
  }

  /** Returns true if all nodes are ready in the end. */
  private boolean play(History history, List<Load> loads, long seed, Plan plan, Findings findings)
      throws InterruptedException {
    Callers calling = Callers.start(loads, plan.callers(), seed);
    Schedule schedule = Schedule.start(stage, history, plan.trouble(), seed);
    Thread.sleep(plan.time());
    List<String> failures = schedule.end(BOUND);
    failures.forEach(failure -> findings.broken(Promise.A2, failure, List.of()));
    calling.end(BOUND);
    boolean isReady = true;
    for (Node node : stage.nodes()) {
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
