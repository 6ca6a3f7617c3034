package dev.weir.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.fields.Fields;
import dev.weir.http.fields.JsonDocument;
import dev.weir.http.problems.ProblemException;
import dev.weir.limits.FixedWindow;
import dev.weir.rules.MemoryRules;
import dev.weir.rules.RuleIndex;
import dev.weir.rules.RuleObserver;
import dev.weir.rules.spec.Quota;
import dev.weir.rules.spec.RuleSpec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** The fast path reads the same as the full reader, and nothing else. */
final class PlainCheckTest {
  private static final RuleIndex INDEX = index();

  private static RuleIndex index() {
    MemoryRules rules = new MemoryRules(InstantSource.system());
    rules.create(
        RuleSpec.of("api", Quota.Rate.of(FixedWindow.of(100, Duration.ofSeconds(1)))), "me");
    return new RuleIndex(rules, RuleObserver.NONE);
  }

  @Test
  void readsThePlainForm() {
    CheckRequest request =
        PlainCheck.read(
            bytes("{\"rule\":\"api\",\"key\":\"\\u00fc\",\"cost\":100,\"requestId\":\"r\"}"),
            INDEX);
    assertThat(request).isNotNull();
    assertThat(request.checks().getFirst().key()).isEqualTo("ü");
    assertThat(request.checks().getFirst().cost()).isEqualTo(100);
    assertThat(request.requestId()).isEqualTo("r");
  }

  @Property
  void readsWhatTheLongWayReads(@ForAll("documents") String json) {
    CheckRequest plain = PlainCheck.read(bytes(json), INDEX);
    if (plain != null) {
      assertThat(Optional.of(plain)).isEqualTo(slow(json));
    }
  }

  private static Optional<CheckRequest> slow(String json) {
    byte[] body = bytes(json);
    try {
      return Optional.of(
          CheckRequest.read(Fields.of(JsonDocument.read(body, 0, body.length)), INDEX));
    } catch (ProblemException e) {
      return Optional.empty();
    }
  }

  @Provide
  Arbitrary<String> documents() {
    Arbitrary<String> names = Arbitraries.of("rule", "key", "cost", "requestId", "peek", "other");
    Arbitrary<String> values =
        Arbitraries.of(
            "\"api\"",
            "\"\"",
            "\"k\"",
            "\"a\\u0000\"",
            "\"\\ud800\"",
            "null",
            "true",
            "false",
            "0",
            "1",
            "100",
            "101",
            "-1",
            "1.0",
            "1e1",
            "99999999999999999999",
            "[]",
            "{}");
    Arbitrary<String> fields =
        names.flatMap(name -> values.map(value -> "\"" + name + "\":" + value));
    return fields
        .list()
        .ofMaxSize(3)
        .map(
            more ->
                Stream.concat(Stream.of("\"rule\":\"api\"", "\"key\":\"k\""), more.stream())
                    .toList())
        .flatMap(Arbitraries::shuffle)
        .map(all -> "{" + String.join(",", all) + "}")
        .flatMap(json -> Arbitraries.of(json, json + " ", json + "{}", json.substring(1)));
  }

  private static byte[] bytes(String json) {
    return json.getBytes(StandardCharsets.UTF_8);
  }
}
