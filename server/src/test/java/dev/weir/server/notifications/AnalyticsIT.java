package dev.weir.server.notifications;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Setting;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.wiring.Node;
import dev.weir.notifications.server.node.NotificationSetting;
import dev.weir.opensearch.OpenSearchProcess;
import dev.weir.server.faults.Relay;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import dev.weir.server.http.LogWatch;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Analytics over HTTP, on one node with its own PostgreSQL and Kafka, and a real OpenSearch. */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
final class AnalyticsIT {
  private static final String TOKEN = "token-of-administrators";
  private static final String SECRET = "hunter2-hunter2-hunter2";

  @Test
  void answersTheQuestionsOfOperatorsAndNothingElseDependsOnIt(@TempDir Path folder)
      throws Exception {
    try (LogWatch log = new LogWatch();
        OpenSearchProcess search = new OpenSearchProcess(folder.resolve("opensearch"));
        Relay way = new Relay(search.address().getPort());
        Node node =
            start(
                Map.of(
                    StoreSetting.DATA,
                    folder.resolve("data").toString(),
                    ServerSetting.ADMIN_TOKEN,
                    TOKEN,
                    NotificationSetting.OPENSEARCH_URL,
                    "http://127.0.0.1:" + way.port(),
                    NotificationSetting.OPENSEARCH_USER,
                    "weir",
                    NotificationSetting.OPENSEARCH_PASSWORD,
                    SECRET))) {
      Http http = new Http(node.address()).with("Authorization", "Bearer " + TOKEN);
      configure(http, 101, 2);
      configure(http, 102, 5);
      for (int i = 0; i < 3; i++) {
        send(http, 101);
        send(http, 102);
      }
      Waiting.until("all events to be indexed", () -> attempts(http) == 6);
      Http.Answer users = found(http, "/api/analytics/users");
      assertThat(users.intAt("users.0.userId")).isEqualTo(102);
      assertThat(users.intAt("users.0.messages")).isEqualTo(3);
      assertThat(users.intAt("users.0.cost")).isEqualTo(3);
      assertThat(users.intAt("users.1.messages")).isEqualTo(2);
      Http.Answer limited = found(http, "/api/analytics/limited");
      assertThat(limited.intAt("users.0.userId")).isEqualTo(101);
      assertThat(limited.intAt("users.0.refusals")).isEqualTo(1);
      assertThat(found(http, "/api/analytics/unusual?window=PT1M").intAt("examined"))
          .isBetween(0, 2);
      invalidQuestionsAreNamed(http);
      assertThat(new Http(node.address()).get("/api/analytics/users").status()).isEqualTo(401);

      way.cut();
      Http.Answer down = http.get("/api/analytics/users");
      assertThat(down.status()).isEqualTo(503);
      assertThat(down.textAt("type")).isEqualTo("urn:weir:problem:opensearch-unavailable");
      assertThat(down.header("Retry-After")).contains("5");
      send(http, 102);
      Waiting.until(
          "the warning",
          () -> {
            Http.Answer ready = http.get("/health/ready");
            return ready.status() == 200 && ready.text().contains("OpenSearch");
          });
      way.mend();
      Waiting.until("what was sent meanwhile", () -> attempts(http) == 7);
      assertThat(http.get("/metrics").text())
          .contains("rate_limiter_message_events_total{result=\"dropped\"} 0.0")
          .contains("rate_limiter_message_index_down 0.0");
      assertThat(log.text()).doesNotContain(SECRET);
    }
  }

  /** Asks until OpenSearch has answered in the short time that a node waits for it. */
  private static Http.Answer found(Http http, String path) {
    Http.Answer answer = http.get(path);
    while (answer.status() == 503) {
      answer = http.get(path);
    }
    return answer.ok();
  }

  /** Returns the attempts in all minutes; less than there are while OpenSearch does not answer. */
  private static int attempts(Http http) {
    Http.Answer peaks = http.get("/api/analytics/peaks?limit=1000");
    if (peaks.status() != 200) {
      return 0;
    }
    return IntStream.range(0, peaks.listAt("minutes").size())
        .map(i -> peaks.intAt("minutes." + i + ".attempts"))
        .sum();
  }

  private static void invalidQuestionsAreNamed(Http http) {
    Instant now = Instant.now();
    for (String wrong :
        List.of(
            "users?limit=0",
            "users?limit=1001",
            "users?from=yesterday",
            "users?from=" + now + "&to=" + now.minusSeconds(1),
            "users?from=" + now.minus(Duration.ofDays(32)) + "&to=" + now,
            "peaks?from=" + now.minus(Duration.ofDays(15)) + "&to=" + now,
            "limited?user=1",
            "unusual?window=PT1S",
            "unusual?window=PT90S",
            "unusual?window=PT25H",
            "unusual?history=101",
            "unusual?users=501")) {
      Http.Answer answer = http.get("/api/analytics/" + wrong);
      assertThat(answer.status()).as(wrong).isEqualTo(400);
      assertThat(answer.textAt("title")).isEqualTo("Missing/Invalid Arguments");
      assertThat(answer.textAt("errors.0.field")).as(wrong).isNotBlank();
    }
  }

  private static void configure(Http http, long userId, int rateLimit) {
    http.post(
            "/api/config",
            "{\"userId\":%d,\"rateLimit\":%d,\"timeWindow\":60}".formatted(userId, rateLimit))
        .ok();
  }

  private static void send(Http http, long userId) {
    int status =
        http.post("/api/send", "{\"userId\":%d,\"message\":\"hello\"}".formatted(userId)).status();
    assertThat(status).isIn(200, 429);
  }

  private static Node start(Map<Setting, String> more) {
    Map<Setting, String> settings = new HashMap<>(more);
    settings.put(ServerSetting.PORT, "0");
    settings.put(ServerSetting.DRAIN, "PT0S");
    settings.put(StoreSetting.DB_WAIT, "PT1M");
    settings.put(NotificationSetting.SEND_TIMEOUT, "PT3M");
    return Node.start(Capabilities.read(settings, Map.of(), Optional.empty()));
  }
}
