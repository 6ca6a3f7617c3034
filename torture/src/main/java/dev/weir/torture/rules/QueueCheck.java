package dev.weir.torture.rules;

import dev.weir.torture.capability.Findings;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.history.Exchange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks R1 and R2. A place is taken after the request was sent, and its answer is sent when its
 * wait is over: so it is held for certain from the end of the exchange less the wait, until its
 * begin and the wait.
 */
final class QueueCheck {
  /** Clocks and rounding are not more exact. */
  private static final Duration TOLERANCE = Duration.ofMillis(10);

  private static final long MILLI_NANOS = 1_000_000;

  private final List<Exchange> exchanges;
  private final boolean isNothingLost;
  private final Findings findings;

  /** A request that has waited. */
  private record Place(Exchange exchange, long delayMillis) {
    private long delayNanos() {
      return delayMillis * MILLI_NANOS;
    }

    long position() {
      return delayMillis / QueueCaller.DELAY_MILLIS;
    }

    /** When it was taken at the latest. */
    long takenNanos() {
      return exchange.endNanos() - delayNanos() + TOLERANCE.toNanos();
    }

    /** Until when it was held at least. */
    long heldNanos() {
      return exchange.beginNanos() + delayNanos() - TOLERANCE.toNanos();
    }

    /** Returns true if it was held from the earliest to the latest time of something. */
    boolean isHeldFrom(long fromNanos, long untilNanos) {
      return takenNanos() - fromNanos <= 0 && heldNanos() - untilNanos >= 0;
    }
  }

  QueueCheck(List<Exchange> exchanges, boolean isNothingLost, Findings findings) {
    this.exchanges = exchanges;
    this.isNothingLost = isNothingLost;
    this.findings = findings;
  }

  void check() {
    Map<String, List<Exchange>> byKey = new LinkedHashMap<>();
    Map<String, Exchange> left = new LinkedHashMap<>();
    for (Exchange exchange : exchanges) {
      if (exchange.kind().equals(QueueCaller.QUEUE)) {
        byKey.computeIfAbsent(exchange.subject(), any -> new ArrayList<>()).add(exchange);
      } else if (exchange.kind().equals(QueueCaller.LEFT)) {
        left.put(exchange.subject(), exchange);
      }
    }
    byKey.forEach(
        (key, asked) -> {
          List<Exchange> passed =
              asked.stream().filter(each -> each.isDone() && !isQueued(each)).toList();
          passed(key, passed);
          Exchange peek = left.get(key);
          if (peek != null && isNothingLost) {
            used(key, asked, passed.size(), peek);
          }
          places(key, asked);
        });
  }

  private static boolean isQueued(Exchange exchange) {
    return RuleCheck.body(exchange).isTrue("queued");
  }

  /** Those that did not wait. */
  private void passed(String key, List<Exchange> passed) {
    findings.looked(Promise.R1, 1);
    if (passed.size() > QueueCaller.LIMIT) {
      findings.broken(
          Promise.R1,
          "%d of %s passed without waiting, of %d".formatted(passed.size(), key, QueueCaller.LIMIT),
          passed);
    }
  }

  /** Those that waited took nothing from the limit. */
  private void used(String key, List<Exchange> asked, long passed, Exchange peek) {
    long unknown = asked.stream().filter(Exchange::isUnknown).count();
    long used = QueueCaller.LIMIT - RuleCheck.body(peek).number("remaining");
    if (used < passed || used > passed + unknown) {
      List<Exchange> witness = new ArrayList<>(asked);
      witness.add(peek);
      findings.broken(
          Promise.R1,
          "%d of %s count as used; %d passed, and %d had no answer"
              .formatted(used, key, passed, unknown),
          witness);
    }
  }

