package dev.weir.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** An invalid property stops the start, and is named. */
final class WrongPropertiesTest {
  private static final Map<String, String> RULE =
      Map.of(
          "weir.rules[0].name", "orders",
          "weir.rules[0].path-pattern", "/orders/**",
          "weir.rules[0].allowed-requests", "3",
          "weir.rules[0].window-seconds", "10");

  @Test
  void aRuleThatCannotBeNamesItsField() {
    refuses("weir.rules[0].window-seconds", "-1");
    refuses("weir.rules[0].window-seconds", "1e9");
    refuses("weir.rules[0].window-seconds", "0.00000001");
    refuses("weir.rules[0].allowed-requests", "0");
    refuses("weir.rules[0].path-pattern", "orders");
    refuses("weir.rules[0].key-by", "cookie");
    refuses("weir.rules[0].methods", "get");
    refuses("weir.rules[0].priority", "2000000");
    refuses("weir.rules[0].capacity", "5");
    refuses("weir.rules[0].delay-per-request-ms", "0");
    refuses("weir.rules[0].on-store-failure", "fallback");
    refuses("weir.rules[0].algorithm", "leaky");
    refuses("weir.rules[0].allowed-request", "3");
  }

  @Test
  void aRuleThatLacksSomethingNamesIt() {
    refusesWithout("weir.rules[0].name");
    refusesWithout("weir.rules[0].path-pattern");
    refusesWithout("weir.rules[0].window-seconds");
  }

  @Test
  void settingsThatCannotBeAreNamed() {
    refuses("weir.trusted-proxies", "10.0.0.0/99");
    refuses("weir.store", "postgres");
    refuses("weir.nodes", "0");
    refuses("weir.colour", "red");
    assertThat(refusal(Map.of("weir.store", "redis"))).contains("weir.redis.uri");
    assertThat(
            refusal(
                Map.of(
                    "weir.store", "redis",
                    "weir.redis.uri", "rediss://host",
                    "weir.redis.trust", "/none.pem")))
        .contains("weir.redis.trust");
    for (String timeout : new String[] {"0s", "61s"}) {
      assertThat(
              refusal(
                  Map.of(
                      "weir.store", "redis",
                      "weir.redis.uri", "redis://host",
                      "weir.redis.timeout", timeout)))
          .contains("weir.redis.timeout");
    }
    assertThat(refusal(Map.of("weir.store", "remote"))).contains("weir.remote.url");
    assertThat(refusal(Map.of("weir.store", "remote", "weir.remote.url", "weir:8080")))
        .contains("weir.remote.url");
  }

  /** Spring Boot prints the value of a property that is reported as invalid by its exception. */
  @Test
  void secretsAreNotRepeated() {
    hides("weir.redis.uri", Map.of("weir.store", "redis", "weir.redis.uri", "rredis://:secret@h"));
    hides(
        "weir.remote.url",
        Map.of("weir.store", "remote", "weir.remote.url", "http://weir:secret@host:8080"));
    hides(
        "weir.remote.key",
        Map.of(
            "weir.store",
            "remote",
            "weir.remote.url",
            "http://weir:8080",
            "weir.remote.key",
            "secret\n"));
    hides(
        "weir.remote.key",
        Map.of(
            "weir.store",
            "remote",
            "weir.remote.url",
            "http://weir:8080",
            "weir.remote.key",
            "secr\u00e9t secret"));
  }

  private static void hides(String property, Map<String, Object> properties) {
    Throwable failure = catchThrowable(() -> Service.startAndStop(properties));
    assertThat(failure).hasRootCauseInstanceOf(WrongSecretException.class);
    FailureAnalysis analysis = new WrongSecretAnalyzer().analyze(failure);
    assertThat(analysis.getDescription()).contains(property).doesNotContain("secret");
    assertThat(refusal(properties)).contains(property).doesNotContain("secret");
  }

  /** A client could replace the key, or its own address. */
  @Test
  void fieldsThatWeirSendsItselfAreNotForwarded() {
    Map<String, Object> properties = new HashMap<>();
    properties.put("weir.store", "remote");
    properties.put("weir.remote.url", "http://weir:8080");
    properties.put("weir.remote.headers", "Authorization");
    Service.startAndStop(properties);
    properties.put("weir.remote.key", "a-key");
    assertThat(refusal(properties)).contains("weir.remote.headers");
    for (String name : new String[] {"x-forwarded-for", "Forwarded", "X-Original-URI"}) {
      properties.put("weir.remote.headers", name);
      assertThat(refusal(properties)).as(name).contains("weir.remote.headers");
    }
  }

  @Test
  void whatIsRightStarts() {
    Service.startAndStop(Map.copyOf(RULE));
    Service.startAndStop(Map.of("weir.enabled", "false", "weir.store", "remote"));
  }

  private static void refuses(String property, String value) {
    Map<String, Object> properties = new HashMap<>(RULE);
    properties.put(property, value);
    assertThat(refusal(properties)).as(property + "=" + value).contains(property);
  }

  private static void refusesWithout(String property) {
    Map<String, Object> properties = new HashMap<>(RULE);
    properties.remove(property);
    assertThat(refusal(properties)).contains(property);
  }

  /** The messages of the failure and its causes. */
  private static String refusal(Map<String, ?> properties) {
    Throwable failure = catchThrowable(() -> Service.startAndStop(Map.copyOf(properties)));
    assertThat(failure).as("with " + properties.keySet()).isNotNull();
    StringBuilder messages = new StringBuilder();
    for (Throwable each = failure; each != null; each = each.getCause()) {
      messages.append(each).append('\n');
    }
    return messages.toString();
  }
}
