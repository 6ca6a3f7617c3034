package dev.weir.store.surrealdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SurrealDbSettingsTest {
  private static final SurrealDbSettings.User USER =
      new SurrealDbSettings.User("weir", "very secret", SurrealDbSettings.Level.NAMESPACE);
  private static final SurrealDbSettings SETTINGS =
      SurrealDbSettings.of("http://127.0.0.1:8000", "n", "d");

  @Test
  void addressIsThatOfAWebServerWithoutAUser() {
    for (String uri : List.of("ws://h:1", "http:///x", "h:8000", "http://u:p@h:1")) {
      assertThatThrownBy(() -> SurrealDbSettings.of(uri, "n", "d"))
          .as(uri)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("uri must be")
          .hasMessageNotContaining("u:p");
    }
  }

  @Test
  void namesAreFitForHeaderFields() {
    for (String name : List.of("", "a b", "a\r\nb: c", "\u00e9", "a".repeat(101))) {
      assertThatThrownBy(() -> SurrealDbSettings.of("http://h:1", name, "d"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("namespace");
      assertThatThrownBy(() -> SurrealDbSettings.of("http://h:1", "n", name))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("database");
    }
  }

  @Test
  void timeoutIsBounded() {
    for (Duration timeout : List.of(Duration.ZERO, Duration.ofMinutes(2))) {
      assertThatThrownBy(() -> SETTINGS.withTimeout(timeout))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(timeout.toString());
    }
  }

  @Test
  void passwordIsNotShown() {
    assertThat(SETTINGS.withUser(USER).toString()).contains("weir").doesNotContain("secret");
  }

  @Test
  void userSignsInWhereItIsDefined() {
    assertThat(body(SurrealDbSettings.Level.ROOT)).isEqualTo("{\"user\":\"u\",\"pass\":\"p\"}");
    assertThat(body(SurrealDbSettings.Level.NAMESPACE))
        .isEqualTo("{\"ns\":\"n\",\"user\":\"u\",\"pass\":\"p\"}");
    assertThat(body(SurrealDbSettings.Level.DATABASE))
        .isEqualTo("{\"ns\":\"n\",\"db\":\"d\",\"user\":\"u\",\"pass\":\"p\"}");
  }

  private static String body(SurrealDbSettings.Level level) {
    return SignIn.body(SETTINGS, new SurrealDbSettings.User("u", "p", level));
  }

  @Test
  void passwordMayContainAnything() {
    SurrealDbSettings.User odd =
        new SurrealDbSettings.User("u", "\"\\\n\u00e9", SurrealDbSettings.Level.ROOT);
    assertThat(SignIn.body(SETTINGS, odd))
        .isEqualTo("{\"user\":\"u\",\"pass\":\"\\\"\\\\\\u000a\u00e9\"}");
  }

  @Test
  void pausesAfterConflictsGrowUpToABound() {
    assertThat(SurrealDb.maxPause(1)).isEqualTo(Duration.ofMillis(2));
    for (int attempt = 5; attempt <= 100; attempt++) {
      assertThat(SurrealDb.maxPause(attempt)).isEqualTo(Duration.ofMillis(32));
    }
  }
}
