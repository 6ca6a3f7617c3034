package dev.weir.http.fields;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.http.json.Json;
import dev.weir.http.problems.ProblemException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Text that is not JSON is refused with a helpful message. */
final class JsonTest {
  @Test
  void refusesWhatIsNoJson() {
    for (String text :
        List.of(
            "",
            "{",
            "[1,}",
            "{\"a\":1}x",
            "{\"a\":1,\"a\":2}",
            "{\"a\":\"\t\"}",
            "[".repeat(18) + "]".repeat(18),
            "{\"a\":" + "1".repeat(1_500) + "}",
            "{\"a\":1e99999999999}",
            "{\"" + "a".repeat(60_000) + "\":1}")) {
      assertThatThrownBy(() -> read(text))
          .as(text)
          .isInstanceOfSatisfying(
              ProblemException.class,
              refusal -> {
                assertThat(refusal.problem().kind()).isEqualTo("malformed-json");
                assertThat(refusal.problem().detail()).doesNotContain("Source", "java", "Feature");
              });
    }
  }

  @Test
  void secondsAreExactAndAsShortAsTheyCanBe() {
    assertThat(seconds(0)).isEqualTo("0");
    assertThat(seconds(1)).isEqualTo("0.000001");
    assertThat(seconds(10)).isEqualTo("0.00001");
    assertThat(seconds(999_999)).isEqualTo("0.999999");
    assertThat(seconds(1_000_000)).isEqualTo("1");
    assertThat(seconds(3_600_100_000L)).isEqualTo("3600.1");
    assertThat(seconds(Long.MAX_VALUE)).isEqualTo("9223372036854.775807");
  }

  private static String seconds(long micros) {
    byte[] json =
        Json.bytes(
            out -> {
              out.writeStartObject();
              Json.writeSeconds(out, "s", micros);
              out.writeEndObject();
            });
    return new String(json, StandardCharsets.UTF_8).replaceAll("[{}]|\"s\":", "");
  }

  private static Object read(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return JsonDocument.read(bytes, 0, bytes.length);
  }
}
