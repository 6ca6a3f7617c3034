package dev.weir.notifications;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.notifications.SignedRequests.Verdict;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;

final class SignedRequestsTest {
  private static final String SECRET = "a secret of both";
  private static final long NOW = 1_772_366_400;
  private static final byte[] BODY = "{\"state\":\"delivered\"}".getBytes(StandardCharsets.UTF_8);

  private final SignedRequests requests = by(SECRET);

  private static SignedRequests by(String secret) {
    return new SignedRequests("w", secret, InstantSource.fixed(Instant.ofEpochSecond(NOW)));
  }

  /** The value is that of OpenSSL for the text {@code 1.{}} and the key {@code key}. */
  @Test
  void signatureIsHmacSha256() {
    assertThat(by("key").signature("1", new byte[] {'{', '}'}))
        .isEqualTo("v1=1ba6b8171186efc613e8bcc0cbdab2748f24984d7c5a84faa2637afa0e40d224");
  }

  @Test
  void acceptsWhatWasSignedAShortTimeAgo() {
    for (long at : new long[] {NOW, NOW - 300, NOW + 300}) {
      String timestamp = Long.toString(at);
      assertThat(requests.verify(timestamp, signature(SECRET, timestamp), BODY))
          .isEqualTo(Verdict.VALID);
    }
  }

  @Test
  void refusesWhatIsOldOrHasNoTime() {
    for (String timestamp :
        new String[] {
          Long.toString(NOW - 301),
          Long.toString(NOW + 301),
          "",
          "-1",
          "now",
          "9".repeat(12),
          "9".repeat(30),
          NOW + ".0"
        }) {
      assertThat(requests.verify(timestamp, signature(SECRET, timestamp), BODY))
          .as(timestamp)
          .isEqualTo(Verdict.OLD);
    }
  }

  @Test
  void refusesAnotherSecretBodyOrTime() {
    String timestamp = Long.toString(NOW);
    String signature = signature(SECRET, timestamp);
    assertThat(requests.verify(timestamp, signature("another secret!!", timestamp), BODY))
        .isEqualTo(Verdict.WRONG);
    assertThat(requests.verify(timestamp, signature, new byte[0])).isEqualTo(Verdict.WRONG);
    assertThat(requests.verify(Long.toString(NOW + 1), signature, BODY)).isEqualTo(Verdict.WRONG);
    assertThat(requests.verify(timestamp, "", BODY)).isEqualTo(Verdict.WRONG);
    assertThat(requests.verify(timestamp, signature.substring(3), BODY)).isEqualTo(Verdict.WRONG);
  }

  private static String signature(String secret, String timestamp) {
    return by(secret).signature(timestamp, BODY);
  }
}
