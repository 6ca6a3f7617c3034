package dev.weir.torture.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.torture.HandmadeHistory;
import dev.weir.torture.capability.Findings;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.capability.Violation;
import dev.weir.torture.history.FaultNote;
import dev.weir.torture.history.Loss;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Histories of rules whose store is away. */
final class ModeCheckTest {
  private final HandmadeHistory history = new HandmadeHistory();
  private final List<FaultNote> faults = new ArrayList<>();

  private List<Promise> broken() {
    Findings findings = new Findings(EnumSet.allOf(Promise.class));
    new ModeCheck(history.exchanges(), faults, findings).check();
    return findings.violations().stream().map(Violation::promise).distinct().toList();
  }

  private void lenient(String rule, int cost, int status, String mode) {
    String kind = LimitLoad.LENIENT;
    history.add(kind, rule + "/k", "{'cost':" + cost + "}", status, "{'mode':'" + mode + "'}");
  }

  private void closed(String kind, String rule, String outcome, String more) {
    String answer = "{'type':'urn:weir:problem:store-unavailable','outcome':'%s'%s}";
    history.add(kind, rule + "/k", "{'cost':1}", 503, answer.formatted(outcome, more));
  }

  @Test
  void closedRuleAnswersByItsStoreOrSaysThatItIsClosed() {
    history.add("check", "FIXED/k", "{}", 429, "{'mode':'store'}");
    closed("check", "FIXED", "none", ",'mode':'closed'");
    closed("check", "FIXED", "unknown", "");
    assertThat(broken()).isEmpty();
    history.add("check", "FIXED/k", "{}", 429, "{'mode':'closed'}");
    assertThat(broken()).containsExactly(Promise.L9);
  }

  @Test
  void answerThatDoesNotSayThatItIsClosedBreaksL9() {
    closed("check", "FIXED", "none", "");
    assertThat(broken()).containsExactly(Promise.L9);
  }

  @Test
  void openRuleThatIsClosedBreaksL9() {
    lenient("OPEN", 3, 200, "open");
    lenient("OPEN", 1, 429, "store");
    assertThat(broken()).isEmpty();
    closed(LimitLoad.LENIENT, "OPEN", "unknown", "");
    assertThat(broken()).containsExactly(Promise.L9);
  }

  @Test
  void nodeThatGrantsMoreThanItsShareBreaksL9UnlessItWasStartedAgain() {
    lenient("LOCAL", 3, 200, "local");
    lenient("LOCAL", 1, 200, "local");
    lenient("LOCAL", 12, 200, "store");
    assertThat(broken()).isEmpty();
    lenient("LOCAL", 1, 200, "local");
    assertThat(broken()).containsExactly(Promise.L9);
    faults.add(new FaultNote("SIGSTOP of node 1 for PT1S", 0, 1, Loss.NONE));
    faults.add(new FaultNote("silence, node 1 to Redis, for PT1S", 0, 1, Loss.NONE));
    faults.add(new FaultNote("SIGKILL of node 2", 0, 1, Loss.NONE));
    assertThat(broken()).containsExactly(Promise.L9);
    faults.add(new FaultNote("SIGKILL of node 1", 0, 1, Loss.NONE));
    assertThat(broken()).isEmpty();
  }

  @Test
  void storeThatGrantsMoreThanTheLimitOfALocalRuleBreaksL1UnlessItLostCounts() {
    lenient("LOCAL", 12, 200, "store");
    lenient("LOCAL", 1, 200, "store");
    assertThat(broken()).containsExactly(Promise.L1);
    faults.add(new FaultNote("Redis came back empty", 0, 1, Loss.NOTICED));
    assertThat(broken()).isEmpty();
  }
}
