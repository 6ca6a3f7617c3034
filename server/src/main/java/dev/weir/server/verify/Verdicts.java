package dev.weir.server.verify;

import dev.weir.internal.Micros;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** The results for the events of one configuration: how many are right, wrong, or undecided. */
final class Verdicts {
  private final ConfigFact config;
  private final Findings findings;
  private long judged;
  private long open;
  private @Nullable SlotFact firstOpen;

  Verdicts(ConfigFact config, Findings findings) {
    this.config = config;
    this.findings = findings;
  }

  /**
   * Counts events that were checked.
   *
   * @param undecided those of them whose placement cannot be decided
   */
  void judged(int events, Collection<SlotFact> undecided) {
    judged += events;
    open += undecided.size();
    if (firstOpen == null) {
      firstOpen = undecided.stream().findFirst().orElse(null);
    }
  }

  void breach(String what) {
    findings.breach(Invariant.EARLIEST, what);
  }

  /** Reports the totals after all events have been checked. */
  void end() {
    findings.looked(Invariant.EARLIEST, "events", judged);
    if (firstOpen != null) {
      findings.open(
          Invariant.EARLIEST,
          open,
          "of %s: a place before them is or may be free that an event may have held which was"
                  .formatted(config.name())
              + " cancelled since, was adopted or came from windows of another size; the first is \"%s\" at %s"
                  .formatted(firstOpen.eventId(), Micros.instant(firstOpen.scheduledMicros())));
    }
  }
}
