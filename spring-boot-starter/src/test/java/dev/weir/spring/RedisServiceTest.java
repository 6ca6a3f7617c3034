package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.Limiter;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import dev.weir.spring.autoconfigure.Service;
import dev.weir.store.tck.internal.FreePort;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import redis.embedded.RedisServer;

/** Two services that count in one Redis. */
final class RedisServiceTest {
  @Test
  void shareTheirLimitsAndGoOnWhenRedisIsGone() throws IOException {
    int port = FreePort.find();
    RedisServer redis =
        RedisServer.newRedisServer().port(port).bind("127.0.0.1").setting("save \"\"").build();
    redis.start();
    try (Service one = Service.onTomcat(properties(port));
        Service other = Service.onNetty(properties(port))) {
      // The first connection takes a while on a busy machine.
      for (Service service : List.of(one, other)) {
        Service.eventually(() -> service.get("/actuator/health/weir").status() == 200);
      }
      assertThat(one.get("/quotes/1").status()).isEqualTo(200);
      assertThat(other.get("/quotes/1").status()).isEqualTo(200);
      for (Service service : List.of(one, other)) {
        assertThat(service.get("/quotes/1").status()).isEqualTo(429);
        assertThat(service.get("/actuator/health/weir").status()).isEqualTo(200);
      }
      oneReportAtATime(one, other);
      oneReportAtATime(other, one);
      Policy mails = Policy.of("mails", TokenBucket.of(1).refill(1, Duration.ofHours(1)));
      assertThat(one.part(Limiter.class).tryAcquire(mails, "anna")).isTrue();
      assertThat(other.part(Limiter.class).tryAcquire(mails, "anna")).isFalse();

      redis.stop();
      for (Service service : List.of(one, other)) {
        goesOnAlone(service);
      }
    } finally {
      redis.stop();
    }
  }

  @Test
  void startWhileRedisIsGone() throws IOException {
    try (Service one = Service.onTomcat(properties(FreePort.find()));
        Service other = Service.onNetty(properties(FreePort.find()))) {
      for (Service service : List.of(one, other)) {
        goesOnAlone(service);
      }
    }
  }

  private static void goesOnAlone(Service service) {
    // This rule is closed while its store is away.
    assertThat(service.get("/quotes/1").status()).isEqualTo(503);
    assertThat(service.get("/orders/1").status()).isEqualTo(200);
    assertThat(service.get("/actuator/health/weir").status()).isEqualTo(503);
  }

  private static void oneReportAtATime(Service one, Service other) {
    Service.Report report = one.startReport();
    assertThat(other.get("/reports/short").status()).isEqualTo(429);
    report.work().complete("done");
    assertThat(report.answer().join().body()).isEqualTo("done");
    Service.eventually(() -> other.get("/reports/short").status() == 200);
    Service.eventually(() -> one.get("/reports/short").status() == 200);
  }

  private static Map<String, Object> properties(int port) {
    Map<String, Object> properties = new HashMap<>();
    properties.put("weir.store", "redis");
    properties.put("weir.redis.uri", "redis://127.0.0.1:" + port);
    properties.put("weir.redis.timeout", "1m");
    properties.put("weir.rules[0].name", "quotes");
    properties.put("weir.rules[0].path-pattern", "/quotes/**");
    properties.put("weir.rules[0].allowed-requests", "2");
    properties.put("weir.rules[0].window-seconds", "3600");
    properties.put("weir.rules[1].name", "reports");
    properties.put("weir.rules[1].path-pattern", "/reports/**");
    properties.put("weir.rules[1].algorithm", "CONCURRENCY");
    properties.put("weir.rules[1].max-concurrent", "1");
    properties.put("weir.rules[1].key-by", "global");
    properties.put("weir.rules[2].name", "orders");
    properties.put("weir.rules[2].path-pattern", "/orders/**");
    properties.put("weir.rules[2].algorithm", "TOKEN_BUCKET");
    properties.put("weir.rules[2].capacity", "1");
    properties.put("weir.rules[2].refill-rate", "0.001");
    properties.put("weir.rules[2].on-store-failure", "open");
    return properties;
  }
}
