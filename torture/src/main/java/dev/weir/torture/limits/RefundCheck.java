package dev.weir.torture.limits;

import dev.weir.torture.capability.Findings;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.history.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks L7, while no store has lost anything: what counts is what was granted and not returned.
 */
final class RefundCheck {
  private final List<Exchange> exchanges;
  private final Findings findings;

  /** A request: all checks and all refunds with its id, or its time if it has none. */
  private record Taken(List<Exchange> checks, List<Exchange> refunds) {
    long cost() {
      return Json.read(checks.getFirst().request()).number("cost");
    }

    private boolean isGranted() {
      return checks.stream().anyMatch(Exchange::isDone);
    }

    /** What counts for certain: a refund that was sent may have been done. */
    long min() {
      return isGranted() && refunds.isEmpty() ? cost() : 0;
    }

    /** What may count: a check that was not answered may have arrived after the refund. */
    long max() {
      boolean mayBeGranted = isGranted() || checks.stream().anyMatch(Exchange::isUnknown);
      boolean isReturned =
          checks.stream().noneMatch(Exchange::isUnknown)
              && refunds.stream().anyMatch(Exchange::isDone);
      return mayBeGranted && !isReturned ? cost() : 0;
    }
  }

  RefundCheck(List<Exchange> exchanges, Findings findings) {
    this.exchanges = exchanges;
    this.findings = findings;
  }

  void check() {
    Map<String, List<Exchange>> bySubject = new LinkedHashMap<>();
    for (Exchange exchange : exchanges) {
      switch (exchange.kind()) {
        case RefundCaller.TAKE, RefundCaller.GIVE, RefundCaller.LEFT ->
            bySubject.computeIfAbsent(exchange.subject(), any -> new ArrayList<>()).add(exchange);
        case RefundCaller.LIE -> lie(exchange);
        case RuleLeaseCaller.AGAIN -> again(exchange);
        default -> {}
      }
    }
    bySubject.forEach(this::key);
  }

  private void key(String subject, List<Exchange> all) {
    Exchange left = all.getLast();
    if (!left.kind().equals(RefundCaller.LEFT)) {
      return;
    }
    findings.looked(Promise.L7, 1);
    List<Taken> taken = taken(all);
    long used = LimitRule.REFUNDED.limit() - left.fields().number("remaining");
    long min = taken.stream().mapToLong(Taken::min).sum();
    long max = taken.stream().mapToLong(Taken::max).sum();
    if (used < min || used > max) {
      findings.broken(
          Promise.L7,
          "%d of %s count as used; what was granted and not given back is at least %d and at most %d"
              .formatted(used, subject, min, max),
          all);
    }
  }

  private static List<Taken> taken(List<Exchange> all) {
    Map<String, Taken> byId = new LinkedHashMap<>();
    for (Exchange exchange : all) {
      if (exchange.kind().equals(RefundCaller.TAKE)) {
        byId.computeIfAbsent(id(exchange), any -> new Taken(new ArrayList<>(), new ArrayList<>()))
            .checks()
            .add(exchange);
      }
    }
    for (Exchange exchange : all) {
      if (exchange.kind().equals(RefundCaller.GIVE)) {
        Taken taken = byId.get(id(exchange));
        if (taken != null) {
          taken.refunds().add(exchange);
        }
      }
    }
    return List.copyOf(byId.values());
  }

  private static String id(Exchange exchange) {
    Json request = Json.read(exchange.request());
    if (request.find("requestId").isPresent()) {
      return request.text("requestId");
    }
    boolean isGrant = exchange.kind().equals(RefundCaller.TAKE) && exchange.isDone();
    return (isGrant ? exchange.fields() : request)
        .find("decidedAt")
        .orElse("#" + exchange.number());
  }

  /** The id of another request is 409, and one that is not known gives nothing back. */
  private void lie(Exchange lie) {
    findings.looked(Promise.L7, 1);
    boolean isUnknownId = Json.read(lie.request()).text("requestId").endsWith("-unknown");
    if (lie.isDone() && !isUnknownId) {
      findings.broken(
          Promise.L7, "a refund of another request with a known id was accepted", List.of(lie));
    }
  }

  /** All places of the key were given back before. */
  private void again(Exchange again) {
    findings.looked(Promise.L7, 1);
    if (again.status() == 429) {
      findings.broken(
          Promise.L7,
          "places of %s were given back and are not free".formatted(again.subject()),
          List.of(again));
    }
  }
}
