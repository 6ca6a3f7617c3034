package dev.weir.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.faults.MessageChecker.Claim;
import dev.weir.server.faults.MessageChecker.Violation;
import dev.weir.server.faults.MessageHistory.Attempt;
import dev.weir.server.faults.MessageHistory.Counted;
import dev.weir.server.faults.MessageHistory.Delivered;
import dev.weir.server.faults.MessageHistory.OnTopic;
import dev.weir.server.faults.MessageHistory.User;
import dev.weir.server.faults.MessageHistory.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A history without a fault, and what is found in it after one change. */
final class MessageCheckerTest {
  private static final long WINDOW = 60_000_000;
  private static final long USER = 7;

  private final List<Attempt> attempts = new ArrayList<>();
  private final List<User> users = new ArrayList<>();
  private final List<Counted> counted = new ArrayList<>();
  private final List<OnTopic> topic = new ArrayList<>();
  private final List<Delivered> delivered = new ArrayList<>();

  /**
   * Three messages of a user who may have two in a window and got one more by a change of the
   * limit: the first of them with a key, after an attempt whose answer was lost, and twice on the
   * topic. Two more were refused.
   */
  MessageCheckerTest() {
    attempt("key", "a", new Verdict.Unknown("lost"), 0, 10);
    attempt("key", "a", sent(1), 20, 30);
    attempt("", "b", sent(2), 40, 50);
    attempt("", "c", new Verdict.Refused(429), 60, 70);
    attempt("other", "d", new Verdict.Refused(503), 60, 70);
    attempt("", "e", sent(3), 80, 90);
    users.add(new User(USER, Map.of(1L, 2L, 2L, 1L), WINDOW, 2, 3_000, 1));
    count(1, "key", "a", 1_000, 1);
    count(2, "", "b", 2_000, 1);
    count(3, "", "e", 3_000, 2);
    topic.add(new OnTopic(2, 0, USER, id(1), "a"));
    topic.add(new OnTopic(2, 1, USER, id(2), "b"));
    topic.add(new OnTopic(2, 2, USER, id(1), "a"));
    topic.add(new OnTopic(2, 3, USER, id(3), "e"));
    for (String text : List.of("a", "b", "e")) {
      delivered.add(new Delivered(USER, text));
    }
  }

  private void attempt(String key, String text, Verdict verdict, long began, long ended) {
    attempts.add(new Attempt(USER, key(key), text, verdict, began, ended));
  }

  private void count(int id, String key, String text, long takenAt, long version) {
    counted.add(new Counted(id(id), USER, key(key), text, 1, takenAt, version));
  }

  private static Optional<String> key(String text) {
    return text.isEmpty() ? Optional.empty() : Optional.of(text);
  }

  private static Verdict sent(int id) {
    return new Verdict.Sent(id(id));
  }

  private static UUID id(int id) {
    return new UUID(0, id);
  }

  private List<Claim> violated() {
    return MessageChecker.check(new MessageHistory(attempts, users, counted, topic, delivered))
        .stream()
        .map(Violation::claim)
        .distinct()
        .toList();
  }

  private void user(Map<Long, Long> limits, long windowBegan, long used) {
    users.set(0, new User(USER, limits, WINDOW, 2, windowBegan, used));
  }

  @Test
  void findsNothingInAHistoryWithoutAFault() {
    assertThat(violated()).isEmpty();
  }

  @Test
  void findsNothingWhereAWindowHasEndedBetween() {
    counted.clear();
    count(1, "key", "a", 1_000, 2);
    count(2, "", "b", 1_000 + WINDOW, 2);
    count(3, "", "e", 1_000 + 2 * WINDOW, 2);
    user(Map.of(2L, 1L), 1_000 + 2 * WINDOW, 1);
    assertThat(violated()).isEmpty();
  }

  @Test
  void findsAUserAboveTheLimit() {
    user(Map.of(1L, 1L, 2L, 1L), 3_000, 1);
    assertThat(violated()).containsExactly(Claim.LIMIT);
  }

  @Test
  void findsAWindowThatEndedTooEarly() {
    counted.clear();
    count(1, "key", "a", 1_000, 2);
    count(2, "", "b", 999 + WINDOW, 2);
    count(3, "", "e", 1_000 + 2 * WINDOW, 2);
    user(Map.of(2L, 1L), 1_000 + 2 * WINDOW, 1);
    assertThat(violated()).containsExactly(Claim.LIMIT);
  }

  @Test
  void findsAMessageOfALimitThatTheUserNeverHad() {
    user(Map.of(2L, 1L), 3_000, 1);
    assertThat(violated()).containsExactly(Claim.LIMIT);
  }

