package dev.weir.server.payments;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.wiring.Node;
import dev.weir.server.http.Http;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Feeds that were cut off, at their senders or on their way. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class CutFeedIT {
  private static final String LATER = "2099-06-01T12:00:00Z";

  @TempDir private static Path data;
  private static Node node;
  private static Http http;

  private final String name = UUID.randomUUID().toString().substring(0, 8);

  /** Two records, of which only the second is cut. */
  private final String csv = Feeds.HEADER + Feeds.lines(name + "-", 2, LATER);

  @BeforeAll
  static void start() {
    node =
        Node.start(
            Capabilities.read(
                Map.of(
                    ServerSetting.PORT, "0",
                    StoreSetting.DATA, data.toString(),
                    StoreSetting.DB_WAIT, "PT1M",
                    // A busy machine may pause the sender between the head and the body.
                    ServerSetting.HTTP_HEAD_TIMEOUT, "PT5M",
                    ServerSetting.DRAIN, "PT0S"),
                Map.of(),
                Optional.empty()));
    http = new Http(node.address());
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  private Http.Answer send(String query, String feed) {
    return Feeds.send(http, "?feedId=" + name + query, feed.getBytes(UTF_8));
  }

  @Test
  void aLastLineWithoutALineEndIsPaidOnlyIfTheFeedSaysHowManyRecordsItHas() {
    String cut = csv.substring(0, csv.length() - 1);
    assertThat(send("", cut).intAt("rejected")).isEqualTo(1);
    assertThat(http.get(Feeds.PATH + "/" + name + "/rejects").text())
        .contains("\"line\":3")
        .contains("has no line end");
    http.get("/api/v1/payments/" + name + "-2").problem(404, "unknown-payment");

    Http.Answer complete = send("x&records=2&controlSum=EUR:20.00", cut);
    assertThat(complete.status()).as(complete.text()).isEqualTo(202);
    assertThat(complete.intAt("rejected")).isZero();
    assertThat(http.get("/api/v1/payments/" + name + "-2").ok().textAt("state"))
        .isEqualTo("SCHEDULED");
  }

  @Test
  void aFeedThatDiffersFromItsTotalsIsRefusedAsAWhole() {
    String fewer = Feeds.HEADER + Feeds.lines(name + "-", 1, LATER);
    assertThat(send("&records=2", fewer).problem(400, "unusable-feed").text())
        .contains("it has 1 records and was announced with 2");
    assertThat(send("&controlSum=EUR:20.00", fewer).problem(400, "unusable-feed").text())
        .contains("EUR add up to 10.00 and were announced with 20.00");
    Http.Answer byHeader =
        http.with("Content-Type", "text/csv", "Weir-Records", "2", "Weir-Control-Sum", "EUR:20")
            .send(
                "POST", Feeds.PATH + "?feedId=" + name, HttpRequest.BodyPublishers.ofString(fewer));
    byHeader.problem(400, "unusable-feed");
    http.get("/api/v1/payments/" + name + "-1").problem(404, "unknown-payment");
    http.get(Feeds.PATH + "/" + name).problem(404, "unknown-feed");

    send("&records=two", fewer).wrong("records");
    send("&controlSum=20.00", fewer).wrong("controlSum");
    http.with("Content-Type", "text/csv", "Weir-Records", "2")
        .send("POST", Feeds.PATH + "?records=2", HttpRequest.BodyPublishers.ofString(fewer))
        .wrong("records");
    assertThat(send("&records=2&controlSum=EUR:20", csv).status()).isEqualTo(202);
  }

  /** How a body ends early. */
  enum Cut {
    LENGTH_NOT_REACHED,
    LENGTH_NOT_REACHED_AND_HALF_CLOSED,
    LENGTH_NOT_REACHED_AND_RESET,
    NO_LAST_CHUNK,
    NO_LAST_CHUNK_AND_HALF_CLOSED,
    CHUNK_NOT_COMPLETE,
    COMPRESSED_DATA_NOT_COMPLETE,
    COMPRESSED_DATA_WITHOUT_ITS_CHECKSUM;

    private boolean isChunked() {
      return name().contains("CHUNK");
    }
  }

  /** What arrives consists of whole lines, so that only the framing says that more was to come. */
  @ParameterizedTest
  @EnumSource
  void aBodyThatWasCutIsNeverComplete(Cut cut) throws IOException {
    byte[] body = csv.getBytes(UTF_8);
    String framing =
        cut.isChunked()
            ? "Transfer-Encoding: chunked"
            : "Content-Length: %d".formatted(body.length + 100);
    if (cut.name().startsWith("COMPRESSED")) {
      byte[] packed = gzip(csv);
      int missing = cut == Cut.COMPRESSED_DATA_NOT_COMPLETE ? 20 : 8;
      body = Arrays.copyOf(packed, packed.length - missing);
      framing = "Content-Encoding: gzip\r\nContent-Length: " + body.length;
    }
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), node.address().getPort())) {
      OutputStream out = socket.getOutputStream();
      out.write(
          "POST %s?feedId=%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n%s\r\n\r\n"
              .formatted(Feeds.PATH, name, framing)
              .getBytes(US_ASCII));
      if (cut.isChunked()) {
        int promised = body.length + (cut == Cut.CHUNK_NOT_COMPLETE ? 100 : 0);
        out.write((Integer.toHexString(promised) + "\r\n").getBytes(US_ASCII));
      }
      out.write(body);
      if (cut.isChunked() && cut != Cut.CHUNK_NOT_COMPLETE) {
        out.write("\r\n".getBytes(US_ASCII));
      }
      out.flush();
      if (cut.name().endsWith("HALF_CLOSED")) {
        socket.shutdownOutput();
      }
      if (cut.name().endsWith("RESET")) {
        socket.setSoLinger(true, 0);
      }
      if (cut.name().startsWith("COMPRESSED") || cut.name().endsWith("HALF_CLOSED")) {
        String answer = new String(socket.getInputStream().readAllBytes(), UTF_8);
        assertThat(answer).doesNotStartWith("HTTP/1.1 2");
      }
    }
    Http.Answer feed = http.get(Feeds.PATH + "/" + name);
    assertThat(feed.status() == 404 || feed.textAt("state").equals("RECEIVING"))
        .as(feed.text())
        .isTrue();
    // If it had been complete, the id would be that of another feed.
    String replacement = Feeds.HEADER + Feeds.lines(name + "-other-", 1, LATER);
    Http.Answer other = send("", replacement);
    if (other.status() == 409 && other.textAt("type").endsWith(":feed-sent-again")) {
      // The one that was cut, whose answer no caller awaits, has only begun now.
      other = send("", replacement);
    }
    assertThat(other.status()).as(other.text()).isEqualTo(202);
    http.get("/api/v1/payments/" + name + "-1").problem(404, "unknown-payment");
  }

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(bytes)) {
      out.write(text.getBytes(UTF_8));
    }
    return bytes.toByteArray();
  }
}