  private void places(String key, List<Exchange> asked) {
    List<Place> places = new ArrayList<>();
    for (Exchange exchange : asked) {
      if (exchange.isDone() && isQueued(exchange)) {
        waited(exchange);
        places.add(new Place(exchange, RuleCheck.body(exchange).number("delayMs")));
      }
    }
    for (Place place : places) {
      List<Exchange> held =
          places.stream()
              .filter(other -> other.isHeldFrom(place.takenNanos(), place.takenNanos()))
              .map(Place::exchange)
              .toList();
      if (held.size() > QueueCaller.PLACES) {
        findings.broken(
            Promise.R1,
            "%d requests of %s wait at the same time, and the queue has %d places"
                .formatted(held.size(), key, QueueCaller.PLACES),
            held);
      }
      position(place, places, asked);
    }
  }

  /** The answer comes after the wait that it names. */
  private void waited(Exchange exchange) {
    findings.looked(Promise.R2, 1);
    long delayMillis = RuleCheck.body(exchange).number("delayMs");
    long tookNanos = exchange.endNanos() - exchange.beginNanos() + TOLERANCE.toNanos();
    boolean isTold =
        exchange.fields().find("X-RateLimit-Queued").orElse("").equals("true")
            && exchange
                .fields()
                .find("X-RateLimit-Delay-Ms")
                .orElse("")
                .equals(Long.toString(delayMillis));
    boolean isOfPosition =
        delayMillis % QueueCaller.DELAY_MILLIS == 0
            && delayMillis >= QueueCaller.DELAY_MILLIS
            && delayMillis <= (long) QueueCaller.PLACES * QueueCaller.DELAY_MILLIS;
    if (tookNanos < delayMillis * MILLI_NANOS || !isTold || !isOfPosition) {
      findings.broken(
          Promise.R2,
          "a request was told to have waited %d ms, and waited %d ms, of %d for each position"
              .formatted(delayMillis, tookNanos / MILLI_NANOS, QueueCaller.DELAY_MILLIS),
          List.of(exchange));
    }
  }

  /** The position counts all places that were held, and no more than may have been. */
  private void position(Place place, List<Place> places, List<Exchange> asked) {
    Exchange exchange = place.exchange();
    List<Exchange> held =
        places.stream()
            .filter(other -> !other.equals(place))
            .filter(other -> other.isHeldFrom(exchange.beginNanos(), place.takenNanos()))
            .map(Place::exchange)
            .toList();
    long possible =
        asked.stream()
            .filter(other -> !other.equals(exchange))
            .filter(
                other ->
                    mayHaveHeld(other, exchange, place)
                        || mayHaveLeftItsPlace(other, exchange, place, asked))
            .count();
    if (place.position() <= held.size() || place.position() > possible + 1) {
      List<Exchange> witness = new ArrayList<>(held);
      witness.add(exchange);
      findings.broken(
          Promise.R2,
          "a request has position %d, and at least %d and at most %d were waiting"
              .formatted(place.position(), held.size(), possible),
          witness);
    }
  }

  private static boolean mayHaveHeld(Exchange other, Exchange exchange, Place place) {
    boolean isBefore = other.beginNanos() - place.takenNanos() < 0;
    if (other.isUnknown()) {
      return isBefore;
    }
    return isBefore
        && other.isDone()
        && isQueued(other)
        && other.endNanos() - exchange.beginNanos() + TOLERANCE.toNanos() > 0;
  }

  /**
   * Returns true if a request was refused although the queue had room: then the queue did not
   * answer, and may hold a place for it until the wait is over.
   */
  private static boolean mayHaveLeftItsPlace(
      Exchange other, Exchange exchange, Place place, List<Exchange> asked) {
    long longestWaitNanos = QueueCaller.PLACES * QueueCaller.DELAY_MILLIS * MILLI_NANOS;
    return other.outcome() == Exchange.Outcome.REFUSED
        && other.beginNanos() - place.takenNanos() < 0
        && other.endNanos() + longestWaitNanos + TOLERANCE.toNanos() - exchange.beginNanos() > 0
        && asked.stream()
                .filter(each -> each.isUnknown() || (each.isDone() && isQueued(each)))
                .filter(each -> each.beginNanos() - other.endNanos() < 0)
                .filter(each -> each.endNanos() + longestWaitNanos - other.beginNanos() > 0)
                .count()
            < QueueCaller.PLACES;
  }
}
