package dev.weir.server.notifications;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.faults.TopicReader;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.GenerationMode;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** What becomes of messages that were answered with 200. */
interface TopicLaws extends NotificationLaws {
  /**
   * A request.
   *
   * @param user one of two
   */
  record Sending(int user, String text) {}

  /** Property 7: and nothing that was refused is there. */
  @Property(tries = 100, generation = GenerationMode.RANDOMIZED)
  default void whatWasSentIsOnTheTopic(@ForAll("sendings") List<Sending> sendings) {
    List<Long> users = List.of(stage().newUser(), stage().newUser());
    stage().configure(users.get(0), 2).ok();
    stage().configure(users.get(1), 100).ok();
    List<List<TopicReader.Entry>> expected = List.of(new ArrayList<>(), new ArrayList<>());
    for (Sending sending : sendings) {
      long user = users.get(sending.user());
      Http.Answer answer = stage().send(user, sending.text());
      if (answer.status() == 200) {
        expected
            .get(sending.user())
            .add(
                new TopicReader.Entry(
                    0,
                    0,
                    Long.toString(user),
                    UUID.fromString(answer.textAt("messageId")),
                    user + ": " + sending.text()));
      } else {
        assertThat(answer.status()).isEqualTo(429);
      }
    }
    assertThat(expected.get(0).size())
        .isEqualTo(Math.min(2, sendings.stream().filter(each -> each.user() == 0).count()));
    for (int i = 0; i < users.size(); i++) {
      List<TopicReader.Entry> entries = stage().topic().readOf(users.get(i));
      assertThat(entries)
          .usingRecursiveFieldByFieldElementComparatorIgnoringFields("partition", "offset")
          .containsExactlyElementsOf(expected.get(i));
      assertThat(entries.stream().map(TopicReader.Entry::partition).distinct().count())
          .isLessThanOrEqualTo(1);
    }
  }

  /** Property 8: once, in order for each user. */
  @Property(tries = 100, generation = GenerationMode.RANDOMIZED)
  default void whatWasSentIsReportedByTheSender(@ForAll("sendings") List<Sending> sendings) {
    List<Long> users = List.of(stage().newUser(), stage().newUser());
    users.forEach(user -> stage().configure(user, 100).ok());
    List<List<String>> expected = List.of(new ArrayList<>(), new ArrayList<>());
    String last = "";
    for (Sending sending : sendings) {
      Http.Answer sent = stage().send(users.get(sending.user()), sending.text()).ok();
      last = sent.textAt("messageId");
      expected.get(sending.user()).add(oneLine(sending.text()));
    }
    for (int i = 0; i < users.size(); i++) {
      long user = users.get(i);
      int count = expected.get(i).size();
      Waiting.until("the sender", () -> stage().sms().of(user).size() >= count);
      assertThat(stage().sms().of(user)).containsExactlyElementsOf(expected.get(i));
    }
    String path = "/api/messages/" + last;
    Waiting.until(
        "the state", () -> stage().otherNode().get(path).ok().textAt("state").equals("sent"));
  }

  private static String oneLine(String text) {
    return text.replace("\n", "\\u000A");
  }

  @Provide
  default Arbitrary<List<Sending>> sendings() {
    Arbitrary<Integer> codePoints =
        Arbitraries.frequencyOf(
            Tuple.of(10, Arbitraries.integers().between(' ', '~')),
            Tuple.of(2, Arbitraries.integers().between(0xa1, 0x24f)),
            Tuple.of(1, Arbitraries.integers().between(0x1f600, 0x1f64f)),
            Tuple.of(1, Arbitraries.just((int) '\n')));
    Arbitrary<String> texts =
        codePoints
            .list()
            .ofMinSize(1)
            .ofMaxSize(100)
            .map(
                list ->
                    list.stream()
                        .collect(
                            StringBuilder::new,
                            StringBuilder::appendCodePoint,
                            StringBuilder::append)
                        .toString())
            .filter(text -> !text.isBlank());
    return Combinators.combine(Arbitraries.integers().between(0, 1), texts)
        .as(Sending::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(3);
  }
}
