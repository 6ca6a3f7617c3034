package dev.weir.server.notifications;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.wiring.Node;
import dev.weir.notifications.server.node.NotificationSetting;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import dev.weir.server.wiring.TestNode;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Notifications without what they need. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class MissingBrokerIT {
  /** No broker listens there. */
  private static final String NOWHERE = "127.0.0.1:1";

  @Test
  void aMissingBrokerIsNamedAndLeavesEverythingElseAlone(@TempDir Path folder) {
    try (Node node =
        Node.start(
            Capabilities.read(
                Map.of(
                    ServerSetting.PORT, "0",
                    StoreSetting.DATA, folder.toString(),
                    StoreSetting.DB_WAIT, "PT1M",
                    ServerSetting.DRAIN, "PT0S",
                    NotificationSetting.KAFKA_SERVERS, NOWHERE,
                    NotificationSetting.SENDER, "false",
                    NotificationSetting.SEND_TIMEOUT, "PT1S"),
                Map.of(),
                Optional.empty()))) {
      Http http = new Http(node.address());
      // Before any message was sent.
      Waiting.until(
          "the warning",
          () -> {
            Http.Answer ready = http.get("/health/ready");
            return ready.status() == 200 && ready.text().contains(NOWHERE);
          });
      http.post("/api/config", "{\"userId\":1,\"rateLimit\":1,\"timeWindow\":5}").ok();
      Http.Answer refused =
          http.post("/api/send", "{\"userId\":1,\"message\":\"Hello\"}")
              .problem(503, "kafka-unavailable");
      assertThat(refused.textAt("title")).isEqualTo("Kafka Down : Service Unavailable");
      assertThat(refused.textAt("outcome")).isEqualTo("none");
      assertThat(refused.header("retry-after")).hasValue("1");
      assertThat(refused.text()).doesNotContain(NOWHERE);
      assertThat(http.get("/api/config/1").ok().intAt("currentCount")).isZero();
      http.post("/api/send", "{\"userId\":2,\"message\":\"Hello\"}").problem(404, "unknown-user");
      assertThat(http.get("/metrics").text()).contains("rate_limiter_message_broker_down 1.0");
      http.post("/api/v1/slots", "{\"eventId\":\"a\"}").ok();
    }
  }

  @Test
  void aNodeWithoutADatabaseSaysThatItHasNoNotifications() {
    try (Node node = TestNode.inMemory(Map.of())) {
      Http http = new Http(node.address());
      http.post("/api/send", "{\"userId\":1,\"message\":\"Hello\"}")
          .problem(404, "notifications-disabled");
      http.get("/api/config").problem(404, "notifications-disabled");
    }
  }
}
