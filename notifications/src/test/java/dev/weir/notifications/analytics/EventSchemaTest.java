package dev.weir.notifications.analytics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.Decision;
import dev.weir.limits.Usage;
import dev.weir.notifications.MessageIds;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.MessageRecord;
import dev.weir.notifications.messages.MessageState;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.notifications.messages.UserState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

/** The schema in docs/ and the events that are produced agree. */
final class EventSchemaTest {
  private static final MessageIds IDS = new MessageIds(InstantSource.system());
  private static final String TEXT = "a secret of the recipient";

  private final JsonSchema schema;

  EventSchemaTest() throws IOException {
    schema = JsonSchema.read(Path.of("../docs/notification-event.schema.json"));
  }

  @Property(tries = 1_000)
  void everyEventIsValidAndHasNoText(
      @ForAll @LongRange(min = 0) long userId,
      @ForAll @IntRange(min = 1, max = 255) int parts,
      @ForAll @LongRange(min = 1, max = UserLimit.MAX_RATE_LIMIT) long rateLimit,
      @ForAll @LongRange(min = -5, max = 100_000_000_000_000L) long waitMicros)
      throws IOException {
    Set<String> outcomes = new TreeSet<>();
    Set<String> causes = new TreeSet<>();
    Set<String> fields = new HashSet<>();
    for (NotificationEvent event : events(userId, parts, rateLimit, waitMicros)) {
      byte[] json = EventJson.write(IDS.next(), event);
      JsonTree tree = JsonTree.read(json);
      assertThat(schema.problem(tree)).as(event.toString()).isEmpty();
      assertThat(new String(json, StandardCharsets.UTF_8)).doesNotContain(TEXT, "\n");
      assertThat(tree.at("userId").number()).contains(userId);
      assertThat(tree.at("parts").number()).contains((long) parts);
      outcomes.add(tree.at("outcome").text().orElseThrow());
      tree.at("cause").text().ifPresent(causes::add);
      fields.addAll(tree.fields().keySet());
    }
    assertThat(outcomes).hasSize(NotificationEvent.Outcome.values().length);
    assertThat(causes).hasSize(NotificationEvent.Cause.values().length);
    assertThat(fields).isEqualTo(schema.fields());
  }

  /** So that the first test can fail. */
  @Test
  void theSchemaRefusesWhatIsNoEvent() throws IOException {
    String valid =
        new String(
            EventJson.write(IDS.next(), events(1, 1, 1, 1).getFirst()), StandardCharsets.UTF_8);
    assertThat(schema.problem(JsonTree.read(valid.getBytes(StandardCharsets.UTF_8)))).isEmpty();
    for (String[] change :
        new String[][] {
          {"\"version\":1", "\"version\":2"},
          {"\"userId\":1", "\"userId\":-1"},
          {"\"userId\":1", "\"userId\":1.5"},
          {"\"userId\":1", "\"userId\":\"1\""},
          {"\"outcome\":\"sent\"", "\"outcome\":\"lost\""},
          {"\"parts\":1", "\"parts\":256"},
          {"\"parts\":1", "\"p\":1"},
          {"Z\"", "\""}
        }) {
      String changed = valid.replace(change[0], change[1]);
      assertThat(changed).isNotEqualTo(valid);
      assertThat(schema.problem(JsonTree.read(changed.getBytes(StandardCharsets.UTF_8))))
          .as(changed)
          .isPresent();
    }
  }

  private static List<NotificationEvent> events(
      long userId, int parts, long rateLimit, long waitMicros) {
    Instant now = Instant.now();
    Message message = new Message(IDS.next(), userId, TEXT, parts);
    UserState state =
        new UserState(
            UserLimit.of(userId, rateLimit, Duration.ofMinutes(5)), 1, 1, Usage.NONE, 1_000, 1_000);
    Decision.Refused refused = new Decision.Refused(0, waitMicros, waitMicros);
    MessageRecord deferred =
        new MessageRecord(
            message, MessageState.DEFERRED, now, now, Optional.of(now), Optional.empty());
    return List.of(
        NotificationEvent.of(now, message, new SendResult.Sent(message, state, false)),
        NotificationEvent.of(now, message, new SendResult.Sent(message, state, true)),
        NotificationEvent.of(now, message, new SendResult.Deferred(deferred, state)),
        NotificationEvent.of(now, message, new SendResult.Limited(state, refused)),
        NotificationEvent.of(
            now, message, new SendResult.LimitedEarly(state.limit().limit(), refused)),
        NotificationEvent.of(now, message, new SendResult.Closed(state, 1_000 + waitMicros)),
        NotificationEvent.of(now, message, new SendResult.UnknownUser(userId)),
        NotificationEvent.of(now, message, new SendResult.KeyReused()),
        NotificationEvent.of(now, message, new SendResult.TooExpensive(state, 7)),
        NotificationEvent.of(now, message, new SendResult.BrokerRefused(TEXT, false)),
        NotificationEvent.of(now, message, new SendResult.BrokerUnknown(UUID.randomUUID(), TEXT)),
        NotificationEvent.undecided(now, message),
        NotificationEvent.plain(now, NotificationEvent.Outcome.CANCELLED, message),
        NotificationEvent.plain(now, NotificationEvent.Outcome.TAKEN, message),
        NotificationEvent.plain(now, NotificationEvent.Outcome.UNDELIVERED, message));
  }
}
