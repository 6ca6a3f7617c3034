package dev.weir.torture.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.torture.HandmadeHistory;
import dev.weir.torture.capability.Findings;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.capability.Round;
import dev.weir.torture.capability.Violation;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.history.History;
import dev.weir.torture.history.Json;
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

/** Histories that keep or break a promise about rules. */
final class RuleCheckTest {
  private static final long MILLI_NANOS = 1_000_000;

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

  private List<Promise> broken() {
    Findings findings = new Findings(EnumSet.allOf(Promise.class));
    new RuleCheck(new Round("r", null, null, history, Duration.ZERO)).check(findings);
    return findings.violations().stream().map(Violation::promise).distinct().toList();
  }

  private void exchange(String kind, String subject, String request, int status, String answer) {
    history.add(handmade.add(kind, subject, request, status, answer));
  }

  /** A check of the queue that was answered after its wait. */
  private void queued(long beginMillis, long tookMillis, int delayMillis) {
    history.add(
        new Exchange(
            history.next(),
            QueueCaller.QUEUE,
            "k",
            1,
            "{}",
            beginMillis * MILLI_NANOS,
            Instant.EPOCH,
            (beginMillis + tookMillis) * MILLI_NANOS,
            200,
            Json.write(
                "X-RateLimit-Queued",
                "true",
                "X-RateLimit-Delay-Ms",
                delayMillis,
                "body",
                "{\"queued\":true,\"delayMs\":" + delayMillis + "}")));
  }

  private void refused(long beginMillis, long tookMillis) {
    history.add(
        new Exchange(
            history.next(),
            QueueCaller.QUEUE,
            "k",
            1,
            "{}",
            beginMillis * MILLI_NANOS,
            Instant.EPOCH,
            (beginMillis + tookMillis) * MILLI_NANOS,
            429,
            "{}"));
  }

  private void passed() {
    exchange(QueueCaller.QUEUE, "k", "{}", 200, withBody("'queued':false"));
  }

  /** An answer with this body, which has single quotes in place of double ones. */
  private static String withBody(String members) {
    return "{'body':'{%s}'}".formatted(members.replace("'", "\\'"));
  }

  @Test
  void placesOfAFullQueueAreKept() {
    queued(0, 405, 400);
    queued(1, 805, 800);
    queued(2, 1_205, 1_200);
    queued(500, 1_210, 1_200);
    assertThat(broken()).isEmpty();
  }

  @Test
  void placeTooManyBreaksR1() {
    queued(0, 1_201, 1_200);
    queued(1, 1_201, 1_200);
    queued(2, 1_201, 1_200);
    queued(3, 1_201, 1_200);
    assertThat(broken()).contains(Promise.R1);
  }

  @Test
  void grantBesideTheQueueBreaksR1() {
    passed();
    passed();
    passed();
    assertThat(broken()).isEmpty();
    passed();
    assertThat(broken()).containsExactly(Promise.R1);
  }

  @Test
  void requestThatWaitedAndCountsBreaksR1() {
    queued(0, 405, 400);
    exchange(QueueCaller.LEFT, "k", "{}", 200, withBody("'remaining':3"));
    assertThat(broken()).isEmpty();
    exchange(QueueCaller.LEFT, "k", "{}", 200, withBody("'remaining':2"));
    assertThat(broken()).containsExactly(Promise.R1);
  }

  @Test
  void answerBeforeTheEndOfTheWaitBreaksR2() {
    queued(0, 300, 400);
    assertThat(broken()).containsExactly(Promise.R2);
  }

  @Test
  void positionBehindNobodyBreaksR2() {
    queued(0, 805, 800);
    assertThat(broken()).containsExactly(Promise.R2);
  }

  /** Its queue did not answer, and may hold a place for it. */
  @Test
  void requestThatIsRefusedAlthoughThereIsRoomMayHoldAPlace() {
    refused(0, 10);
    queued(20, 805, 800);
    assertThat(broken()).isEmpty();
  }

  @Test
  void requestThatIsRefusedByAFullQueueHoldsNoPlace() {
    queued(0, 405, 400);
    queued(1, 805, 800);
    queued(2, 1_205, 1_200);
    refused(3, 10);
    queued(1_100, 1_205, 1_200);
    assertThat(broken()).containsExactly(Promise.R2);
  }

  @Test
  void positionThatIsTakenBreaksR2() {
    queued(0, 402, 400);
    queued(100, 402, 400);
    assertThat(broken()).containsExactly(Promise.R2);
  }

  @Test
  void nodeThatGoesBackToAnEarlierVersionBreaksR3() {
    exchange("version", "version", "{}", 200, "{'X-RateLimit-Limit':'1000','body':''}");
    exchange("change version", "version", "{'allowedRequests':1001}", 200, "{'version':2}");
    exchange("version", "version", "{}", 200, "{'X-RateLimit-Limit':'1001','body':''}");
    exchange("version", "version", "{}", 200, "{'X-RateLimit-Limit':'1007','body':''}");
    exchange("version", "version", "{}", 0, "no answer");
    assertThat(broken()).isEmpty();
    exchange("version", "version", "{}", 200, "{'X-RateLimit-Limit':'1000','body':''}");
    assertThat(broken()).containsExactly(Promise.R3);
  }

  @Test
  void ruleThatIsMissingOrStaysBreaksR3() {
    exchange("check of a created rule", "t1", "{}", 503, "{'body':''}");
    exchange("check of a removed rule", "t1", "{}", 404, "{'body':''}");
    assertThat(broken()).isEmpty();
    exchange("check of a created rule", "t2", "{}", 404, "{'body':''}");
    exchange("check of a removed rule", "t3", "{}", 200, "{'body':''}");
    assertThat(broken()).containsExactly(Promise.R3);
  }

  @Test
  void changeThatIsLostBreaksR4() {
    add("1", 200);
    add("2", 0);
    read(1_002);
    assertThat(broken()).isEmpty();
    add("3", 200);
    read(1_001);
    assertThat(broken()).containsExactly(Promise.R4);
  }

  @Test
  void twoChangesOfOneVersionBreakR4() {
    add("1", 200);
    add("1", 200);
    read(1_002);
    assertThat(broken()).containsExactly(Promise.R4);
  }

  private void add(String tag, int status) {
    exchange("add", "counter", "{'tag':'" + tag + "'}", status, "{'body':''}");
  }

  private void read(int counter) {
    exchange("read", "counter", "{}", 200, withBody("'allowedRequests':" + counter));
  }

  @Test
  void requestThatIsAuthorizedInVainBreaksR5() {
    for (int i = 0; i < AuthorizeCaller.LIMIT; i++) {
      exchange("authorize", "k", "{}", 200, "{'Weir-Decision':'granted','body':''}");
    }
    exchange("authorize", "k", "{}", 429, "{'body':''}");
    exchange("authorize ambiguous", "k", "{}", 400, "{'body':''}");
    assertThat(broken()).isEmpty();
    exchange("authorize", "k", "{}", 200, "{'Weir-Decision':'granted','body':''}");
    assertThat(broken()).containsExactly(Promise.R5);
  }

  @Test
  void ambiguousRequestThatIsDecidedBreaksR5() {
    exchange("authorize ambiguous", "k", "{}", 429, "{'body':''}");
    assertThat(broken()).containsExactly(Promise.R5);
  }

  @Test
  void grantThatDoesNotSaySoBreaksR5() {
    exchange("authorize", "k", "{}", 200, "{'body':''}");
    assertThat(broken()).containsExactly(Promise.R5);
  }
}
