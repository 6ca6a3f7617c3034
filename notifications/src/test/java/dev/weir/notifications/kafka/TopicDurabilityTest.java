package dev.weir.notifications.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.notifications.TestKafka;
import dev.weir.store.tck.internal.Await;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The broker of the tests is alone, so topics have one replica. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TopicDurabilityTest {
  private final Admin admin = TestKafka.clients().admin(TestKafka.TIMEOUT);

  @AfterEach
  void close() {
    admin.close();
  }

  @Test
  void oneReplicaThatWritesLaterMayLoseMessages() {
    String topic = create(Map.of("flush.messages", "1000"));
    assertThat(TopicDurability.problems(admin, List.of(topic)))
        .singleElement()
        .asString()
        .contains(
            topic + " has replication factor 1, min.insync.replicas=1",
            "no loss needs 3 (at least 2), 2 and false");
  }

  @Test
  void minInSyncReplicasAloneAreNotEnough() {
    String topic = create(Map.of("flush.messages", "1000", "min.insync.replicas", "2"));
    assertThat(TopicDurability.problems(admin, List.of(topic))).hasSize(1);
  }

  /** As the embedded broker does: only the loss of its disk loses messages. */
  @Test
  void oneReplicaThatFlushesEachRecordKeepsThem() {
    String topic = create(Map.of("flush.messages", "1"));
    assertThat(TopicDurability.problems(admin, List.of(topic))).isEmpty();
  }

  @Test
  void topicThatIsMissingIsNotJudged() {
    String topic = "none-" + UUID.randomUUID();
    assertThatThrownBy(() -> TopicDurability.problems(admin, List.of(topic)))
        .isInstanceOf(KafkaUnavailableException.class);
  }

  private String create(Map<String, String> config) {
    String topic = "durability-" + UUID.randomUUID();
    Topics.create(
        admin, List.of(new NewTopic(topic, Optional.of(1), Optional.empty()).configs(config)));
    // The controller has it; the broker learns of it a moment later.
    Await.until(() -> isKnown(topic));
    return topic;
  }

  private boolean isKnown(String topic) {
    try {
      return admin
          .describeTopics(List.of(topic))
          .allTopicNames()
          .toCompletionStage()
          .toCompletableFuture()
          .join()
          .containsKey(topic);
    } catch (CompletionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return false;
      }
      throw e;
    }
  }
}
