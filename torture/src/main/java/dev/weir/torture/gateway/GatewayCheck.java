package dev.weir.torture.gateway;

import dev.weir.torture.capability.Check;
import dev.weir.torture.capability.Findings;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.capability.Round;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.history.Json;
import dev.weir.torture.history.Loss;
import dev.weir.torture.stage.Upstream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Checks G1 to G5 by comparing what clients saw with what arrived at the upstream. */
final class GatewayCheck implements Check {
  private final Round round;
  private final Map<String, List<Exchange>> arrivals = new HashMap<>();

  GatewayCheck(Round round) {
    this.round = round;
  }

  /** A request with all that is known of it. */
  private record Forwarded(Exchange exchange, Json request, List<Exchange> arrivals) {
    String id() {
      return request.text("id");
    }

    List<Exchange> witness() {
      List<Exchange> witness = new ArrayList<>(List.of(exchange));
      witness.addAll(arrivals);
      return witness;
    }

    Upstream.Behaviour behaviour() {
      return Upstream.Behaviour.valueOf(request.text("behaviour"));
    }

    /** The answer is the upstream's. */
    boolean isOfUpstream() {
      return exchange.status() != 0 && !exchange.fields().text("id").isEmpty();
    }

    /** The gateway's own problem, or nothing. */
    String problem() {
      return exchange.status() == 0 ? "" : exchange.fields().text("problem");
    }

    /** It may be sent again, because it has no body and changes nothing. */
    boolean isRepeatable() {
      return request.text("method").equals("GET");
    }
  }

  @Override
  public void check(Findings findings) {
    List<Exchange> exchanges = round.history().exchanges();
    for (Exchange exchange : exchanges) {
      if (exchange.kind().equals(Upstream.ARRIVAL)) {
        arrivals.computeIfAbsent(exchange.subject(), any -> new ArrayList<>()).add(exchange);
      }
    }
    Map<String, List<Forwarded>> bySubject = new LinkedHashMap<>();
    for (Exchange exchange : exchanges) {
      if (exchange.kind().equals(GatewayLoad.FORWARD)) {
        Json request = Json.read(exchange.request());
        Forwarded forwarded =
            new Forwarded(exchange, request, arrivals.getOrDefault(request.text("id"), List.of()));
        bySubject.computeIfAbsent(exchange.subject(), any -> new ArrayList<>()).add(forwarded);
        answer(forwarded, findings);
        arrived(forwarded, findings);
        own(forwarded, findings);
      }
    }
    // What is forgotten may be granted again. A loss that is noticed for certain excuses no grant.
    boolean isForgotten =
        round.history().faults().stream()
            .anyMatch(fault -> fault.loss() != Loss.NONE && fault.loss() != Loss.NOTICED);
    if (isForgotten) {
      bySubject.clear();
    }
    bySubject.forEach(
        (subject, all) -> {
          switch (GatewayRule.valueOf(subject.replaceFirst("/.*", ""))) {
            case WINDOW -> limit(subject, all, GatewayRule.WINDOW.limit(), findings);
            case FALLBACK -> limit(subject, all, fallback(), findings);
            case PLACES -> places(all, findings);
            case FREE -> {}
          }
        });
    Map<String, Exchange> left = new LinkedHashMap<>();
    for (Exchange exchange : exchanges) {
      if (exchange.kind().equals(GatewayLoad.PLACES_LEFT)) {
        left.put(exchange.subject(), exchange);
      }
    }
    left.values().forEach(last -> free(last, findings));
  }

  /** Each of the two stores may grant the limit. */
  private long fallback() {
    return (round.stage().countsInRedis() ? 2L : 1L) * GatewayRule.FALLBACK.limit();
  }

  private static void limit(String subject, List<Forwarded> all, long limit, Findings findings) {
    findings.looked(Promise.G1, 1);
    List<Exchange> arrived =
        all.stream()
            .filter(each -> !each.arrivals().isEmpty())
            .map(each -> each.arrivals().getFirst())
            .toList();
    if (arrived.size() > limit) {
      findings.broken(
          Promise.G1,
          "%d requests of %s have arrived, of %d".formatted(arrived.size(), subject, limit),
          arrived);
    }
  }

  private static void answer(Forwarded forwarded, Findings findings) {
    Exchange exchange = forwarded.exchange();
    if (exchange.status() == 0) {
      return;
    }
    findings.looked(Promise.G2, 1);
    Json answer = exchange.fields();
    if (!forwarded.isOfUpstream()) {
      if (!forwarded.problem().contains("urn:weir:problem:")
          && !forwarded.problem().contains("#quota-exceeded")
          && answer.isTrue("whole")) {
        findings.broken(
            Promise.G2, "an answer is neither of the upstream nor a problem", forwarded.witness());
      }
    } else if (!answer.text("id").equals(forwarded.id())) {
      findings.broken(
          Promise.G2,
          "the answer to %s was given to %s".formatted(answer.text("id"), forwarded.id()),
          forwarded.witness());
    } else if (answer.isTrue("whole") && !answer.isTrue("matches")) {
      findings.broken(
          Promise.G2,
          "an answer of %s ends well, and %s bytes of it are not those of the upstream"
              .formatted(forwarded.id(), answer.text("length")),
          forwarded.witness());
    }
  }

