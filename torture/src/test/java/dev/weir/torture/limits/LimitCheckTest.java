package dev.weir.torture.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.torture.HandmadeHistory;
import dev.weir.torture.capability.Findings;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.capability.Round;
import dev.weir.torture.capability.Violation;
import dev.weir.torture.history.FaultNote;
import dev.weir.torture.history.History;
import dev.weir.torture.history.Loss;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Histories that keep or break a promise. */
final class LimitCheckTest {
  @TempDir private Path folder;
  private History history;
  private final HandmadeHistory handmade = new HandmadeHistory();

  @BeforeEach
  void open() throws IOException {
    history = new History(folder.resolve("history.ndjson"));
  }

  @AfterEach
  void close() throws IOException {
    history.close();
  }

  private void exchange(String kind, String subject, String request, int status, String answer) {
    boolean isDecided = kind.equals("check") && (status == 200 || status == 429);
    String mode = answer.equals("{}") ? "{'mode':'store'" : "{'mode':'store',";
    String told = isDecided ? mode + answer.substring(1) : answer;
    history.add(handmade.add(kind, subject, request, status, told));
  }

  private void check(String subject, int cost, int status) {
    String answer =
        status == 200 ? "{'replayed':false,'decidedAt':'t" + handmade.seconds() + "'}" : "{}";
    exchange("check", subject, "{'cost':" + cost + "}", status, answer);
  }

  private void peek(String subject, int remaining) {
    exchange("peek", subject, "{}", 200, "{'remaining':" + remaining + "}");
  }

  private List<Promise> broken() {
    return violations().stream().map(Violation::promise).distinct().toList();
  }

  private List<Violation> violations() {
    Findings findings = new Findings(EnumSet.allOf(Promise.class));
    new LimitCheck(new Round("r", null, null, history, Duration.ZERO)).check(findings);
    return findings.violations();
  }

  @Test
  void limitThatIsUsedUpExactlyIsKept() {
    check("FIXED/k", 15, 200);
    check("FIXED/k", 1, 429);
    peek("FIXED/k", 0);
    assertThat(broken()).isEmpty();
  }

  @Test
  void grantAboveTheLimitBreaksL1() {
    check("FIXED/k", 15, 200);
    check("FIXED/k", 1, 200);
    assertThat(broken()).containsExactly(Promise.L1);
    assertThat(violations().getFirst().witness()).hasSize(2);
  }

  @Test
  void countThatIsGoneBreaksL1() {
    check("FIXED/k", 5, 200);
    peek("FIXED/k", 15);
    assertThat(broken()).containsExactly(Promise.L1);
  }

  @Test
  void refusalThatCountsBreaksL2ButALostAnswerMayCount() {
    check("FIXED/k", 5, 200);
    check("FIXED/k", 2, 0);
    peek("FIXED/k", 8);
    assertThat(broken()).isEmpty();
    check("SLIDING/k", 5, 200);
    check("SLIDING/k", 2, 429);
    peek("SLIDING/k", 8);
    assertThat(broken()).containsExactly(Promise.L2);
  }

  @Test
  void nothingIsSaidOfCountsAfterALoss() {
    check("FIXED/k", 5, 200);
    peek("FIXED/k", 0);
    assertThat(broken()).containsExactly(Promise.L2);
    history.add(new FaultNote("Redis came back empty", 0, 1, Loss.NOTICED));
    assertThat(broken()).isEmpty();
  }

  @Test
  void onlyWhatWasGrantedDuringAFailoverMayBeGrantedAgain() {
    check("FIXED/k", 15, 200);
    fault(20, 30, Loss.FORGOTTEN);
    pass(24);
    check("FIXED/k", 15, 200);
    pass(40);
    assertThat(broken()).isEmpty();
    check("FIXED/k", 1, 200);
    assertThat(broken()).containsExactly(Promise.L1);
    assertThat(violations().getFirst().witness()).hasSize(2);
  }

  @Test
  void nothingIsGrantedAgainAfterALossThatIsNoticed() {
    fault(2, 10, Loss.NOTICED);
    pass(5);
    check("FIXED/k", 15, 200);
    pass(20);
    check("FIXED/k", 1, 200);
    assertThat(broken()).containsExactly(Promise.L1);
  }

