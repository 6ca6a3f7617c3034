package dev.weir.spring.internal.gate;

import dev.weir.rules.Ticket;
import dev.weir.rules.Verdict;
import dev.weir.rules.VerdictFields;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The result of a {@link Gate} for a request. */
public sealed interface Admission {
  /** Returns the header fields of the response. */
  List<Field> fields();

  /** Returns the ticket that the request holds until it ends. */
  Ticket ticket();

  /** A header field. */
  record Field(String name, String value) {}

  /** The request may proceed. */
  record Passed(List<Field> fields, Ticket ticket) implements Admission {}

  /** The request may proceed after a wait. */
  record Queued(List<Field> fields, Ticket ticket, Duration delay) implements Admission {}

  /** The request is refused. */
  record Refused(List<Field> fields, Problem problem) implements Admission {
    @Override
    public Ticket ticket() {
      return Ticket.NONE;
    }
  }

  /** Returns the admission for a verdict of rules. */
  static Admission of(Verdict.Decided verdict) {
    try {
      return read(verdict);
    } catch (RuntimeException | Error e) {
      // No caller gets the ticket.
      switch (verdict) {
        case Verdict.Passed passed -> RuleGate.close(passed.ticket());
        case Verdict.Queued queued -> RuleGate.close(queued.ticket());
        case Verdict.Refused refused -> {}
      }
      throw e;
    }
  }

  private static Admission read(Verdict.Decided verdict) {
    List<Field> fields = new ArrayList<>();
    VerdictFields.add((name, value) -> fields.add(new Field(name, value)), verdict);
    return switch (verdict) {
      case Verdict.Passed passed -> new Passed(fields, passed.ticket());
      case Verdict.Queued queued -> new Queued(fields, queued.ticket(), queued.delay());
      case Verdict.Refused refused -> new Refused(fields, Problem.of(refused));
    };
  }
}
