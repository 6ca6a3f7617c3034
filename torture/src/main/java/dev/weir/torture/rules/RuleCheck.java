package dev.weir.torture.rules;

import dev.weir.torture.capability.Check;
import dev.weir.torture.capability.Findings;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.capability.Round;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.history.FaultNote;
import dev.weir.torture.history.Json;
import dev.weir.torture.history.Loss;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Checks R1 to R5 from what callers saw. */
final class RuleCheck implements Check {
  private final Round round;

  RuleCheck(Round round) {
    this.round = round;
  }

  @Override
  public void check(Findings findings) {
    List<Exchange> exchanges = round.history().exchanges();
    List<FaultNote> losses =
        round.history().faults().stream().filter(fault -> fault.loss() != Loss.NONE).toList();
    // What is forgotten may be granted again. A loss that is noticed for certain excuses no grant.
    if (losses.stream().allMatch(fault -> fault.loss() == Loss.NOTICED)) {
      new QueueCheck(exchanges, losses.isEmpty(), findings).check();
      authorize(exchanges, findings);
    }
    // Rules are in PostgreSQL.
    if (losses.stream().noneMatch(FaultNote::isRestore)) {
      new ChangeCheck(exchanges, findings).check();
    }
  }

  private static void authorize(List<Exchange> exchanges, Findings findings) {
    Map<String, List<Exchange>> granted = new LinkedHashMap<>();
    for (Exchange exchange : exchanges) {
      boolean isAmbiguous = exchange.kind().equals(AuthorizeCaller.AMBIGUOUS);
      if (!isAmbiguous && !exchange.kind().equals(AuthorizeCaller.AUTHORIZE)) {
        continue;
      }
      findings.looked(Promise.R5, 1);
      if (isAmbiguous && (exchange.isDone() || exchange.status() == 429)) {
        findings.broken(
            Promise.R5, "a request that is described in two ways was decided", List.of(exchange));
      }
      boolean saysGranted =
          exchange.status() != 0 && exchange.fields().find("Weir-Decision").isPresent();
      if (saysGranted != exchange.isDone()) {
        findings.broken(
            Promise.R5,
            "the status is %d, and Weir-Decision is %s"
                .formatted(exchange.status(), saysGranted ? "granted" : "missing"),
            List.of(exchange));
      }
      if (exchange.isDone()) {
        granted.computeIfAbsent(exchange.subject(), any -> new ArrayList<>()).add(exchange);
      }
    }
    granted.forEach(
        (key, grants) -> {
          if (grants.size() > AuthorizeCaller.LIMIT) {
            findings.broken(
                Promise.R5,
                "%d requests of %s were authorized, of %d"
                    .formatted(grants.size(), key, AuthorizeCaller.LIMIT),
                grants);
          }
        });
  }

  /** The body of an answer that was recorded with its header fields. */
  static Json body(Exchange exchange) {
    return Json.read(exchange.fields().text("body"));
  }
}
