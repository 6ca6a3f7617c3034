package dev.weir.server.notifications;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.faults.KafkaProcess;
import dev.weir.server.faults.TopicReader;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.GenerationMode;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** What a broker that fails leaves behind. */
interface BrokerLaws extends NotificationLaws {
  /** Property 5, by a broker that answers: it takes no records of this size. */
  @Property(tries = 100, generation = GenerationMode.RANDOMIZED)
  default void messageThatTheBrokerRefusesIsNotCounted(
      @ForAll @Size(min = 1, max = 3) List<Boolean> isRefused,
      @ForAll @IntRange(min = 1, max = 3) int limit,
      @ForAll boolean hasKeys) {
    long user = stage().newUser();
    stage().configure(user, limit).ok();
    List<String> sent = new ArrayList<>();
    for (boolean refused : isRefused) {
      String text = "x".repeat(refused ? KafkaProcess.MAX_MESSAGE_BYTES + 1 : 1);
      // A refused request leaves its key to the next one.
      String key = "key-" + sent.size();
      Http.Answer answer =
          hasKeys
              ? NotificationStage.send(stage().node(), user, text, key)
              : stage().send(user, text);
      if (sent.size() >= limit) {
        assertThat(answer.status()).isEqualTo(429);
      } else if (refused) {
        refusedByKafka(answer);
      } else {
        sent.add(answer.ok().textAt("messageId"));
      }
      assertThat(stage().used(user)).isEqualTo(sent.size());
    }
    assertThat(stage().topic().readOf(user))
        .extracting(entry -> entry.messageId().toString())
        .containsExactlyElementsOf(sent);
  }

  private static void refusedByKafka(Http.Answer answer) {
    answer.problem(503, "kafka-unavailable");
    assertThat(answer.textAt("title")).isEqualTo("Kafka Down : Service Unavailable");
    assertThat(answer.textAt("outcome")).isEqualTo("none");
    assertThat(answer.header("retry-after")).hasValue("1");
  }

  /** Property 5, by a broker that is gone: a second way, so with fewer cases. */
  @Property(tries = 25, generation = GenerationMode.RANDOMIZED)
  default void messageIsNotCountedWhileTheBrokerIsGone(
      @ForAll @IntRange(min = 0, max = 4) int count,
      @ForAll @IntRange(min = 1, max = 4) int left,
      @ForAll @Size(min = 1, max = 3) List<Boolean> hasKey)
      throws SQLException {
    stage().cutBroker();
    long user = stage().newUser();
    stage().configure(user, count + left).ok();
    stage().tables().count(user, count);
    for (boolean keyed : hasKey) {
      refusedByKafka(
          keyed
              ? NotificationStage.send(stage().hasty(), user, "gone", "key")
              : NotificationStage.send(stage().hasty(), user, "gone"));
      assertThat(stage().used(user)).isEqualTo(count);
    }
    assertThat(stage().tables().messages(user, user)).isEmpty();
  }

  /**
   * The broker takes the message, and its answers are lost until the node gives up. The message is
   * counted; a repetition with the key returns it, and it is handed over once.
   */
  @Example
  default void messageWhoseAcknowledgementIsLostIsSentOnce() throws Exception {
    Http hasty = stage().hasty();
    // The producer sends it again on new connections until the node gives up.
    stage().answers().loseAnswersTo("unheard-of");
    List<Long> users = new ArrayList<>();
    List<Http.Answer> answers = new ArrayList<>();
    // On a busy machine, a node may give up before it has sent the message.
    Waiting.until(
        "a message that is sent",
        () -> {
          users.add(stage().newUser());
          stage().configure(users.getLast(), 5).ok();
          answers.add(
              NotificationStage.send(hasty, users.getLast(), "unheard-of", "key")
                  .problem(503, "kafka-unavailable"));
          return !answers.getLast().textAt("outcome").equals("none");
        });
    stage().answers().loseAnswersTo("no message has this text");
    long user = users.getLast();
    Http.Answer unknown = answers.getLast();
    assertThat(unknown.textAt("outcome")).isEqualTo("unknown");
    assertThat(stage().used(user)).isEqualTo(1);
    Waiting.until(
        "the true answer",
        () -> NotificationStage.send(hasty, user, "unheard-of", "key").status() == 200);
    Http.Answer known = NotificationStage.send(hasty, user, "unheard-of", "key").ok();
    assertThat(known.textAt("messageId")).isEqualTo(unknown.textAt("messageId"));
    assertThat(stage().used(user)).isEqualTo(1);
    assertThat(stage().topic().readOf(user))
        .isNotEmpty()
        .allMatch(entry -> entry.messageId().toString().equals(known.textAt("messageId")));
    // When this one is reported, all copies of the first have been read.
    stage().send(user, "after").ok();
    Waiting.until("the sender", () -> stage().sms().of(user).contains("after"));
    assertThat(stage().sms().of(user)).containsExactly("unheard-of", "after");
  }

  /**
   * A topic that was deleted is created again. What was answered by then is gone with it; from then
   * on everything that is counted is on the new topic, and the sender reports it.
   */
  @Example
  default void topicThatWasDeletedIsCreatedAgain() throws Exception {
    long user = stage().newUser();
    stage().configure(user, 1_000_000).ok();
    stage().send(user, "before").ok();
    Http hasty = stage().hasty();
    Optional<String> before = stage().kafka().topicId();
    stage().kafka().deleteTopic();
    stage().forgetTopic();
    // Whoever notices first creates it again, perhaps before a message meets its absence.
    Waiting.until(
        "a new topic",
        () -> {
          boolean isTaken = NotificationStage.send(hasty, user, "back").status() == 200;
          Optional<String> now = stage().kafka().topicId();
          return isTaken && now.isPresent() && !now.equals(before);
        });
    Waiting.until("its use", () -> stage().send(user, "back").status() == 200);
    stage().tables().ageOutbox();
    Waiting.until("an empty outbox", () -> isOutboxEmpty());

    long next = stage().newUser();
    stage().configure(next, 10).ok();
    for (String text : List.of("one", "two", "three")) {
      stage().send(next, text).ok();
    }
    assertThat(stage().topic().readOf(next))
        .extracting(TopicReader.Entry::text)
        .containsExactly("one", "two", "three");
    Waiting.until("the provider", () -> stage().sms().of(next).size() >= 3);
    assertThat(stage().sms().of(next)).containsExactly("one", "two", "three");
  }

  private boolean isOutboxEmpty() {
    try {
      return stage().tables().outboxSize() == 0;
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}