  @Test
  void keyThatNobodyUsedDuringARestoreIsCountedExactly() {
    fault(10, 20, Loss.RESTORED);
    pass(14);
    check("SLIDING/k", 5, 200);
    pass(30);
    check("FIXED/k", 5, 200);
    peek("SLIDING/k", 15);
    assertThat(broken()).isEmpty();
    peek("FIXED/k", 15);
    assertThat(broken()).containsExactly(Promise.L1);
  }

  /** A fault, in seconds since the begin. */
  private void fault(long begin, long end, Loss loss) {
    history.add(new FaultNote("fault", begin * 1_000_000_000L, end * 1_000_000_000L, loss));
  }

  /** Lets nothing happen until a second. */
  private void pass(long second) {
    handmade.pass(second);
  }

  @Test
  void halfOfTwoRulesBreaksL3() {
    String both = "{'all':[{'cost':2},{'cost':2}]}";
    exchange("check", "FIRST/k", both, 0, "lost");
    exchange("peek", "FIRST/k", both, 200, "{'all':[{'remaining':12},{'remaining':10}]}");
    assertThat(broken()).containsExactly(Promise.L3);
  }

  @Test
  void idThatIsGrantedTwiceOrForTwoRequestsBreaksL4() {
    exchange("check", "ONCE/k", "{'cost':1,'requestId':'q'}", 200, granted(false, "t1"));
    exchange("check", "ONCE/k", "{'cost':1,'requestId':'q'}", 200, granted(true, "t1"));
    exchange("reuse", "ONCE/other", "{'cost':1,'requestId':'q'}", 409, "{}");
    peek("ONCE/k", 14);
    assertThat(broken()).isEmpty();
    exchange("check", "ONCE/k", "{'cost':1,'requestId':'q'}", 200, granted(false, "t2"));
    // Of two grants, one more counts than is used, too.
    assertThat(broken()).containsExactly(Promise.L1, Promise.L4);
    assertThat(violations().getLast().witness()).hasSize(2);
  }

  @Test
  void idOfAnotherRequestThatIsGrantedBreaksL4() {
    exchange("check", "ONCE/k", "{'cost':1,'requestId':'q'}", 200, granted(false, "t1"));
    exchange("reuse", "ONCE/other", "{'cost':1,'requestId':'q'}", 200, granted(false, "t2"));
    assertThat(broken()).containsExactly(Promise.L4);
  }

  private static String granted(boolean replayed, String decidedAt) {
    return "{'replayed':%s,'decidedAt':'%s'}".formatted(replayed, decidedAt);
  }

  @Test
  void usageThatAChangeForgetsBreaksL5() {
    exchange("rule", "CHANGING", "{'allowedRequests':12}", 201, "{}");
    check("CHANGING/k", 5, 200);
    exchange("rule", "CHANGING", "{'allowedRequests':100000}", 200, "{}");
    peek("CHANGING/k", LimitLoad.FINAL_LIMIT);
    assertThat(broken()).containsExactly(Promise.L5);
  }

  @Test
  void bucketThatGivesMoreThanIsRefilledBreaksL6() {
    check("BUCKET/k", 12, 200);
    check("BUCKET/k", 1, 429);
    check("BUCKET/k", 1, 200);
    assertThat(broken()).isEmpty();
    check("BUCKET/k", 2, 200);
    assertThat(broken()).containsExactly(Promise.L6);
  }

  @Test
  void callerThatWaitedInVainBreaksL2() {
    check("SOLE/k", 1, 200);
    check("SOLE/k", 1, 200);
    exchange("check", "SOLE/k", "{}", 429, "{'retryAfter':0.5}");
    check("SOLE/k", 1, 429);
    assertThat(broken()).containsExactly(Promise.L2);
  }

  @Test
  void leasesAreHeldUntilTheyEndOrAreGivenBack() {
    lease("a", 3, 60);
    exchange("release", "a", "/a", 204, "");
    lease("b", 3, 1);
    lease("c", 3, 60);
    assertThat(broken()).isEmpty();
    lease("d", 1, 60);
    assertThat(broken()).containsExactly(Promise.L1);
    assertThat(violations().getFirst().witness()).hasSize(2);
  }

  private void lease(String id, int places, int lifeSeconds) {
    Instant expiresAt = HandmadeHistory.BEGIN.plusSeconds(handmade.seconds() + 1 + lifeSeconds);
    exchange(
        "lease",
        "lease",
        "{'count':" + places + "}",
        201,
        "{'leaseId':'%s','expiresAt':'%s'}".formatted(id, expiresAt));
  }
}
