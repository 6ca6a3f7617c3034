package dev.weir.torture.slots;

import dev.weir.torture.capability.Findings;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.history.Exchange.Outcome;
import dev.weir.torture.history.Json;
import dev.weir.torture.slots.SlotFacts.Change;
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
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Checks what each event was answered: the times (S2), one slot (S3), and what is stored (S6). */
final class AnswerCheck {
  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

  /** How exact the estimate of the database's clock is. */
  private static final long CLOCK_MICROS = 50_000;

  /** Hours of a calendar. */
  private static final Pattern RANGE = Pattern.compile("\"(\\d\\d:\\d\\d)-(\\d\\d:\\d\\d)\"");

  private static final int CONFIRMED = 1;
  private static final int CANCELLED = 2;
  private static final int RECLAIMED = 3;
  private static final int CONFLICT = 409;

  private final String round;
  private final SlotFacts facts;
  private final Findings findings;

  AnswerCheck(String round, SlotFacts facts, Findings findings) {
    this.round = round;
    this.facts = facts;
    this.findings = findings;
  }

  void check(Event event) {
    if (event.asks.isEmpty()) {
      findings.broken(Promise.S6, event.id + " has a slot and was never requested", List.of());
      return;
    }
    event.given.forEach(given -> times(event, given));
    // A restore loses answers, but the times of those were right nevertheless.
    if (event.isForgotten()) {
      return;
    }
    oneSlot(event);
    stored(event);
    if (isReclaimed(event)) {
      event.confirms.forEach(confirm -> refusedConfirmation(event, confirm));
    }
  }

  private boolean isReclaimed(Event event) {
    return Stream.of(SlotConfig.values())
        .anyMatch(config -> config.isReclaimed() && event.config().equals(config.name(round)));
  }

  private void times(Event event, Given given) {
    findings.looked(Promise.S2, 1);
    Json request = Json.read(given.exchange().request());
    long scheduled = given.scheduledMicros();
    Optional<String> time = request.find("requestedTime");
    if (time.isPresent() && scheduled < request.micros("requestedTime")) {
      early(event, given, "before " + time.get());
    }
    if (event.config().equals(SlotConfig.DELAYED.name(round))
        && scheduled > request.micros("requestedTime") + SlotConfig.MAX_DELAY_MICROS) {
      early(event, given, "later than maxDelay allows");
    }
    if (!given.isReplay() && !facts.mayBeForgotten(given.exchange())) {
      facts.change(event.config(), given.version()).ifPresent(change -> open(event, given, change));
      inForce(event, given);
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

  /** Compares a slot with the hours and the pause of the version that it was assigned under. */
  private void open(Event event, Given given, Change change) {
    String times = change.exchange().request();
    long scheduled = given.scheduledMicros();
    if (!isOpen(scheduled, times)) {
      early(event, given, "in closed time");
    }
    Json rules = Json.read(times);
    if (rules.find("pausedUntil").isPresent() && scheduled < rules.micros("pausedUntil")) {
      early(event, given, "before " + rules.text("pausedUntil") + ", the end of a pause");
    }
  }

  /** A change that was answered before a request was sent holds for its slot. */
  private void inForce(Event event, Given given) {
    findings.looked(Promise.S8, 1);
    facts.changes(event.config()).stream()
        .filter(change -> change.exchange().precedes(given.exchange()))
        .filter(change -> change.version() > given.version())
        .findFirst()
        .ifPresent(
            change ->
                findings.broken(
                    Promise.S8,
                    "%s was assigned by version %d of %s, after version %d was in force"
                        .formatted(event.id, given.version(), event.config(), change.version()),
                    List.of(change.exchange(), given.exchange())));
  }

  private static boolean isOpen(long micros, String times) {
    if (!times.contains("\"calendar\"")) {
      return true;
    }
    ZonedDateTime time = WindowCheck.instant(micros).atZone(BERLIN);
    return time.getDayOfWeek() == DayOfWeek.MONDAY
        && RANGE
            .matcher(times)
            .results()
            .anyMatch(
                range ->
                    isBetween(
                        time.toLocalTime(),
                        LocalTime.parse(range.group(1)),
                        LocalTime.parse(range.group(2))));
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
        if ((differ || bothNew)
            && !isCancelledBetween(event, one.exchange(), other.exchange())
            && !isReclaimedBetween(event, one, other)) {
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

  /** Whether one of two slots may have been reclaimed before the other answer was read. */
  private boolean isReclaimedBetween(Event event, Given one, Given other) {
    long endMicros =
        Math.max(
            micros(one.exchange(), one.exchange().endNanos()),
            micros(other.exchange(), other.exchange().endNanos()));
    long leaksAtMicros =
        Math.max(
            Math.min(one.scheduledMicros(), other.scheduledMicros()),
            Math.min(assignedMicros(event, one), assignedMicros(event, other)));
    return isReclaimed(event)
        && endMicros + CLOCK_MICROS >= leaksAtMicros + SlotConfig.GRACE.toNanos() / 1_000;
  }

  /** The earliest time at which a slot may have been assigned. */
  private static long assignedMicros(Event event, Given given) {
    return given.isReplay()
        ? event.asks.stream().mapToLong(ask -> micros(ask, ask.beginNanos())).min().orElseThrow()
        : micros(given.exchange(), given.exchange().beginNanos());
  }

  private static long micros(Exchange exchange, long nanos) {
    return ChronoUnit.MICROS.between(
        Instant.EPOCH, exchange.beganAt().plusNanos(nanos - exchange.beginNanos()));
  }

  /** A slot that has not leaked yet can be confirmed. */
  private void refusedConfirmation(Event event, Exchange confirm) {
    findings.looked(Promise.S7, 1);
    boolean isGiven = event.given.stream().anyMatch(given -> given.exchange().precedes(confirm));
    boolean mayBeCancelled =
        event.cancels.stream().anyMatch(cancel -> cancel.beginNanos() - confirm.endNanos() < 0);
    if (confirm.status() != CONFLICT || !isGiven || mayBeCancelled) {
      return;
    }
    long leaksAtMicros =
        event.given.stream()
            .mapToLong(given -> Math.max(given.scheduledMicros(), assignedMicros(event, given)))
            .min()
            .orElseThrow();
    long endMicros = micros(confirm, confirm.endNanos()) + CLOCK_MICROS;
    if (endMicros < leaksAtMicros + SlotConfig.GRACE.toNanos() / 1_000) {
      findings.broken(
          Promise.S7,
          event.id + " had not leaked, and could not be confirmed",
          List.of(event.witness(), confirm));
    }
  }

  private void stored(Event event) {
    findings.looked(Promise.S6, 1);
    boolean mayBeCancelled = !event.cancels.isEmpty() || isReclaimed(event);
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
        .forEach(
            confirm ->
                findings.broken(
                    state == RECLAIMED ? Promise.S7 : Promise.S6,
                    event.id + " was confirmed and is not stored so",
                    List.of(confirm)));
    boolean isAskedAgain =
        event.cancels.stream()
            .anyMatch(
                cancel ->
                    event.asks.stream().anyMatch(ask -> !ask.precedes(cancel) || ask.isUnknown()));
    if (!isAskedAgain) {
      event.cancels.stream()
          .filter(Exchange::isDone)
          // One that was reclaimed before stays so.
          .filter(cancel -> state != CANCELLED && !(isReclaimed(event) && state == RECLAIMED))
          .forEach(cancel -> broken(event, "was cancelled and is not stored so", cancel));
    }
  }

  private void broken(Event event, String what, Exchange witness) {
    findings.broken(Promise.S6, event.id + " " + what, List.of(witness));
  }
}
