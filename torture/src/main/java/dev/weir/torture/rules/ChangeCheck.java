package dev.weir.torture.rules;

import dev.weir.torture.capability.Findings;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.history.Json;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Checks R3 and R4. */
final class ChangeCheck {
  private final List<Exchange> exchanges;
  private final Findings findings;

  /** The versions of a rule by their limits, as far as they are known. */
  private final Map<Long, Long> versions = new HashMap<>(Map.of(ChangeCaller.FIRST_LIMIT, 1L));

  ChangeCheck(List<Exchange> exchanges, Findings findings) {
    this.exchanges = exchanges;
    this.findings = findings;
  }

  void check() {
    for (Exchange change : of(ChangeCaller.CHANGE)) {
      if (change.isDone()) {
        versions.put(limitOf(change), change.fields().number("version"));
      }
    }
    List<Exchange> known = new ArrayList<>(of(ChangeCaller.CHANGE));
    known.addAll(of(ChangeCaller.VERSION));
    for (Exchange look : of(ChangeCaller.VERSION)) {
      version(look).ifPresent(version -> notOlder(look, version, known));
    }
    everywhere();
    temporary();
    counter();
  }

  private List<Exchange> of(String kind) {
    return exchanges.stream().filter(exchange -> exchange.kind().equals(kind)).toList();
  }

  private static long limitOf(Exchange change) {
    return Json.read(change.request()).number("allowedRequests");
  }

  /** The version by which a check was decided, or that a change has made. */
  private Optional<Long> version(Exchange exchange) {
    if (exchange.kind().equals(ChangeCaller.CHANGE)) {
      return exchange.isDone()
          ? Optional.of(exchange.fields().number("version"))
          : Optional.empty();
    }
    return exchange.status() == 0
        ? Optional.empty()
        : exchange
            .fields()
            .find("X-RateLimit-Limit")
            .flatMap(limit -> Optional.ofNullable(versions.get(Long.parseLong(limit))));
  }

  /** What a node has said to be in force is not replaced by an earlier version there. */
  private void notOlder(Exchange look, long version, List<Exchange> known) {
    findings.looked(Promise.R3, 1);
    for (Exchange before : known) {
      if (before.node() == look.node() && before.precedes(look)) {
        Optional<Long> seen = version(before);
        if (seen.isPresent() && seen.get() > version) {
          findings.broken(
              Promise.R3,
              "node %d decided by version %d of a rule, after version %d was in force on it"
                  .formatted(look.node(), version, seen.get()),
              List.of(before, look));
          return;
        }
      }
    }
  }

  /** After everything was mended, and some minutes. */
  private void everywhere() {
    List<Exchange> changes = of(ChangeCaller.CHANGE).stream().filter(Exchange::isDone).toList();
    if (changes.isEmpty()) {
      return;
    }
    Exchange last = changes.getLast();
    Map<Integer, Exchange> looks = new HashMap<>();
    for (Exchange look : of(ChangeCaller.VERSION)) {
      if (last.precedes(look)) {
        looks.put(look.node(), look);
      }
    }
    for (Exchange look : looks.values()) {
      findings.looked(Promise.R3, 1);
      Optional<Long> version = version(look);
      if (version.isPresent() && version.get() < last.fields().number("version")) {
        findings.broken(
            Promise.R3,
            "node %d still decides by version %d".formatted(look.node(), version.get()),
            List.of(last, look));
      }
    }
  }

  private void temporary() {
    for (Exchange exchange : exchanges) {
      boolean isPresent = exchange.kind().equals(ChangeCaller.PRESENT);
      boolean isAbsent = exchange.kind().equals(ChangeCaller.ABSENT);
      if (isPresent || isAbsent) {
        findings.looked(Promise.R3, 1);
        boolean isKnown = exchange.status() == 200 || exchange.status() == 429;
        if (isPresent ? exchange.status() == 404 : isKnown) {
          List<Exchange> witness =
              exchanges.stream()
                  .filter(other -> other.subject().equals(exchange.subject()))
                  .filter(other -> other.precedes(exchange) || other.equals(exchange))
                  .toList();
          findings.broken(
              Promise.R3,
              "a rule that was %s by node %d is %s on it"
                  .formatted(
                      isPresent ? "created" : "removed",
                      exchange.node(),
                      isPresent ? "not known" : "still in force"),
              witness);
        }
      }
    }
  }

  /** Each change that was answered has added one. */
  private void counter() {
    Map<String, Exchange> byTag = new HashMap<>();
    long unknown = 0;
    for (Exchange add : of(ChangeCaller.ADD)) {
      findings.looked(Promise.R4, 1);
      unknown += add.isUnknown() ? 1 : 0;
      if (add.isDone()) {
        Exchange other = byTag.put(Json.read(add.request()).text("tag"), add);
        if (other != null) {
          findings.broken(
              Promise.R4, "one version of a rule was changed twice", List.of(other, add));
        }
      }
    }
    List<Exchange> reads = of(ChangeCaller.READ).stream().filter(Exchange::isDone).toList();
    if (reads.isEmpty()) {
      return;
    }
    long done = of(ChangeCaller.ADD).stream().filter(Exchange::isDone).count();
    boolean isAfterAll =
        of(ChangeCaller.ADD).stream().allMatch(add -> add.precedes(reads.getLast()));
    long added = ChangeCaller.read(reads.getLast()) - ChangeCaller.FIRST_LIMIT;
    if (isAfterAll && (added < done || added > done + unknown)) {
      findings.broken(
          Promise.R4,
          "one was added %d times, and %d times without an answer; the sum is %d"
              .formatted(done, unknown, added),
          List.of(reads.getLast()));
    }
  }
}
