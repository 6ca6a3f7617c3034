package dev.weir.spring;

import dev.weir.engine.rules.RateLimitFields;
import dev.weir.engine.rules.Ticket;
import dev.weir.engine.rules.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What a {@link Gate} says to a request. */
sealed interface Admission {
  /** The header fields of the answer. */
  List<Field> fields();

  /** What the request holds until it is over. */
  Ticket ticket();

  /** A header field. */
  record Field(String name, String value) {}

  /** It may go on. */
  record Passed(List<Field> fields, Ticket ticket) implements Admission {}

  /** It may go on after a wait. */
  record Queued(List<Field> fields, Ticket ticket, Duration delay) implements Admission {}

  /** It may not. */
  record Refused(List<Field> fields, Problem problem) implements Admission {
    @Override
    public Ticket ticket() {
      return Ticket.NONE;
    }
  }

  /** What rules said. */
  static Admission of(Verdict verdict) {
    List<Field> fields = new ArrayList<>();
    RateLimitFields.add((name, value) -> fields.add(new Field(name, value)), verdict);
    return switch (verdict) {
      case Verdict.Passed passed -> new Passed(fields, passed.ticket());
      case Verdict.Queued queued -> new Queued(fields, queued.ticket(), queued.delay());
      case Verdict.Refused refused -> new Refused(fields, Problem.quotaExceeded(refused));
      case Verdict.Reused reused -> throw new IllegalStateException("a request without an id");
    };
  }
}
