package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Compressed bodies, complete and broken. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class CompressedBodiesIT {
  @RegisterExtension static final RunningNode NODE = RunningNode.inMemory(Map.of());

  private final Http http = NODE.http();

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return out.toByteArray();
  }

  private static byte[] deflate(String text) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (OutputStream deflate = new DeflaterOutputStream(out)) {
      deflate.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return out.toByteArray();
  }

  private Http.Answer one(String encoding, byte[] body) {
    return http.with("Content-Type", "application/json", "Content-Encoding", encoding)
        .send("POST", "/api/v1/slots", HttpRequest.BodyPublishers.ofByteArray(body));
  }

  private Http.Answer lines(String encoding, byte[] body) {
    return http.with("Content-Type", "application/x-ndjson", "Content-Encoding", encoding)
        .send("POST", "/api/v1/slots/batch", HttpRequest.BodyPublishers.ofByteArray(body));
  }

  @Test
  void unpacksWholeOnes() throws IOException {
    one("gzip", gzip("{\"eventId\":\"g\"}")).ok();
    one("GZIP", gzip("{\"eventId\":\"G\"}")).ok();
    one("deflate", deflate("{\"eventId\":\"d\"}")).ok();
    ByteArrayOutputStream members = new ByteArrayOutputStream();
    members.writeBytes(gzip("{\"eventId\":\"m1\"}\n"));
    members.writeBytes(gzip("{\"eventId\":\"m2\"}\n"));
    assertThat(lines("gzip", members.toByteArray()).text().lines())
        .hasSize(2)
        .allMatch(line -> line.contains("scheduledTime"));
  }

  @Test
  void oneThatIsCutShortOrBrokenDoesNothing() throws IOException {
    // What is missing is no part of the JSON: blanks, and the checksum.
    byte[] whole = gzip("{\"eventId\":\"cut\"}" + " ".repeat(100));
    byte[] wrong = whole.clone();
    wrong[wrong.length - 5] ^= 1;
    for (byte[] body :
        List.of(
            Arrays.copyOf(whole, whole.length - 1),
            Arrays.copyOf(whole, whole.length - 9),
            Arrays.copyOf(whole, 12),
            wrong)) {
      one("gzip", body).problem(400, "bad-request");
    }
    byte[] deflated = deflate("{\"eventId\":\"cut\"}");
    one("deflate", Arrays.copyOf(deflated, deflated.length - 1)).problem(400, "bad-request");
    http.get("/api/v1/slots/cut").problem(404, "unknown-event");
  }

  @Test
  void streamThatIsBrokenFromItsBeginningIsRefused() throws IOException {
    byte[] small = gzip("{\"eventId\":\"s1\"}\n{\"eventId\":\"s2\"}");
    lines("gzip", Arrays.copyOf(small, 10)).problem(400, "bad-request");
    lines("gzip", "{\"eventId\":\"s3\"}\n".getBytes(StandardCharsets.UTF_8))
        .problem(400, "bad-request");
    http.get("/api/v1/slots/s3").problem(404, "unknown-event");
  }

  /** The answer has begun: its last line is a problem, and it does not end. */
  @Test
  void streamThatIsCutShortIsAnsweredByAProblemAndACut() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 5_000; i++) {
      lines.append("{\"eventId\":\"").append(UUID.randomUUID()).append("\"}\n");
    }
    byte[] whole = gzip(lines.toString());
    byte[] cut = Arrays.copyOf(whole, whole.length - 1_000);
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.writeBytes(
        ("POST /api/v1/slots/batch HTTP/1.1\r\nHost: localhost\r\n"
                + "Content-Type: application/x-ndjson\r\nContent-Encoding: gzip\r\n"
                + "Content-Length: "
                + cut.length
                + "\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII));
    request.writeBytes(cut);

    String answer = RawHttp.exchange(NODE.address(), request.toByteArray());

    assertThat(answer).startsWith("HTTP/1.1 200 ").contains("scheduledTime");
    assertThat(answer.strip().lines().filter(line -> line.contains("bad-request"))).hasSize(1);
    assertThat(answer).doesNotEndWith("\r\n0\r\n\r\n");
    assertThat(answer.lastIndexOf("bad-request"))
        .isGreaterThan(answer.lastIndexOf("scheduledTime"));
  }

  /** Much more than a server holds decompressed, in a few reads of the connection. */
  @Test
  void streamMayBePackedAsWellAsCanBe() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 30_000; i++) {
      lines
          .append("{\"eventId\":\"packed-%d\",".formatted(i))
          .append("\"requestedTime\":\"2027-06-01T12:00:00Z\"}\n");
    }
    Http.Answer answer = lines("gzip", gzip(lines.toString()));
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text().lines())
        .hasSize(30_000)
        .allMatch(line -> line.contains("scheduledTime"));
  }

  @Test
  void unsupportedEncodingsAreRefused() throws IOException {
    for (String encoding : List.of("br", "zstd", "snappy", "gzip, gzip", "compress", "x")) {
      one(encoding, gzip("{\"eventId\":\"x\"}")).problem(415, "unsupported-media-type");
      lines(encoding, gzip("{\"eventId\":\"x\"}")).problem(415, "unsupported-media-type");
    }
    one("gzip", gzip(" ".repeat(50_000_000))).problem(413, "too-large");
    one("deflate", deflate(" ".repeat(50_000_000))).problem(413, "too-large");
  }
}
