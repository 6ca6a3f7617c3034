package dev.weir.store.surrealdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Base64;
import org.junit.jupiter.api.Test;

final class TokenTest {
  private static String jwt(String claims) {
    return "e30." + Base64.getUrlEncoder().encodeToString(claims.getBytes(UTF_8)) + ".sig";
  }

  @Test
  void tokenIsRenewedBeforeItsEnd() {
    Token token = Token.of(jwt("{\"iat\":1,\"exp\" : 1000,\"ID\":\"weir\"}"), 60, 1);
    assertThat(token.expiresAtSecond()).isEqualTo(1_000);
    assertThat(token.isDue(939)).isFalse();
    assertThat(token.isDue(940)).isTrue();
  }

  @Test
  void shortTokenIsUsedForMostOfItsTime() {
    Token token = Token.of(jwt("{\"exp\":1040}"), 60, 1_000);
    assertThat(token.isDue(1_029)).isFalse();
    assertThat(token.isDue(1_030)).isTrue();
  }

  @Test
  void tokenThatHasEndedByTheClockOfThisNodeIsUsedUntilItIsRejected() {
    assertThat(Token.of(jwt("{\"exp\":1000}"), 60, 5_000).isDue(5_001)).isFalse();
  }

  @Test
  void tokenWithoutAnEndIsValidUntilItIsRejected() {
    for (String text : new String[] {"opaque", "a.!.c", jwt("{}")}) {
      assertThat(Token.of(text, 60, 0).isDue(253_402_300_799L)).as(text).isFalse();
    }
  }

  @Test
  void textThatCannotBeInAHeaderIsNoToken() {
    for (String text : new String[] {"", "a b", "a\r\nX-Admin: 1", "\u00e9", "a\u0000"}) {
      assertThatThrownBy(() -> Token.of(text, 60, 0))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("visible characters");
    }
  }

  @Test
  void tokenIsNotShown() {
    assertThat(Token.of("very-secret", 60, 0).toString()).doesNotContain("secret");
  }
}
