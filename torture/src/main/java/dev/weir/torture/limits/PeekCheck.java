package dev.weir.torture.limits;

import dev.weir.torture.capability.Findings;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.history.Exchange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks what callers are told, while no store has lost anything: L8, a peek says what is left, and
 * L2, no shorter time than {@code retryAfter} would be sufficient.
 */
final class PeekCheck {
  /** Clocks and rounding are not more exact. */
  private static final Duration TOLERANCE = Duration.ofMillis(50);

  private final List<Exchange> exchanges;
  private final Findings findings;

  PeekCheck(List<Exchange> exchanges, Findings findings) {
    this.exchanges = exchanges;
    this.findings = findings;
  }

  void check() {
    Map<String, Usage> usages = new HashMap<>();
    Map<String, List<Exchange>> early = new HashMap<>();
    for (Exchange exchange : exchanges) {
      switch (exchange.kind()) {
        case LimitLoad.CHECK ->
            usages.computeIfAbsent(exchange.subject(), any -> new Usage()).add(exchange);
        case LimitLoad.SOON ->
            early.computeIfAbsent(exchange.subject(), any -> new ArrayList<>()).add(exchange);
        default -> {}
      }
    }
    for (Exchange exchange : exchanges) {
      boolean isAnswered = exchange.status() == 200 || exchange.status() == 429;
      if (exchange.kind().equals(LimitLoad.LOOK) && isAnswered) {
        looked(exchange, usages.getOrDefault(exchange.subject(), new Usage()));
      }
    }
    early.values().forEach(this::early);
  }

  private void looked(Exchange look, Usage usage) {
    findings.looked(Promise.L8, 1);
    List<Exchange> before = usage.grants().stream().filter(check -> check.precedes(look)).toList();
    List<Exchange> possible =
        usage.checks().stream()
            .filter(check -> check.isDone() || check.isUnknown())
            .filter(check -> !look.precedes(check))
            .toList();
    long used = LimitRule.PEEKED.limit() - look.fields().number("remaining");
    if (used < Usage.cost(before) || used > Usage.cost(possible)) {
      List<Exchange> witness = new ArrayList<>(possible);
      witness.add(look);
      findings.broken(
          Promise.L8,
          "a peek says that %d of %s are used; it is at least %d and at most %d"
              .formatted(used, look.subject(), Usage.cost(before), Usage.cost(possible)),
          witness);
    }
    boolean isRefusing = look.status() == 429;
    if (isRefusing != (used >= LimitRule.PEEKED.limit())) {
      findings.broken(
          Promise.L8, "a peek decides otherwise than by what it says is left", List.of(look));
    }
  }

  /** Nothing is granted before the time that the only caller was told. */
  private void early(List<Exchange> asked) {
    for (int i = 1; i < asked.size(); i++) {
      Exchange told = asked.get(i - 1);
      Exchange next = asked.get(i);
      if (told.status() == 429 && next.isDone()) {
        findings.looked(Promise.L2, 1);
        double seconds = Double.parseDouble(told.fields().text("retryAfter"));
        long untilNanos = told.beginNanos() + (long) (seconds * 1e9) - TOLERANCE.toNanos();
        if (next.endNanos() - untilNanos < 0) {
          findings.broken(
              Promise.L2,
              "%s was granted before the time that it was told to wait".formatted(told.subject()),
              List.of(told, next));
        }
      } else if (told.status() == 429) {
        findings.looked(Promise.L2, 1);
      }
    }
  }
}
