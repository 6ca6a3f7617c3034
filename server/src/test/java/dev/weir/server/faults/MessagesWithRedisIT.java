package dev.weir.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.wiring.Node;
import dev.weir.notifications.server.node.NotificationSetting;
import dev.weir.server.http.Http;
import dev.weir.server.http.LogWatch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Messages while Redis counts them, is lost, and comes back without its data. */
@EnabledIf("dev.weir.server.faults.RedisProcess#isInstalled")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
final class MessagesWithRedisIT {
  private static final String DOWN = "The store of hot counts is down";
  private static final String BACK = "The store of hot counts is back";

  /** The number of messages that Redis has refused. */
  private static final String EARLY =
      "rate_limiter_message_send_seconds_count{outcome=\"limited_early\"}";

  private static Http http;

  @Test
  void redisRefusesEarlyAndItsLossLetsNobodyPastTheLimit(@TempDir Path folder) throws IOException {
    try (RedisProcess redis = new RedisProcess(Ports.free(), folder.resolve("redis.log"));
        Node node = start(folder.resolve("data"), redis.address());
        LogWatch logs = new LogWatch()) {
      http = new Http(node.address());
      configure();
      assertThat(send().status()).isEqualTo(200);
      Waiting.until("a refusal by Redis", MessagesWithRedisIT::isRefusedEarly);

      redis.kill();
      Waiting.until(
          "the outage to be noticed",
          () -> {
            refused();
            return logs.text().contains(DOWN);
          });
      assertThat(isRefusedEarly()).isFalse();
      configure();
      assertThat(send().status()).isEqualTo(200);
      refused();

      redis.start();
      Waiting.until(
          "Redis to be used again",
          () -> {
            refused();
            return logs.text().contains(BACK);
          });
      Waiting.until("a refusal by Redis", MessagesWithRedisIT::isRefusedEarly);
      assertThat(logs.lines("WARN")).filteredOn(line -> line.contains(DOWN)).hasSize(1);
    }
  }

  private static Node start(Path data, String redis) {
    return Node.start(
        Capabilities.read(
            Map.of(
                ServerSetting.PORT, "0",
                StoreSetting.DATA, data.toString(),
                ServerSetting.DRAIN, "PT0S",
                StoreSetting.REDIS_URI, redis,
                // Longer than an answer takes, even on a busy machine.
                StoreSetting.REDIS_TIMEOUT, "PT1M",
                StoreSetting.DB_WAIT, "PT1M",
                NotificationSetting.SEND_TIMEOUT, "PT3M"),
            Map.of(),
            Optional.empty()));
  }

  private static void configure() {
    http.post("/api/config", "{\"userId\":1,\"rateLimit\":1,\"timeWindow\":60}").ok();
  }

  private static Http.Answer send() {
    return http.post("/api/send", "{\"userId\":1,\"message\":\"Hello\"}");
  }

  /** Sends a message that is refused; returns true if the database was not asked. */
  private static boolean isRefusedEarly() {
    double before = early();
    refused();
    return early() > before;
  }

  private static double early() {
    return http.get("/metrics")
        .text()
        .lines()
        .filter(line -> line.startsWith(EARLY + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(EARLY.length() + 1)))
        .findFirst()
        .orElseThrow();
  }

  /** Sends a message that is refused: with the same fields by Redis and by the database. */
  private static void refused() {
    Http.Answer answer = send();
    assertThat(answer.status()).as(answer.text()).isEqualTo(429);
    assertThat(answer.header("ratelimit-policy")).hasValue("\"messages\";q=1;w=3600");
    assertThat(answer.header("ratelimit").orElse("")).startsWith("\"messages\";r=0;t=");
    assertThat(answer.header("x-ratelimit-limit")).hasValue("1");
    assertThat(Integer.parseInt(answer.header("retry-after").orElseThrow()))
        .isBetween(2_900, 3_600);
  }
}
