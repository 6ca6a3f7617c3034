package dev.weir.torture.limits;

import dev.weir.torture.capability.Findings;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.history.FaultNote;
import dev.weir.torture.history.Json;
import dev.weir.torture.history.Loss;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks L9: each answer names a mode that its rule allows, closed rules answer 503 and never
 * refuse in place of their store, open ones are not closed, and local ones grant each node's share.
 */
final class ModeCheck {
  private static final int NODES = 3;
  private static final String STORE = "store";

  private final List<Exchange> exchanges;
  private final List<FaultNote> faults;
  private final Findings findings;

  /** Grants of a key by one mode, on one node if the mode belongs to nodes. */
  private record Granted(String subject, String mode, int node) {}

  ModeCheck(List<Exchange> exchanges, List<FaultNote> faults, Findings findings) {
    this.exchanges = exchanges;
    this.faults = faults;
    this.findings = findings;
  }

  void check() {
    Map<Granted, List<Exchange>> grants = new LinkedHashMap<>();
    for (Exchange exchange : exchanges) {
      boolean isLenient = exchange.kind().equals(LimitLoad.LENIENT);
      boolean isOfRule =
          exchange.kind().equals(LimitLoad.CHECK)
              && !exchange.subject().equals(LimitLoad.BUCKET_RESOURCE);
      if (!isLenient && !isOfRule) {
        continue;
      }
      findings.looked(Promise.L9, 1);
      LimitRule rule = LimitRule.valueOf(exchange.subject().replaceFirst("/.*", ""));
      if (exchange.status() == 503) {
        closed(rule, exchange);
      } else if (exchange.status() == 200 || exchange.status() == 429) {
        String mode = exchange.fields().find("mode").orElse("none");
        if (!modes(rule).contains(mode) || (mode.equals("open") && exchange.status() == 429)) {
          findings.broken(
              Promise.L9,
              "a rule that is %s was decided in the mode %s".formatted(behaviour(rule), mode),
              List.of(exchange));
        }
        if (isLenient && exchange.isDone()) {
          int node = mode.equals(STORE) ? 0 : exchange.node();
          grants
              .computeIfAbsent(
                  new Granted(exchange.subject(), mode, node), any -> new ArrayList<>())
              .add(exchange);
        }
      }
    }
    grants.forEach(this::granted);
  }

  private static String behaviour(LimitRule rule) {
    return switch (rule) {
      case FALLBACK -> "fallback";
      case LOCAL -> "local";
      case OPEN -> "open";
      case FIXED,
          SLIDING,
          BUCKET,
          FIRST,
          SECOND,
          ONCE,
          CHANGING,
          SOLE,
          REFUNDED,
          PEEKED,
          EARLY,
          LEASED ->
          "closed";
    };
  }

  private static Set<String> modes(LimitRule rule) {
    String behaviour = behaviour(rule);
    return behaviour.equals("closed") ? Set.of(STORE) : Set.of(STORE, behaviour);
  }

  /** A 503 because the store does not answer. */
  private void closed(LimitRule rule, Exchange exchange) {
    boolean isOfStore = exchange.answer().contains(":store-unavailable\"");
    boolean isCertain = exchange.outcome() == Exchange.Outcome.NONE;
    boolean isClosed = rule == LimitRule.OPEN || (rule == LimitRule.LOCAL && isCertain);
    if (isOfStore && isClosed) {
      findings.broken(
          Promise.L9, "a rule that is %s was closed".formatted(behaviour(rule)), List.of(exchange));
    }
    if (isOfStore
        && isCertain
        && !Json.read(exchange.answer()).find("mode").orElse("none").equals("closed")) {
      findings.broken(
          Promise.L9, "a rule was closed, and the answer does not say so", List.of(exchange));
    }
  }

  private void granted(Granted by, List<Exchange> grants) {
    LimitRule rule = LimitRule.valueOf(by.subject().replaceFirst("/.*", ""));
    if (by.mode().equals("open")) {
      return;
    }
    boolean isStore = by.mode().equals(STORE);
    long lives = 1 + (isStore ? losses() : starts(by.node()));
    long max = lives * (isStore ? rule.limit() : rule.limit() / NODES);
    long granted = Usage.cost(grants);
    if (granted > max) {
      findings.broken(
          isStore ? Promise.L1 : Promise.L9,
          "%s was granted %d in the mode %s, by %s, and at most %d are allowed"
              .formatted(
                  by.subject(),
                  granted,
                  by.mode(),
                  isStore ? "the store" : "node " + by.node(),
                  max),
          grants);
    }
  }

  /** After a loss, rules that are not closed grant a whole limit again. */
  private long losses() {
    return faults.stream().filter(fault -> fault.loss() != Loss.NONE).count();
  }

  /** How often a node has forgotten its share; a fault that is not known counts as a start. */
  private long starts(int node) {
    return faults.stream()
        .map(FaultNote::name)
        .filter(name -> name.contains("node " + node))
        .filter(
            name ->
                !name.contains(", ") && !name.startsWith("SIGSTOP") && !name.startsWith("clock"))
        .count();
  }
}
