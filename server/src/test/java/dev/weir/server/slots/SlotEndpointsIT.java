package dev.weir.server.slots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.json.Json;
import dev.weir.server.http.Http;
import dev.weir.server.http.RunningNode;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Slots over HTTP, one at a time, and requests that are rejected. */
final class SlotEndpointsIT {
  private static final String SLOTS = "/api/v1/slots";

  @RegisterExtension private static final RunningNode node = RunningNode.inMemory(Map.of());

  private static final Http http = node.http();

  @Test
  void givesASlot() {
    Http.Answer answer = assign("pay-1", "2026-06-01T12:00:01Z").ok();
    assertThat((Map<?, ?>) answer.json())
        .isEqualTo(
            Map.of(
                "eventId", "pay-1",
                "configName", "default",
                "requestedTime", "2026-06-01T12:00:01Z",
                "scheduledTime", "2026-06-01T12:00:02Z",
                "delayMs", BigDecimal.valueOf(1000),
                "windowStart", "2026-06-01T12:00:00Z",
                "configVersion", BigDecimal.ONE,
                "replayed", false));
  }

  @Test
  void returnsTheSameSlotAgainForADifferentRequest() {
    Http.Answer first = assign("again", "2027-01-01T00:00:00Z").ok();
    Http.Answer second = assign("again", "2028-01-01T00:00:00Z").ok();
    assertThat(second.at("replayed")).isEqualTo(true);
    for (String field : List.of("scheduledTime", "requestedTime", "windowStart", "delayMs")) {
      assertThat(second.at(field)).isEqualTo(first.at(field));
    }
  }

  @Test
  void takesNowForATimeThatIsLeftOut() {
    Instant before = Instant.now();
    Http.Answer answer = http.post(SLOTS, "{\"eventId\":\"now\"}").ok();
    Instant requested = Instant.parse(answer.textAt("requestedTime"));
    assertThat(requested).isBetween(before, Instant.now().plusMillis(1));
    Duration delay = Duration.between(requested, Instant.parse(answer.textAt("scheduledTime")));
    assertThat(delay).isBetween(Duration.ZERO, Duration.ofSeconds(8));
    assertThat(answer.intAt("delayMs")).isEqualTo((int) delay.toMillis());
  }

  @Test
  void findsASlot() {
    assign("find", "2026-01-01T00:00:00Z").ok();
    Http.Answer found = http.get(SLOTS + "/find").ok();
    assertThat(found.textAt("state")).isEqualTo("assigned");
    assertThat(Instant.parse(found.textAt("assignedAt"))).isBeforeOrEqualTo(Instant.now());
    http.get(SLOTS + "/missing").problem(404, "unknown-event");
  }

  @Test
  void confirmMayBeRepeatedButNotAfterACancel() {
    assign("confirm", "2026-01-01T00:00:00Z").ok();
    assertThat(http.post(SLOTS + "/confirm/confirm").ok().textAt("state")).isEqualTo("confirmed");
    http.post(SLOTS + "/confirm/confirm").ok();
    http.post(SLOTS + "/confirm/confirm", "{}").ok();
    assertThat(http.get(SLOTS + "/confirm").ok().textAt("state")).isEqualTo("confirmed");
    http.delete(SLOTS + "/confirm").problem(409, "state-conflict");
    http.post(SLOTS + "/missing/confirm").problem(404, "unknown-event");
    assign("given-back", "2026-01-01T00:00:00Z").ok();
    http.delete(SLOTS + "/given-back");
    http.post(SLOTS + "/given-back/confirm").problem(409, "state-conflict");
  }

  @Test
  void cancelMayBeRepeatedAndFreesThePlace() {
    String time = "2040-01-01T00:00:00Z";
    String scheduled = assign("cancel", time).ok().textAt("scheduledTime");
    Http.Answer answer = http.delete(SLOTS + "/cancel");
    assertThat(answer.status()).isEqualTo(204);
    assertThat(answer.body()).isEmpty();
    assertThat(http.delete(SLOTS + "/cancel").status()).isEqualTo(204);
    assertThat(http.get(SLOTS + "/cancel").ok().textAt("state")).isEqualTo("cancelled");
    http.delete(SLOTS + "/missing").problem(404, "unknown-event");
    assertThat(assign("next", time).ok().textAt("scheduledTime")).isEqualTo(scheduled);
    assertThat(assign("cancel", time).ok().at("replayed")).isEqualTo(false);
  }

  @Test
  void takesEveryIdInAPathAsItIs() {
    for (String id :
        List.of(
            "a/b",
            "/",
            "a//b",
            "a b",
            "a%b",
            "%2F",
            "a?b",
            "a#b",
            "a;b=c",
            "a+b",
            "a&b=c",
            "ü😀",
            "..",
            ".",
            "../..",
            "a\\b",
            "{id}",
            "\"q\"",
            "a\r\nX-Evil: 1",
            "batch",
            "configs",
            "*",
            "~",
            "a|b",
            "^",
            "`")) {
      assertThat(
              http.post(
                      SLOTS,
                      Json.bytes(
                          json -> {
                            json.writeStartObject();
                            json.writeStringField("eventId", id);
                            json.writeEndObject();
                          }))
                  .ok()
                  .textAt("eventId"))
          .isEqualTo(id);
      String path = SLOTS + "/" + Http.encoded(id);
      assertThat(http.get(path).ok().textAt("eventId")).isEqualTo(id);
      assertThat(http.delete(path).status()).as(id).isEqualTo(204);
      http.post(path + "/confirm").problem(409, "state-conflict");
    }
  }

