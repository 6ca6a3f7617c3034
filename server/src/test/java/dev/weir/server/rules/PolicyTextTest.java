package dev.weir.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.Concurrency;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import dev.weir.rules.text.PolicyText;
import dev.weir.server.http.StructuredFields;
import java.math.BigDecimal;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

final class PolicyTextTest {
  private static final TokenBucket BUCKET = TokenBucket.perSecond(100, BigDecimal.TEN);

  @Test
  void saysWhatARuleAllows() {
    assertThat(text(FixedWindow.of(100, Duration.ofMinutes(1)))).isEqualTo("\"api\";q=100;w=60");
    assertThat(text(SlidingWindow.of(5, Duration.ofSeconds(1)))).isEqualTo("\"api\";q=5;w=1");
    assertThat(text(BUCKET)).isEqualTo("\"api\";q=100");
  }

  @Test
  void leavesOutAWindowThatIsNoWholeNumberOfSeconds() {
    assertThat(text(FixedWindow.of(1, Duration.ofMillis(1_500)))).isEqualTo("\"api\";q=1");
    assertThat(text(FixedWindow.of(1, Duration.ofMillis(999)))).isEqualTo("\"api\";q=1");
  }

  @Test
  void theLargestNumbersAreStillIntegers() {
    Limit largest = FixedWindow.of(FixedWindow.MAX_LIMIT, Duration.ofDays(366));
    assertThat(StructuredFields.read(text(largest)).getFirst().parameters())
        .isEqualTo(
            Map.of(
                "q", BigDecimal.valueOf(FixedWindow.MAX_LIMIT),
                "w", BigDecimal.valueOf(Duration.ofDays(366).toSeconds())));
  }

  @Property
  void everyNameOfARuleIsReadAsItIs(
      @ForAll @StringLength(min = 1, max = 100) @CharRange(from = ' ', to = '~') String name) {
    PolicyText text = PolicyText.ofRule(name, BUCKET);

    assertThat(StructuredFields.read(text.item()).getFirst().name()).isEqualTo(name);
    assertThat(StructuredFields.read(text.name()).getFirst().name()).isEqualTo(name);
  }

  @Test
  void aNameThatFieldsCannotCarryIsEscaped() {
    assertThat(PolicyText.ofRule("a\r\nSet-Cookie: b", BUCKET).item())
        .isEqualTo("\"a%0D%0ASet-Cookie: b\";q=100");
  }

  @Property
  void everyResourceHasItsOwnNameThatFieldsCanCarry(
      @ForAll @StringLength(min = 1, max = 50) String resource) {
    // An unpaired surrogate is refused earlier.
    String whole = new String(resource.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    String name =
        StructuredFields.read(PolicyText.ofBucket(whole, BUCKET).item()).getFirst().name();

    assertThat(URLDecoder.decode(name.replace("+", "%2B"), StandardCharsets.UTF_8))
        .isEqualTo(whole);
  }

  @Test
  void saysThatConcurrencyCountsRequestsAtATime() {
    PolicyText text = PolicyText.ofConcurrency("db", Concurrency.of(50, Duration.ofSeconds(30)));

    assertThat(text.item()).isEqualTo("\"db\";q=50;qu=\"concurrent-requests\"");
    assertThat(StructuredFields.read(text.item()).getFirst().parameters())
        .isEqualTo(Map.of("q", BigDecimal.valueOf(50), "qu", "concurrent-requests"));
  }

  private static String text(Limit limit) {
    return PolicyText.ofRule("api", limit).item();
  }
}