  private static void arrived(Forwarded forwarded, Findings findings) {
    findings.looked(Promise.G3, 1);
    long max = forwarded.isRepeatable() ? 2 : 1;
    if (forwarded.arrivals().size() > max) {
      findings.broken(
          Promise.G3,
          "%s has arrived %d times".formatted(forwarded.id(), forwarded.arrivals().size()),
          forwarded.witness());
    }
    for (Exchange arrival : forwarded.arrivals()) {
      Json seen = Json.read(arrival.request());
      boolean isOwn =
          !forwarded.request().isTrue("cut")
              && seen.text("hash").equals(forwarded.request().text("hash"));
      if (seen.isTrue("whole") && !isOwn) {
        findings.broken(
            Promise.G3,
            "%s has arrived with another body, of %s bytes"
                .formatted(forwarded.id(), seen.text("length")),
            forwarded.witness());
      }
    }
  }

  /** What the gateway answers by itself. */
  private void own(Forwarded forwarded, Findings findings) {
    if (forwarded.exchange().status() == 0 || forwarded.isOfUpstream()) {
      return;
    }
    findings.looked(Promise.G4, 1);
    int status = forwarded.exchange().status();
    String problem = forwarded.problem();
    boolean isNotForwarded =
        status == 429
            || status == 503
            || status == 404
            || (problem.contains(":upstream-unreachable") && !forwarded.isRepeatable());
    if (isNotForwarded && !forwarded.arrivals().isEmpty()) {
      findings.broken(
          Promise.G4,
          "%s was answered with %d, and has arrived".formatted(forwarded.id(), status),
          forwarded.witness());
    }
    boolean isKnown = isNotForwarded || status == 408 || status == 502 || status == 504;
    if (!isKnown && forwarded.exchange().fields().isTrue("whole")) {
      findings.broken(
          Promise.G4,
          "%s was answered with %d".formatted(forwarded.id(), status),
          forwarded.witness());
    }
    long tookNanos = forwarded.exchange().endNanos() - forwarded.exchange().beginNanos();
    if (status == 504 && tookNanos < Duration.ofMillis(1_900).toNanos()) {
      findings.broken(
          Promise.G4,
          "%s was answered with 504 before its time was over".formatted(forwarded.id()),
          forwarded.witness());
    }
    if (status == 502 && isUpstreamWell(forwarded)) {
      findings.broken(
          Promise.G4,
          "%s was answered with 502, and nothing was wrong with the upstream"
              .formatted(forwarded.id()),
          forwarded.witness());
    }
  }

  /** The upstream answers as it should, and nothing else was wrong for some seconds. */
  private boolean isUpstreamWell(Forwarded forwarded) {
    boolean isGood =
        switch (forwarded.behaviour()) {
          case PLAIN, CHUNKED, LATE -> true;
          case BROKEN, BROKEN_CHUNKS, CLOSE, NEVER -> false;
        };
    long sinceNanos = forwarded.exchange().beginNanos() - Duration.ofSeconds(5).toNanos();
    return isGood
        && round.history().faults().stream()
            .noneMatch(
                fault ->
                    fault.endNanos() - sinceNanos > 0
                        && fault.beginNanos() - forwarded.exchange().endNanos() < 0);
  }

  /** Requests that are answered whole hold their places until the upstream begins to answer. */
  private static void places(List<Forwarded> all, Findings findings) {
    List<Exchange> held = new ArrayList<>();
    Map<Exchange, Long> untilNanos = new HashMap<>();
    for (Forwarded forwarded : all) {
      if (forwarded.isOfUpstream()
          && forwarded.exchange().fields().isTrue("whole")
          && forwarded.arrivals().size() == 1) {
        Exchange arrival = forwarded.arrivals().getFirst();
        // Even if the node stands still, its lease lasts that long.
        long leaseNanos =
            forwarded.exchange().beginNanos()
                + Duration.ofSeconds(GatewayRule.LEASE_SECONDS).toNanos();
        held.add(arrival);
        untilNanos.put(arrival, Math.min(arrival.endNanos(), leaseNanos));
      }
    }
    for (Exchange begin : held) {
      findings.looked(Promise.G5, 1);
      List<Exchange> together =
          held.stream()
              .filter(
                  other ->
                      other.beginNanos() - begin.beginNanos() <= 0
                          && untilNanos.getOrDefault(other, 0L) - begin.beginNanos() > 0)
              .toList();
      if (together.size() > GatewayRule.PLACES.limit()) {
        findings.broken(
            Promise.G5,
            "the upstream is at %d requests of a key at the same time, of %d"
                .formatted(together.size(), GatewayRule.PLACES.limit()),
            together);
      }
    }
  }

  private static void free(Exchange last, Findings findings) {
    findings.looked(Promise.G5, 1);
    if (last.isDone() && !GatewayLoad.isFree(last)) {
      findings.broken(
          Promise.G5,
          "places of %s are held although no request is in progress".formatted(last.subject()),
          List.of(last));
    }
  }
}
