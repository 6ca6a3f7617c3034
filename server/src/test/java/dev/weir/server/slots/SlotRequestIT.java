package dev.weir.server.slots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.fields.JsonDocument;
import dev.weir.server.http.Http;
import dev.weir.server.http.RunningNode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The fields of a slot request, and the problems of invalid ones. */
final class SlotRequestIT {
  private static final String SLOTS = "/api/v1/slots";

  @RegisterExtension private static final RunningNode node = RunningNode.inMemory(Map.of());

  private static final Http http = node.http();

  @Test
  void namesEveryWrongField() {
    Http.Answer answer =
        http.post(
            SLOTS,
            """
            {"eventId": "", "configName": "no spaces", "requestedTime": "noon", "priority": 1}
            """);
    answer.wrong("eventId", "configName", "requestedTime", "priority");
    assertThat(answer.textAt("detail")).isEqualTo("4 fields are wrong.");
  }

  @Test
  void refusesFieldsOfAnotherType() {
    for (String value : List.of("1", "true", "[]", "{}", "[\"a\"]", "1e400")) {
      post("\"eventId\": %1$s, \"configName\": %1$s, \"requestedTime\": %1$s".formatted(value))
          .wrong("eventId", "configName", "requestedTime");
    }
  }

  @Test
  void takesNullForAbsent() {
    post("\"eventId\": null, \"configName\": null, \"requestedTime\": null").wrong("eventId");
    post("\"eventId\": \"nulls\", \"configName\": null, \"requestedTime\": null").ok();
  }

  @Test
  void refusesInvalidIds() {
    for (String id :
        List.of(
            "",
            " ",
            "\\t\\n",
            "\\u0000",
            "a\\u0000b",
            "\\ud800",
            "\\udc00",
            "a\\ud83d",
            "\\ud83d\\ud83d\\ude00",
            "x".repeat(257),
            "\\ud83d\\ude00".repeat(129))) {
      Http.Answer answer = id(id).wrong("eventId");
      assertThat(answer.text()).as(id).doesNotContainIgnoringCase("\\ud8");
    }
    post("\"configName\": \"default\"").wrong("eventId");
  }

  @Test
  void keepsEveryIdThatIsOneToTheLetter() {
    for (String id :
        List.of(
            "x".repeat(256),
            "\\ud83d\\ude00".repeat(128),
            "Zahlung-ü-日本-é",
            "it's \\\"q\\\"",
            "back\\\\slash",
            "\\u0001\\u001f\\u007f",
            "a\\r\\nb",
            " padded ",
            "%00",
            "<b>&amp;",
            "'; drop table slot; --",
            "\\ufeffbom",
            "\\u202eright-to-left",
            "null")) {
      Http.Answer given = id(id).ok();
      byte[] sent = ("\"" + id + "\"").getBytes(StandardCharsets.UTF_8);
      assertThat(given.at("eventId")).isEqualTo(JsonDocument.read(sent, 0, sent.length));
      Http.Answer found = http.get(SLOTS + "/" + Http.encoded(given.textAt("eventId"))).ok();
      assertThat(found.textAt("eventId")).isEqualTo(given.textAt("eventId"));
      assertThat(found.textAt("scheduledTime")).isEqualTo(given.textAt("scheduledTime"));
      assertThat(id(id).ok().at("replayed")).isEqualTo(true);
    }
  }

  @Test
  void tellsIdsApartThatLookAlike() {
    // é as one character and as two, with and without a space: four events.
    for (String id : List.of("caf\\u00e9", "cafe\\u0301", "caf\\u00e9 ", "CAF\\u00e9")) {
      assertThat(id(id).ok().at("replayed")).as(id).isEqualTo(false);
    }
  }

  @Test
  void refusesInvalidTimes() {
    for (String time :
        List.of(
            "",
            "noon",
            "2026-06-01",
            "2026-06-01T12:00:00",
            "12:00:00Z",
            "1717243200",
            "2026-13-01T00:00:00Z",
            "2026-02-30T00:00:00Z",
            "2026-06-01T25:00:00Z",
            "2026-06-01 12:00:00Z",
            "2026-06-01T12:00Z",
            "2026-06-01T12:00:00Z ",
            "2026-06-01T12:00:00+25:00",
            "0000-12-31T23:59:59Z",
            "-0001-01-01T00:00:00Z",
            "+10000-01-01T00:00:00Z",
            "10000-01-01T00:00:00Z",
            "+1000000000-12-31T23:59:59.999999999Z",
            "-1000000000-01-01T00:00:00Z",
            "9999-12-31T23:59:59.999999001Z",
            "2026-06-01T12:00:00.1234567890Z",
            "2026-06-01T12:00:00.Z",
            "2016-12-31T23:59:60Z",
            "x".repeat(100_000),
            "\\ud800")) {
      // Half a surrogate pair is not repeated: many readers of JSON stumble over it.
      assertThat(time(time).wrong("requestedTime").text()).doesNotContainIgnoringCase("\\ud8");
    }
  }

