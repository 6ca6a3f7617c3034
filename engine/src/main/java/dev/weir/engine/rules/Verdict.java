package dev.weir.engine.rules;

import dev.weir.core.Micros;
import dev.weir.core.limits.Decision;
import dev.weir.engine.limits.Answer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What all rules that were asked say together. */
public sealed interface Verdict {
  /** What each rule said, in the order in which they were asked; empty if none was. */
  List<Said> said();

  /** Who decided. */
  Answer.Mode mode();

  /** When the counts were taken from, by the clock of their store; a refund names it. */
  Optional<Instant> decidedAt();

  /**
   * It may pass. The ticket is closed when it is over.
   *
   * @param isReplayed whether it had passed before, and took nothing this time
   */
  record Passed(
      List<Said> said,
      Answer.Mode mode,
      Optional<Instant> decidedAt,
      Ticket ticket,
      boolean isReplayed)
      implements Verdict {}

  /**
   * It may pass after a wait: then {@link Ticket#waited} is called, and when all is over, the
   * ticket is closed. One that goes away instead closes its ticket at once.
   *
   * @param isReplayed whether it is asked again by the id of a request that still waits
   */
  record Queued(
      List<Said> said,
      Answer.Mode mode,
      Optional<Instant> decidedAt,
      Ticket ticket,
      long delayMicros,
      int position,
      boolean isReplayed)
      implements Verdict {
    public Duration delay() {
      return Micros.duration(delayMicros);
    }

    /**
     * The verdict after the wait for a caller that holds its leases itself: this one, or a refusal
     * if a lease could not be kept until then. Takes the place of {@link Ticket#waited}.
     */
    public Verdict handedOver() {
      Optional<Said> refusing = ticket.handOver();
      if (refusing.isEmpty()) {
        return this;
      }
      List<Said> instead = new ArrayList<>(said.size());
      for (Said each : said) {
        instead.add(each.asked().equals(refusing.get().asked()) ? refusing.get() : each);
      }
      return new Refused(instead, mode, decidedAt);
    }
  }

  /** The request id belongs to another request: nothing was decided or taken. */
  record Reused(Instant at) implements Verdict {
    @Override
    public List<Said> said() {
      return List.of();
    }

    @Override
    public Answer.Mode mode() {
      return Answer.Mode.STORE;
    }

    @Override
    public Optional<Instant> decidedAt() {
      return Optional.of(at);
    }
  }

  /** It may not pass, and nothing was taken. */
  record Refused(List<Said> said, Answer.Mode mode, Optional<Instant> decidedAt)
      implements Verdict {
    /** How long until no rule refuses what was asked, if nobody else takes any. */
    public long retryAfterMicros() {
      long longest = 0;
      for (Said each : said) {
        if (each.decision() instanceof Decision.Refused refused) {
          longest = Math.max(longest, refused.retryAfterMicros());
        }
      }
      return longest;
    }

    /** The rules that refuse. */
    public List<String> violated() {
      return said.stream()
          .filter(each -> each.decision() instanceof Decision.Refused)
          .map(each -> each.rule().name())
          .distinct()
          .toList();
    }
  }
}
