package dev.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import dev.weir.server.http.RunningNode;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Sample data, and the refusals that it causes. */
final class DemoIT {
  @RegisterExtension static final RunningNode NODE = RunningNode.inMemory(Map.of());

  private static final String SAMPLE = "/api/v1/dashboard/sample";

  private final Http http = NODE.http();

  @Test
  void makesSomethingToLookAtAndTakesTheRulesAway() {
    http.post(SAMPLE, "{\"seconds\":301}").wrong("seconds");
    Http.Answer made = http.post(SAMPLE, "{\"seconds\":300}");
    assertThat(made.status()).isEqualTo(202);
    assertThat(made.intAt("events")).isEqualTo(2_000);
    assertThat(made.listAt("rules"))
        .isEqualTo(List.of("sample-api", "sample-login", "sample-trial"));
    http.post(SAMPLE, "{}").problem(409, "sample-running");
    assertThat(http.get("/api/v1/dashboard/parts").ok().at("sampleRunning")).isEqualTo(true);
    assertThat(http.get("/admin/rate-limit/configs").ok().text())
        .contains("sample-bank", "sample-letters");
    assertThat(http.get("/api/v1/slots?configName=sample-bank&limit=10000").ok().listAt("slots"))
        .hasSizeGreaterThanOrEqualTo(1_500);

    Waiting.until(
        "refused keys, also of the rule in shadow",
        () -> {
          Http.Answer refusals = http.get("/api/v1/dashboard/refusals").ok();
          return !refusals.listAt("keys").isEmpty() && !refusals.listAt("shadowKeys").isEmpty();
        });
    Http.Answer refusals = http.get("/api/v1/dashboard/refusals").ok();
    assertThat(refusals.textAt("shadowKeys.0.rule")).isEqualTo("sample-trial");
    assertThat(refusals.intAt("keys.0.refused")).isPositive();
    assertThat(refusals.at("sampled")).isEqualTo(false);
    assertThat(
            refusals.listAt("rules").stream()
                .map(rule -> ((Map<?, ?>) rule).get("rule").toString()))
        .contains("sample-api", "sample-login", "sample-trial");

    assertThat(http.delete(SAMPLE).status()).isEqualTo(204);
    assertThat(http.get("/api/admin/rules").ok().text()).isEqualTo("[]");
    Waiting.until(
        "the traffic to end",
        () -> http.get("/api/v1/dashboard/parts").ok().at("sampleRunning").equals(false));

    String own = "{\"name\":\"sample-api\",\"allowedRequests\":7,\"windowSeconds\":60}";
    assertThat(http.post("/api/admin/rules", own).status()).isEqualTo(201);
    assertThat(http.post(SAMPLE, "{\"seconds\":0}").status()).isEqualTo(202);
    assertThat(http.get("/api/v1/dashboard/parts").ok().at("sampleRunning")).isEqualTo(false);
    assertThat(http.delete(SAMPLE).status()).isEqualTo(204);
    assertThat(http.get("/api/admin/rules").ok().text())
        .as("a rule that a user made stays, whatever its name is")
        .contains("sample-api")
        .doesNotContain("sample-login", "sample-trial");
  }
}