  @Test
  void findsACostAboveTheLimit() {
    counted.set(2, new Counted(id(3), USER, Optional.empty(), "e", 2, 3_000, 2));
    user(Map.of(1L, 2L, 2L, 1L), 3_000, 2);
    assertThat(violated()).containsExactly(Claim.LIMIT);
  }

  @Test
  void findsAnAnsweredMessageThatIsNotOnTheTopic() {
    topic.remove(1);
    delivered.remove(1);
    assertThat(violated()).containsExactly(Claim.KEPT, Claim.COMPLETE);
  }

  @Test
  void findsAnAnsweredMessageThatIsNotCounted() {
    counted.remove(1);
    assertThat(violated()).containsExactly(Claim.KEPT, Claim.COMPLETE);
  }

  @Test
  void findsAnAnswerWithTheMessageOfAnother() {
    attempt("", "f", sent(2), 100, 110);
    assertThat(violated()).containsExactly(Claim.KEPT);
  }

  @Test
  void findsTwoMessagesOfAKeyInTheAnswers() {
    attempt("key", "a", sent(4), 100, 110);
    assertThat(violated()).contains(Claim.ONCE);
  }

  @Test
  void findsTwoMessagesOfAKeyInTheDatabase() {
    count(4, "key", "f", 4_000, 1);
    assertThat(violated()).contains(Claim.ONCE);
  }

  @Test
  void findsTwoMessagesOfATextOnTheTopic() {
    topic.add(new OnTopic(2, 4, USER, id(4), "a"));
    assertThat(violated()).contains(Claim.ONCE);
  }

  @Test
  void findsARefusedMessageThatIsCounted() {
    count(4, "", "c", 500, 1);
    user(Map.of(1L, 3L, 2L, 1L), 3_000, 1);
    assertThat(violated()).containsExactly(Claim.REFUSED, Claim.COMPLETE);
  }

  @Test
  void findsARefusedKeyThatIsOnTheTopic() {
    topic.add(new OnTopic(2, 4, USER, id(4), "d"));
    assertThat(violated()).contains(Claim.REFUSED);
  }

  @Test
  void findsACountWithoutAMessage() {
    user(Map.of(1L, 2L, 2L, 1L), 3_000, 2);
    assertThat(violated()).containsExactly(Claim.COUNT);
  }

  @Test
  void findsAMessageWithoutACount() {
    user(Map.of(1L, 2L, 2L, 1L), 3_000, 0);
    assertThat(violated()).containsExactly(Claim.COUNT);
  }

  @Test
  void findsARecordWithAnotherText() {
    topic.set(3, new OnTopic(2, 3, USER, id(3), "x"));
    delivered.set(2, new Delivered(USER, "x"));
    assertThat(violated()).containsExactly(Claim.COMPLETE);
  }

  @Test
  void findsAMessageThatWasNotHandedOver() {
    delivered.remove(1);
    assertThat(violated()).containsExactly(Claim.DELIVERED);
  }

  @Test
  void findsAMessageThatWasHandedOverTwice() {
    delivered.add(new Delivered(USER, "a"));
    assertThat(violated()).containsExactly(Claim.DELIVERED);
  }

  @Test
  void findsADeliveryOutOfNothing() {
    delivered.add(new Delivered(USER, "x"));
    assertThat(violated()).containsExactly(Claim.DELIVERED);
  }

  @Test
  void findsADeliveryToAnotherUser() {
    delivered.set(1, new Delivered(USER + 1, "b"));
    assertThat(violated()).containsExactly(Claim.DELIVERED);
  }

  @Test
  void findsADeliveryOutOfOrder() {
    delivered.set(0, new Delivered(USER, "b"));
    delivered.set(1, new Delivered(USER, "a"));
    assertThat(violated()).containsExactly(Claim.ORDER);
  }

  @Test
  void findsATopicOutOfTheOrderOfTheAnswers() {
    topic.set(1, new OnTopic(2, 1, USER, id(3), "e"));
    topic.set(3, new OnTopic(2, 3, USER, id(2), "b"));
    delivered.set(1, new Delivered(USER, "e"));
    delivered.set(2, new Delivered(USER, "b"));
    assertThat(violated()).containsExactly(Claim.ORDER);
  }

  @Test
  void findsAUserInTwoPartitions() {
    topic.set(3, new OnTopic(3, 0, USER, id(3), "e"));
    assertThat(violated()).containsExactly(Claim.ORDER);
  }
}