  @Test
  void needsNoEncodingWhereAPathNeedsNone() {
    String id = "a!$&'()*+,;=:@-._~";
    http.post(SLOTS, "{\"eventId\":\"" + id + "\"}").ok();
    assertThat(http.get(SLOTS + "/" + id).ok().textAt("eventId")).isEqualTo(id);
    http.post(SLOTS + "/" + id + "/confirm").ok();
    http.delete(SLOTS + "/" + id).problem(409, "state-conflict");
  }

  @Test
  void findsIdsByQueryThatAreEndpointsInAPath() {
    for (String id : List.of("windows", "forecast", "./..", "a&b=c ü+")) {
      http.post(SLOTS, "{\"eventId\":\"" + id + "\"}").ok();
      String query = SLOTS + "?eventId=" + Http.encoded(id);
      assertThat(http.get(query).ok().textAt("slots.0.eventId")).isEqualTo(id);
      // Only looking is an endpoint's business: the rest goes by the path.
      http.post(SLOTS + "/" + Http.encoded(id) + "/confirm").ok();
      assertThat(http.get(query).ok().textAt("slots.0.state")).isEqualTo("confirmed");
    }
    assertThat(http.get(SLOTS + "?eventId=missing").ok().listAt("slots")).isEmpty();
    http.get(SLOTS + "?eventId=").wrong("eventId");
    http.get(SLOTS + "?eventId=%00").wrong("eventId");
    http.get(SLOTS + "?eventId=a&configName=default").wrong("configName");
  }

  @Test
  void refusesInvalidIdsInAPath() {
    for (String id : List.of("%00", "%20", "x".repeat(257))) {
      http.get(SLOTS + "/" + id).wrong("eventId");
      http.delete(SLOTS + "/" + id).wrong("eventId");
      http.post(SLOTS + "/" + id + "/confirm").wrong("eventId");
    }
  }

  @Test
  void knowsNothingElsewhere() {
    for (String path :
        List.of(
            "/nope",
            "/api",
            "/api/v2/slots",
            "/admin",
            "//api/v1/slots",
            "/api/v1/slots/a/b",
            "/api/v1/slots/a/confirm/b",
            "/admin/rate-limit/../rate-limit/configs",
            "/API/V1/SLOTS",
            "/docs/..%2fapplication.properties",
            "/docs/%2e%2e/application.properties")) {
      http.get(path).problem(404, "not-found");
    }
  }

  @Test
  void saysWhichMethodsAreAllowed() {
    Map.of(
            SLOTS,
            Set.of("GET", "HEAD", "POST"),
            SLOTS + "/a",
            Set.of("GET", "HEAD", "DELETE"),
            SLOTS + "/a/confirm",
            Set.of("POST"),
            "/admin/rate-limit/configs",
            Set.of("GET", "HEAD"),
            "/health/live",
            Set.of("GET", "HEAD"))
        .forEach(
            (path, allowed) -> {
              for (String method : List.of("PUT", "PATCH", "TRACE", "NONSENSE")) {
                Http.Answer answer = http.send(method, path).problem(405, "method-not-allowed");
                assertThat(Set.of(answer.header("allow").orElse("").split(", *", -1)))
                    .isEqualTo(allowed);
              }
              Http.Answer options = http.send("OPTIONS", path);
              assertThat(options.status()).isEqualTo(204);
              assertThat(Set.of(options.header("allow").orElse("").split(", *", -1)))
                  .isEqualTo(allowed);
            });
    http.send("OPTIONS", "/nope").problem(404, "not-found");
  }

  @Test
  void answersHeadLikeGetWithoutTheBody() {
    assign("head", "2026-01-01T00:00:00Z").ok();
    for (String path :
        List.of(
            SLOTS + "/head", SLOTS + "/missing", "/nope", SLOTS + "?limit=x", "/health/ready")) {
      Http.Answer get = http.get(path);
      Http.Answer head = http.send("HEAD", path);
      assertThat(head.status()).as(path).isEqualTo(get.status());
      assertThat(head.header("content-type")).isEqualTo(get.header("content-type"));
      assertThat(head.header("content-length")).isEqualTo(get.header("content-length"));
      assertThat(head.body()).isEmpty();
    }
  }

  @Test
  void answersOnlyInWhatItCanWrite() {
    for (String accept : List.of("text/html", "application/xml", "image/png, text/*;q=0.5")) {
      http.with("Accept", accept).get(SLOTS).problem(406, "not-acceptable");
      http.with("Accept", accept)
          .post(SLOTS, "{\"eventId\":\"not-acceptable\"}")
          .problem(406, "not-acceptable");
    }
    http.get(SLOTS + "/not-acceptable").problem(404, "unknown-event");
    for (String accept :
        List.of(
            "*/*",
            "application/json;q=0.1",
            "text/html, */*;q=0.1",
            "application/problem+json",
            "application/*",
            "text/html, Application/*;q=0.2")) {
      assertThat(http.with("Accept", accept).get(SLOTS).status()).as(accept).isEqualTo(200);
    }
  }

  @Test
  void readsOnlyJson() {
    for (String type :
        List.of(
            "text/plain",
            "application/xml",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "application/x-ndjson")) {
      http.with("Content-Type", type)
          .post(SLOTS, "{\"eventId\":\"unsupported\"}")
          .problem(415, "unsupported-media-type");
    }
    http.get(SLOTS + "/unsupported").problem(404, "unknown-event");
    http.with("Content-Type", "application/json; charset=utf-8")
        .post(SLOTS, "{\"eventId\":\"with-charset\"}")
        .ok();
    http.with("Content-Encoding", "br")
        .post(SLOTS, "{\"eventId\":\"packed\"}")
        .problem(415, "unsupported-media-type");
  }

  private static Http.Answer assign(String eventId, String time) {
    return http.post(
        SLOTS, "{\"eventId\": \"%s\", \"requestedTime\": \"%s\"}".formatted(eventId, time));
  }
}
