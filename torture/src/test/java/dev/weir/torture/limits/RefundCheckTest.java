package dev.weir.torture.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.torture.HandmadeHistory;
import dev.weir.torture.capability.Findings;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.capability.Violation;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Histories of grants that are given back. */
final class RefundCheckTest {
  private static final String KEY = "REFUNDED/k";

  private final HandmadeHistory history = new HandmadeHistory();

  private List<Promise> broken() {
    Findings findings = new Findings(EnumSet.allOf(Promise.class));
    new RefundCheck(history.exchanges(), findings).check();
    return findings.violations().stream().map(Violation::promise).distinct().toList();
  }

  private void take(String id, int cost, int status) {
    history.add("take", KEY, request(id, cost), status, "{'decidedAt':'t'}");
  }

  private void give(String id, int status) {
    history.add("give back", KEY, request(id, 1), status, "");
  }

  private static String request(String id, int cost) {
    return "{'cost':%d,'requestId':'%s'}".formatted(cost, id);
  }

  private void left(int remaining) {
    history.add("left", KEY, "{}", 200, "{'remaining':" + remaining + "}");
  }

  @Test
  void whatIsGivenBackMayOrMayNotCountIfNothingIsKnown() {
    take("a", 3, 200);
    take("b", 2, 200);
    give("b", 204);
    give("b", 0);
    take("c", 1, 0);
    left(37);
    assertThat(broken()).isEmpty();
    left(36);
    assertThat(broken()).isEmpty();
  }

  @Test
  void refundThatGivesBackMoreBreaksL7() {
    take("a", 3, 200);
    take("b", 2, 200);
    give("b", 204);
    give("b", 204);
    left(39);
    assertThat(broken()).containsExactly(Promise.L7);
  }

  @Test
  void refundThatIsLostBreaksL7UnlessACheckIsOnItsWay() {
    take("a", 3, 200);
    give("a", 204);
    left(37);
    assertThat(broken()).containsExactly(Promise.L7);
    history.exchanges().clear();
    take("a", 3, 0);
    take("a", 3, 200);
    give("a", 204);
    left(37);
    assertThat(broken()).isEmpty();
  }

  @Test
  void refundOfATimeBelongsToTheGrantOfThatTime() {
    history.add("take", KEY, "{'cost':2}", 200, "{'decidedAt':'t1'}");
    history.add("take", KEY, "{'cost':2}", 200, "{'decidedAt':'t2'}");
    history.add("give back", KEY, "{'cost':2,'decidedAt':'t1'}", 204, "");
    left(38);
    assertThat(broken()).isEmpty();
    left(40);
    assertThat(broken()).containsExactly(Promise.L7);
  }

  @Test
  void refundOfAnotherRequestBreaksL7() {
    take("a", 3, 200);
    history.add("give back another request", KEY, request("a", 4), 409, "{}");
    history.add("give back another request", KEY, request("a-unknown", 3), 204, "");
    left(37);
    assertThat(broken()).isEmpty();
    history.add("give back another request", KEY, request("a", 4), 204, "");
    assertThat(broken()).containsExactly(Promise.L7);
  }

  @Test
  void placesThatWereGivenBackAndAreNotFreeBreakL7() {
    history.add("lease of free places", "LEASED/own1", "{'cost':3}", 503, "{}");
    assertThat(broken()).isEmpty();
    history.add("lease of free places", "LEASED/own1", "{'cost':3}", 429, "{}");
    assertThat(broken()).containsExactly(Promise.L7);
  }
}
