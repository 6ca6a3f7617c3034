package dev.weir.torture.limits;

import dev.weir.torture.capability.Findings;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.history.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Checks that leases that are held for certain never have more places than there are. */
final class LeaseCheck {
  private final List<Exchange> exchanges;
  private final Predicate<Exchange> mayBeForgotten;
  private final Findings findings;

  /** A lease, from the answer until it was given back or ended. */
  private record Held(Exchange taken, long places, long fromNanos, long untilNanos) {}

  LeaseCheck(List<Exchange> exchanges, Predicate<Exchange> mayBeForgotten, Findings findings) {
    this.exchanges = exchanges;
    this.mayBeForgotten = mayBeForgotten;
    this.findings = findings;
  }

  void check() {
    Map<String, List<Held>> byResource = new HashMap<>();
    for (Held held : held()) {
      byResource.computeIfAbsent(held.taken().subject(), any -> new ArrayList<>()).add(held);
    }
    byResource.values().forEach(this::check);
  }

  private void check(List<Held> all) {
    for (Held begin : all) {
      findings.looked(Promise.L1, 1);
      // The number of places is greatest where one is taken.
      List<Held> together =
          all.stream()
              .filter(
                  other ->
                      other.fromNanos() - begin.fromNanos() <= 0
                          && other.untilNanos() - begin.fromNanos() > 0)
              .toList();
      long places = together.stream().mapToLong(Held::places).sum();
      if (places > LeaseCaller.MAX_CONCURRENT) {
        findings.broken(
            Promise.L1,
            "leases of %d places are held at the same time, of %d"
                .formatted(places, LeaseCaller.MAX_CONCURRENT),
            together.stream().map(Held::taken).toList());
      }
    }
  }

  private List<Held> held() {
    Map<String, List<Exchange>> later = new HashMap<>();
    for (Exchange exchange : exchanges) {
      if (exchange.kind().equals(LeaseCaller.RENEW)
          || exchange.kind().equals(LeaseCaller.RELEASE)) {
        later.computeIfAbsent(exchange.subject(), any -> new ArrayList<>()).add(exchange);
      }
    }
    return exchanges.stream()
        .filter(exchange -> exchange.kind().equals(LeaseCaller.LEASE) && exchange.isDone())
        .filter(exchange -> !mayBeForgotten.test(exchange))
        .map(taken -> held(taken, later.getOrDefault(taken.fields().text("leaseId"), List.of())))
        .filter(held -> held.untilNanos() - held.fromNanos() > 0)
        .toList();
  }

  private Held held(Exchange taken, List<Exchange> later) {
    long untilNanos = endNanos(taken);
    for (Exchange exchange : later) {
      if (exchange.kind().equals(LeaseCaller.RELEASE)) {
        untilNanos = Math.min(untilNanos, exchange.beginNanos());
      } else if (exchange.isDone() && !mayBeForgotten.test(exchange)) {
        untilNanos = Math.max(untilNanos, endNanos(exchange));
      }
    }
    Json request = Json.read(taken.request());
    long places = Long.parseLong(request.find("count").or(() -> request.find("cost")).orElse("1"));
    return new Held(taken, places, taken.endNanos(), untilNanos);
  }

  /** When a lease ends by the time of its answer, on the clock of the caller. */
  private static long endNanos(Exchange exchange) {
    Instant expiresAt = Instant.parse(exchange.fields().text("expiresAt"));
    return exchange.beginNanos() + Duration.between(exchange.beganAt(), expiresAt).toNanos();
  }
}
