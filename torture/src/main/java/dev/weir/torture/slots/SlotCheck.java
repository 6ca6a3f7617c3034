package dev.weir.torture.slots;

import dev.weir.server.verify.Invariant;
import dev.weir.server.verify.Verifier;
import dev.weir.torture.capability.Check;
import dev.weir.torture.capability.Findings;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.capability.Round;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.slots.SlotFacts.Event;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Checks S1 to S8 from what callers saw and from the table of slots; then asks the verifier. */
final class SlotCheck implements Check {
  private final Round round;

  SlotCheck(Round round) {
    this.round = round;
  }

  @Override
  public void check(Findings findings) throws SQLException {
    SlotFacts facts = SlotFacts.of(round);
    check(facts, round.name(), findings);
    secondOpinion(facts, findings);
  }

  static void check(SlotFacts facts, String round, Findings findings) {
    AnswerCheck answers = new AnswerCheck(round, facts, findings);
    facts.events().forEach(answers::check);
    WindowCheck windows = new WindowCheck(facts, findings);
    for (SlotConfig config : SlotConfig.values()) {
      String name = config.name(round);
      windows.limits(name);
      if (config.isEven()) {
        windows.distances(config, name);
      }
      if (config.isSteady()) {
        windows.earliest(config, name);
      }
      if (config.isSteady() && config.isEven()) {
        windows.spread(config, name);
      }
    }
    RareCaller.configs(round).forEach(windows::limits);
    windows.refused(SlotConfig.DELAYED, SlotConfig.DELAYED.name(round));
  }

  /** What {@code weir verify} finds, with the requests of the events that it names. */
  private void secondOpinion(SlotFacts facts, Findings findings) throws SQLException {
    try (Connection connection = round.stage().database().connect()) {
      Verifier verifier = new Verifier(connection);
      // Some slots of this load are cancelled and requested again.
      verifier.slots(Long.MIN_VALUE, Verifier.Past.UNKNOWN);
      for (Invariant invariant : Invariant.values()) {
        for (String breach : verifier.findings().firstBreaches(invariant)) {
          // Those of other rounds were found there.
          if (breach.contains(round.name() + "-")) {
            findings.broken(
                promise(invariant), "weir verify: " + breach, requestsNamedIn(breach, facts));
          }
        }
      }
      connection.rollback();
    }
  }

  private static Promise promise(Invariant invariant) {
    return switch (invariant) {
      case LIMIT -> Promise.S1;
      case TIMES -> Promise.S2;
      case ONE_SLOT -> Promise.S3;
      case EARLIEST -> Promise.S4;
      case SPREAD -> Promise.S5;
      case KEPT -> Promise.S6;
    };
  }

  private static List<Exchange> requestsNamedIn(String breach, SlotFacts facts) {
    return facts.events().stream()
        .filter(event -> !event.asks.isEmpty() && breach.contains("\"" + event.id + "\""))
        .map(Event::witness)
        .toList();
  }
}
