package dev.weir.torture.slots;

import dev.weir.torture.capability.Findings;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.history.Exchange.Outcome;
import dev.weir.torture.history.Json;
import dev.weir.torture.slots.SlotFacts.Event;
import dev.weir.torture.slots.SlotFacts.Given;
import dev.weir.torture.slots.SlotFacts.Stored;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/** Checks what each event was answered: the times (S2), one slot (S3), and what is stored (S6). */
final class AnswerCheck {
  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

  /** How exact the estimate of the database's clock is. */
  private static final long CLOCK_MICROS = 50_000;

  private static final int CONFIRMED = 1;
  private static final int CANCELLED = 2;

  private final String round;
  private final Findings findings;

  AnswerCheck(String round, Findings findings) {
    this.round = round;
    this.findings = findings;
  }

  void check(Event event) {
    if (event.asks.isEmpty()) {
      findings.broken(Promise.S6, event.id + " has a slot and was never requested", List.of());
      return;
    }
    event.given.forEach(given -> times(event, given));
    oneSlot(event);
    stored(event);
  }

  private void times(Event event, Given given) {
    findings.looked(Promise.S2, 1);
    Json request = Json.read(given.exchange().request());
    long scheduled = given.scheduledMicros();
    Optional<String> time = request.find("requestedTime");
    if (time.isPresent() && scheduled < request.micros("requestedTime")) {
      early(event, given, "before " + time.get());
    }
    if (event.config().equals(SlotConfig.HOURS.name(round)) && !isOpen(scheduled)) {
      early(event, given, "in closed time");
    }
    if (event.config().equals(SlotConfig.NOW.name(round))) {
      Exchange first =
          event.asks.stream()
              .min((a, b) -> Long.compare(a.beginNanos(), b.beginNanos()))
              .orElseThrow();
      long nowMicros = ChronoUnit.MICROS.between(Instant.EPOCH, first.beganAt());
      if (scheduled < nowMicros - CLOCK_MICROS) {
        early(event, given, "before it was requested, at " + first.beganAt());
      }
    }
  }

  private void early(Event event, Given given, String why) {
    findings.broken(
        Promise.S2,
        "%s was given %s, %s"
            .formatted(event.id, WindowCheck.instant(given.scheduledMicros()), why),
        List.of(given.exchange()));
  }

  private static boolean isOpen(long micros) {
    ZonedDateTime time = WindowCheck.instant(micros).atZone(BERLIN);
    LocalTime clock = time.toLocalTime();
    return time.getDayOfWeek() == DayOfWeek.MONDAY
        && (isBetween(clock, LocalTime.of(9, 0), LocalTime.of(10, 0))
            || isBetween(clock, LocalTime.of(11, 10), LocalTime.of(11, 11)));
  }

  private static boolean isBetween(LocalTime time, LocalTime from, LocalTime until) {
    return !time.isBefore(from) && time.isBefore(until);
  }

  private void oneSlot(Event event) {
    findings.looked(Promise.S3, event.given.size());
    for (int i = 0; i < event.given.size(); i++) {
      for (int j = i + 1; j < event.given.size(); j++) {
        Given one = event.given.get(i);
        Given other = event.given.get(j);
        boolean differ = one.scheduledMicros() != other.scheduledMicros();
        boolean bothNew = !one.isReplay() && !other.isReplay();
        if ((differ || bothNew) && !isCancelledBetween(event, one.exchange(), other.exchange())) {
          findings.broken(
              Promise.S3,
              differ
                  ? "%s was given %s and %s, and was not cancelled in between"
                      .formatted(
                          event.id,
                          WindowCheck.instant(one.scheduledMicros()),
                          WindowCheck.instant(other.scheduledMicros()))
                  : event.id + " was given a new slot twice",
              List.of(one.exchange(), other.exchange()));
          return;
        }
      }
    }
  }

  /** Whether a cancellation may have taken effect between two answers. */
  private static boolean isCancelledBetween(Event event, Exchange one, Exchange other) {
    long begin = Math.min(one.beginNanos(), other.beginNanos());
    long end = Math.max(one.endNanos(), other.endNanos());
    return event.cancels.stream()
        .filter(cancel -> cancel.outcome() != Outcome.NONE)
        .anyMatch(
            cancel ->
                cancel.beginNanos() - end < 0
                    && (cancel.isUnknown() || cancel.endNanos() - begin > 0));
  }

  private void stored(Event event) {
    findings.looked(Promise.S6, 1);
    boolean mayBeCancelled = !event.cancels.isEmpty();
    Optional<Stored> stored = event.stored();
    if (!event.given.isEmpty() && stored.isEmpty()) {
      broken(event, "was given a slot and has none", event.witness());
    } else if (!mayBeCancelled && stored.isPresent()) {
      event.given.stream()
          .filter(given -> given.scheduledMicros() != stored.get().scheduledMicros())
          .findFirst()
          .ifPresent(
              given ->
                  broken(
                      event,
                      "was given %s and is stored at %s"
                          .formatted(
                              WindowCheck.instant(given.scheduledMicros()),
                              WindowCheck.instant(stored.get().scheduledMicros())),
                      given.exchange()));
    }
    boolean neverDone =
        event.asks.stream()
            .allMatch(ask -> ask.outcome() == Outcome.NONE || ask.outcome() == Outcome.REFUSED);
    if (neverDone && stored.isPresent()) {
      broken(event, "has a slot, although each request failed with outcome none", event.witness());
    }
    ended(event);
  }

  private void ended(Event event) {
    int state = event.stored().map(Stored::state).orElse(-1);
    event.confirms.stream()
        .filter(Exchange::isDone)
        .filter(confirm -> state != CONFIRMED)
        .forEach(confirm -> broken(event, "was confirmed and is not stored so", confirm));
    boolean isAskedAgain =
        event.cancels.stream()
            .anyMatch(
                cancel ->
                    event.asks.stream().anyMatch(ask -> !ask.precedes(cancel) || ask.isUnknown()));
    if (!isAskedAgain) {
      event.cancels.stream()
          .filter(Exchange::isDone)
          .filter(cancel -> state != CANCELLED)
          .forEach(cancel -> broken(event, "was cancelled and is not stored so", cancel));
    }
  }

  private void broken(Event event, String what, Exchange witness) {
    findings.broken(Promise.S6, event.id + " " + what, List.of(witness));
  }
}
