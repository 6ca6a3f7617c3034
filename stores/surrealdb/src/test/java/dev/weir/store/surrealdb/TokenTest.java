package dev.weir.store.surrealdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Base64;
import org.junit.jupiter.api.Test;

final class TokenTest {
  private static String jwt(String claims) {
    return "e30." + Base64.getUrlEncoder().encodeToString(claims.getBytes(UTF_8)) + ".sig";
  }

  @Test
  void tokenIsRenewedBeforeItsEnd() {
    Token token = Token.of(jwt("{\"iat\":1,\"exp\" : 1000,\"ID\":\"weir\"}"));
    assertThat(token.expiresAtSecond()).isEqualTo(1_000);
    assertThat(token.endsWithin(60, 939)).isFalse();
    assertThat(token.endsWithin(60, 940)).isTrue();
  }

  @Test
  void tokenWithoutAnEndIsValidUntilItIsRejected() {
    for (String text : new String[] {"opaque", "a.!.c", jwt("{}")}) {
      assertThat(Token.of(text).endsWithin(60, 253_402_300_799L)).as(text).isFalse();
    }
  }

  @Test
  void tokenIsNotShown() {
    assertThat(Token.of("very-secret").toString()).doesNotContain("secret");
  }
}