  @Test
  void understandsTimesInEveryForm() {
    Map.of(
            "2026-06-01T12:00:00Z", "2026-06-01T12:00:00Z",
            "2026-06-01T14:00:00+02:00", "2026-06-01T12:00:00Z",
            "2026-06-01t12:00:00z", "2026-06-01T12:00:00Z",
            "2026-06-01T12:00:00.5Z", "2026-06-01T12:00:00.500Z",
            "0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z")
        .forEach(
            (sent, understood) ->
                assertThat(time(sent).ok().textAt("requestedTime")).isEqualTo(understood));
  }

  @Test
  void roundsNanosecondsUpSoThatNothingRunsTooEarly() {
    Http.Answer answer = time("2030-01-01T00:00:00.000000001Z").ok();
    assertThat(answer.textAt("requestedTime")).isEqualTo("2030-01-01T00:00:00.000001Z");
    assertThat(answer.textAt("scheduledTime"))
        .isGreaterThanOrEqualTo("2030-01-01T00:00:00.000001Z");
  }

  @Test
  void refusesATimeBehindWhichNoPlaceIsLeft() {
    Http.Answer answer = time("9999-12-31T23:59:59.999999Z").wrong("requestedTime");
    assertThat(answer.header("retry-after")).isEmpty();
  }

  @Test
  void refusesInvalidJson() {
    for (String body :
        List.of(
            " ",
            "{",
            "}",
            "{]",
            "nonsense",
            "{\"eventId\":}",
            "{\"eventId\":\"a\"",
            "{\"eventId\":\"a\",}",
            "{'eventId':'a'}",
            "{eventId:\"a\"}",
            "{\"eventId\":\"a\"} x",
            "{\"eventId\":\"a\"}{}",
            "{\"eventId\":\"a\nb\"}",
            "{\"eventId\":NaN}",
            "// hi\n{}",
            "{\"eventId\":\"a\",\"eventId\":\"b\"}",
            "{\"eventId\":\"\\x\"}",
            "{\"eventId\":\"\\ud8\"}",
            "{\"eventId\":" + "1".repeat(2_000) + "}",
            "[".repeat(5_000),
            "{\"a\":".repeat(5_000),
            "{\"" + "n".repeat(60_000) + "\":1}")) {
      Http.Answer answer = http.post(SLOTS, body).problem(400, "malformed-json");
      assertThat(answer.text()).as(body).doesNotContain("Source", "Feature", "`", "JsonToken");
    }
    http.post(SLOTS, new byte[0]).problem(400, "malformed-json");
  }

  @Test
  void refusesInvalidUtf8() {
    for (byte[] broken :
        List.of(
            new byte[] {(byte) 0xff},
            new byte[] {(byte) 0xc3},
            new byte[] {(byte) 0xc0, (byte) 0x80},
            new byte[] {(byte) 0xed, (byte) 0xa0, (byte) 0x80})) {
      byte[] body =
          ("{\"eventId\":\"" + "?".repeat(broken.length) + "\"}").getBytes(StandardCharsets.UTF_8);
      System.arraycopy(broken, 0, body, 12, broken.length);
      assertThat(http.post(SLOTS, body).status()).isEqualTo(400);
    }
  }

  @Test
  void acceptsAByteOrderMark() {
    http.post(SLOTS, "\ufeff{\"eventId\":\"with-bom\"}").ok();
  }

  @Test
  void refusesJsonThatIsNoObject() {
    for (String body : List.of("[]", "[{\"eventId\":\"a\"}]", "\"a\"", "1", "true", "null")) {
      http.post(SLOTS, body).problem(400, "invalid-request");
    }
  }

  @Test
  void quotesOnlyAnExcerptOfTheRequest() {
    String name = "n".repeat(59) + "\ud83d\ude00".repeat(1_000);
    Http.Answer answer = http.post(SLOTS, "{\"eventId\":\"a\",\"" + name + "\":1}");
    assertThat(answer.problem(400, "invalid-request").body()).hasSizeLessThan(500);
    assertThat(answer.text()).doesNotContainIgnoringCase("\\ud8");
    StringBuilder many = new StringBuilder("{\"eventId\":\"a\"");
    for (int i = 0; i < 50_000; i++) {
      many.append(",\"f").append(i).append("\":1");
    }
    assertThat(http.post(SLOTS, many + "}").problem(400, "invalid-request").body())
        .hasSizeLessThan(5_000);
  }

  @Test
  void leavesNothingBehindWhereItRefuses() {
    post("\"eventId\": \"refused\", \"requestedTime\": \"noon\"").wrong("requestedTime");
    post("\"eventId\": \"refused\", \"configName\": \"unknown\"").problem(404, "unknown-config");
    http.get(SLOTS + "/refused").problem(404, "unknown-event");
  }

  private static Http.Answer id(String id) {
    return post("\"eventId\": \"%s\", \"requestedTime\": \"2031-01-01T00:00:00Z\"".formatted(id));
  }

  private static Http.Answer time(String time) {
    int number = Math.floorMod(time.hashCode(), 1_000_000);
    return post("\"eventId\": \"t%d\", \"requestedTime\": \"%s\"".formatted(number, time));
  }

  private static Http.Answer post(String fields) {
    return http.post(SLOTS, "{" + fields + "}");
  }
}
