package dev.weir.torture.messages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.torture.HandmadeHistory;
import dev.weir.torture.capability.Findings;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.capability.Violation;
import dev.weir.torture.history.Exchange;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Histories of messages that keep or break a promise. */
final class MessageCheckTest {
  private final HandmadeHistory history = new HandmadeHistory();
  private final List<Exchange> calls = new ArrayList<>();
  private final Set<String> taken = new HashSet<>();

  @BeforeEach
  void limit() {
    limit(2);
  }

  private void limit(int limit) {
    history.add("limit of user", "7", "{'userId':7,'rateLimit':" + limit + "}", 200, "{}");
  }

  private void send(String text, int status, String answer) {
    history.add("send once", text, "{'userId':7,'message':'" + text + "'}", status, answer);
  }

  private void accepted(String text, String id) {
    send(text, 200, "{'messageId':'" + id + "'}");
  }

  /** The provider gets it, and takes it. */
  private void handOver(String text, String id) {
    history.add("pause", "", "{}", 200, "{}");
    calls.add(
        HandmadeHistory.at(
            history.seconds(), "call", id, "{'userId':7,'message':'" + text + "'}", 200, "{}"));
    taken.add(id);
  }

  private void look(String id, String state) {
    history.add("message", id, "", 200, "{'state':'" + state + "'}");
  }

  private void usage(int count) {
    history.add("usage of user", "7", "", 200, "{'currentCount':" + count + "}");
  }

  private List<Promise> broken() {
    Findings findings = new Findings(EnumSet.allOf(Promise.class));
    MessageCheck.check(history.exchanges(), calls, (id, nanos) -> taken.contains(id), findings);
    return findings.violations().stream().map(Violation::promise).distinct().toList();
  }

  @Test
  void messagesWithinTheLimitAreKept() {
    accepted("t1", "a");
    accepted("t2", "b");
    send("t3", 429, "{}");
    handOver("t1", "a");
    handOver("t2", "b");
    look("a", "sent");
    look("b", "sent");
    usage(2);
    assertThat(broken()).isEmpty();
  }

  @Test
  void moreThanTheLimitBreaksM1() {
    for (String text : List.of("t1", "t2", "t3")) {
      accepted(text, text);
      handOver(text, text);
      look(text, "sent");
    }
    assertThat(broken()).containsExactly(Promise.M1);
  }

  @Test
  void changeAllowsItsOwnLimit() {
    limit(1);
    for (String text : List.of("t1", "t2", "t3")) {
      accepted(text, text);
      handOver(text, text);
      look(text, "sent");
    }
    usage(1);
    assertThat(broken()).isEmpty();
  }

  @Test
  void acceptedMessageThatIsNowhereBreaksM2() {
    accepted("t1", "a");
    look("a", "accepted");
    assertThat(broken()).containsExactly(Promise.M2);
  }

  @Test
  void messageThatIsSaidToBeSentAndIsNotBreaksM2() {
    accepted("t1", "a");
    look("a", "sent");
    assertThat(broken()).containsExactly(Promise.M2);
  }

  @Test
  void messageThatIsSaidToHaveFailedAndIsSentBreaksM2() {
    accepted("t1", "a");
    handOver("t1", "a");
    look("a", "failed");
    assertThat(broken()).containsExactly(Promise.M2);
  }

  @Test
  void rejectedMessageMayFail() {
    accepted("t1", "a");
    look("a", "failed");
    usage(1);
    assertThat(broken()).isEmpty();
  }

  @Test
  void twoMessagesOfOneKeyBreakM3() {
    accepted("t1", "a");
    accepted("t1", "b");
    handOver("t1", "a");
    look("a", "sent");
    assertThat(broken()).containsExactly(Promise.M3);
  }

  @Test
  void refusedMessageThatIsSentBreaksM4() {
    send("t1", 503, "{'outcome':'none'}");
    handOver("t1", "a");
    assertThat(broken()).containsExactly(Promise.M4);
  }

  @Test
  void messageOfARequestWithoutAnAnswerMayBeSentOrNot() {
    send("t1", 0, "no answer");
    send("t2", 503, "{'outcome':'unknown'}");
    handOver("t2", "b");
    usage(1);
    assertThat(broken()).isEmpty();
  }

  @Test
  void countThatIsTooSmallOrTooLargeBreaksM5() {
    accepted("t1", "a");
    handOver("t1", "a");
    look("a", "sent");
    usage(0);
    assertThat(broken()).containsExactly(Promise.M5);
    usage(2);
    assertThat(broken()).containsExactly(Promise.M5);
    usage(1);
    assertThat(broken()).isEmpty();
  }

  @Test
  void laterMessageThatIsHandedOverFirstBreaksM6() {
    accepted("t1", "a");
    accepted("t2", "b");
    handOver("t2", "b");
    handOver("t1", "a");
    look("a", "sent");
    look("b", "sent");
    assertThat(broken()).containsExactly(Promise.M6);
  }

  /** The provider stood still until it was given up, and then met the calls of both. */
  @Test
  void messageThatWasGivenUpHasNoPlaceInTheOrder() {
    accepted("t1", "a");
    accepted("t2", "b");
    handOver("t2", "b");
    handOver("t1", "a");
    history.add("message", "a", "", 200, "{'state':'unknown','reason':'no answer'}");
    look("b", "sent");
    assertThat(broken()).isEmpty();
  }

  @Test
  void messageThatWaitsForAnotherRecipientBreaksM7() {
    history.add("message before the repair", "a", "", 200, "{'state':'sent'}");
    assertThat(broken()).isEmpty();
    history.add("message before the repair", "b", "", 200, "{'state':'accepted'}");
    assertThat(broken()).containsExactly(Promise.M7);
  }

  @Test
  void givenUpMessageKeepsM2AndItsReplayHasToBeSent() {
    accepted("t1", "a");
    history.add("message", "a", "", 200, "{'state':'unknown','reason':'no answer'}");
    usage(1);
    assertThat(broken()).isEmpty();
    history.add("message after the replay", "a", "", 200, "{'state':'unknown'}");
    assertThat(broken()).containsExactly(Promise.M8);
  }

  @Test
  void unknownMessageWithoutAReasonBreaksM2() {
    accepted("t1", "a");
    look("a", "unknown");
    assertThat(broken()).containsExactly(Promise.M2);
  }
}
