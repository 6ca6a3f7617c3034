package dev.weir.torture.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.torture.HandmadeHistory;
import dev.weir.torture.capability.Findings;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.capability.Violation;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Histories of what callers are told. */
final class PeekCheckTest {
  private final HandmadeHistory history = new HandmadeHistory();

  private List<Promise> broken() {
    Findings findings = new Findings(EnumSet.allOf(Promise.class));
    new PeekCheck(history.exchanges(), findings).check();
    return findings.violations().stream().map(Violation::promise).distinct().toList();
  }

  private void take(int status) {
    history.add("check", "PEEKED/k", "{}", status, "{'replayed':false}");
  }

  private void look(int status, int remaining) {
    history.add("look", "PEEKED/k", "{}", status, "{'remaining':" + remaining + "}");
  }

  @Test
  void peekThatKnowsAllGrantsIsRight() {
    take(200);
    take(0);
    look(200, 9);
    look(200, 8);
    assertThat(broken()).isEmpty();
  }

  @Test
  void peekThatMissesAGrantOrTakesBreaksL8() {
    take(200);
    look(200, 10);
    assertThat(broken()).containsExactly(Promise.L8);
    history.exchanges().clear();
    look(200, 9);
    assertThat(broken()).containsExactly(Promise.L8);
  }

  @Test
  void peekThatRefusesAlthoughSomethingIsLeftBreaksL8() {
    look(429, 10);
    assertThat(broken()).containsExactly(Promise.L8);
  }

  @Test
  void grantBeforeTheTimeThatWasToldBreaksL2() {
    history.add("check too early", "EARLY/own1", "{}", 429, "{'retryAfter':1.0}");
    history.add("check too early", "EARLY/own1", "{}", 200, "{}");
    assertThat(broken()).isEmpty();
    history.add("check too early", "EARLY/own1", "{}", 429, "{'retryAfter':1.2}");
    history.add("check too early", "EARLY/own1", "{}", 200, "{}");
    assertThat(broken()).containsExactly(Promise.L2);
  }
}
