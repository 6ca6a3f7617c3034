package dev.weir.server.payments;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.wiring.Node;
import dev.weir.payments.server.node.PaymentSetting;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Payments over HTTP, on one node with its own PostgreSQL, Temporal and payment API. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class PaymentsIT {
  private static final int CEILING = 40;
  private static final String LATER = "2099-06-01T12:00:00Z";

  /** Of payments that are never called and keep their slots, so that they take none from others. */
  private static final String MUCH_LATER = "2099-07-01T12:00:00Z";

  @TempDir private static Path data;
  private static Node node;
  private static Http http;

  /** Each test has its own ids. */
  private final String name = UUID.randomUUID().toString().substring(0, 8);

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
                    // A call that is given up is repeated, and attempts are counted here.
                    PaymentSetting.TIMEOUT, "PT1M",
                    ServerSetting.DRAIN, "PT0S",
                    PaymentSetting.CEILING, Integer.toString(CEILING),
                    PaymentSetting.GRACE, "PT5S"),
                Map.of(),
                Optional.empty()));
    http = new Http(node.address());
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  private String feed() {
    return Feeds.PATH + "/" + name;
  }

  private Http.Answer send(String csv) {
    return send(name, csv);
  }

  private static Http.Answer send(String feedId, String csv) {
    return Feeds.send(http, "?feedId=" + feedId, csv.getBytes(StandardCharsets.UTF_8));
  }

  private static Http.Answer accepted(Http.Answer answer) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(202);
    return answer;
  }

  private static double metric(String series) {
    return http.get("/metrics")
        .text()
        .lines()
        .filter(line -> line.startsWith(series + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
        .findFirst()
        .orElse(0);
  }

  private static void awaitMetric(String series, double min) {
    Waiting.until(series + " of " + min, () -> metric(series) >= min);
  }

  @Test
  void goodRecordsOfAFlawedFeedArePaidOnceAndTheOthersAreListed() throws IOException {
    final double paid = metric("rate_limiter_payments_ended_total{state=\"paid\"}");
    final double rejected = metric("rate_limiter_payment_records_total{result=\"rejected\"}");
    String csv =
        Feeds.HEADER
            + Feeds.line(name + "zero", "0", "")
            + Feeds.lines(name + "-", 60, "")
            + Feeds.line(name + "-1", "10.00", "")
            + Feeds.line(name + "-2", "11.00", "")
            + "not,a,payment\n";
    Http.Answer received = accepted(send(csv));
    assertThat(received.header("location")).hasValue(feed());
    assertThat(received.textAt("state")).isEqualTo("STARTING");
    assertThat(received.intAt("read")).isEqualTo(64);
    assertThat(received.intAt("rejected")).isEqualTo(3);
    assertThat(received.intAt("repeated")).isEqualTo(1);

    Http.Answer done = Feeds.awaitDone(http, name);
    for (String count : List.of("assigned", "started", "paid")) {
      assertThat(done.intAt(count)).as(count).isEqualTo(60);
    }
    assertThat(done.intAt("failed")).isZero();
    assertThat(done.instantAt("firstScheduled")).isBefore(done.instantAt("lastScheduled"));
    Feeds.assertBookedOnce(
        data, CEILING, IntStream.rangeClosed(1, 60).mapToObj(i -> name + "-" + i).toList());

    List<String> rejects = http.get(feed() + "/rejects").text().lines().toList();
    assertThat(rejects)
        .satisfiesExactly(
            line ->
                assertThat(line).startsWith("{\"line\":2,\"reason\":\"amount must be above 0\""),
            line -> assertThat(line).startsWith("{\"line\":64,").contains("another amount"),
            line -> assertThat(line).startsWith("{\"line\":65,").contains("has 3 fields"));
    assertThat(http.get(feed() + "/rejects?after=0&limit=1").text()).startsWith("{\"line\":2,");
    assertThat(http.get(feed() + "/rejects?after=2&limit=1").text()).startsWith("{\"line\":64,");

    Http.Answer payment = http.get("/api/v1/payments/" + name + "-7").ok();
    assertThat(payment.textAt("state")).isEqualTo("PAID");
    assertThat(payment.textAt("feedId")).isEqualTo(name);
    assertThat(payment.instantAt("paidAt")).isAfterOrEqualTo(payment.instantAt("scheduledTime"));
    assertThat(payment.textAt("reference")).startsWith("SIM-");
    assertThat(payment.intAt("attempts")).isEqualTo(1);
    assertThat(http.get("/api/v1/payments/" + name + "zero").ok().textAt("state"))
        .isEqualTo("REJECTED");
    assertThat(http.get("/api/v1/slots/" + name + "-7").ok().textAt("state"))
        .isEqualTo("confirmed");

    // They are counted a moment after they are stored.
    awaitMetric("rate_limiter_payments_ended_total{state=\"paid\"}", paid + 60);
    awaitMetric("rate_limiter_payment_records_total{result=\"rejected\"}", rejected + 3);
    awaitMetric("rate_limiter_payment_call_seconds_count{result=\"paid\"}", 60);
    awaitMetric("rate_limiter_payments_started_total", 60);
  }

  @Test
  void aReportShowsTheCallsOfAFeed() {
    accepted(send(Feeds.HEADER + Feeds.lines(name + "-", 5, "")));
    Feeds.awaitDone(http, name);
    for (Http.Answer chart :
        List.of(
            http.get(feed() + "/report.svg"),
            http.get(feed() + "/report"),
            http.with("Accept", "image/svg+xml, text/markdown;q=0.5").get(feed() + "/report"))) {
      assertThat(chart.status()).isEqualTo(200);
      assertThat(chart.header("content-type")).hasValue("image/svg+xml");
      assertThat(chart.text()).startsWith("<svg ").contains("ceiling " + CEILING).contains(name);
    }
    Http.Answer text = http.with("Accept", "text/markdown").get(feed() + "/report");
    assertThat(text.header("content-type")).hasValue("text/markdown");
    assertThat(text.text())
        .contains("The ceiling of 40 calls a second held")
        .contains("| payments made | 5 |");
  }

  @Test
  void theSameFeedTwicePaysNothingTwice() throws IOException {
    String csv = Feeds.HEADER + Feeds.lines(name + "-", 10, "");
    accepted(send(csv));
    Feeds.awaitDone(http, name);
    Http.Answer again = accepted(send(csv));
    assertThat(again.textAt("state")).isEqualTo("DONE");
    assertThat(again.intAt("paid")).isEqualTo(10);

    // What it says counts, not how it is written.
    Http.Answer rewritten = accepted(send(csv.replace(",10.00,", ",10,")));
    assertThat(rewritten.textAt("state")).isEqualTo("DONE");
    send(csv.replace(",10.00,", ",11.00,")).problem(409, "feed-id-used");
    send(csv + Feeds.line(name + "-11", "10.00", "")).problem(409, "feed-id-used");
    http.get("/api/v1/payments/" + name + "-11").problem(404, "unknown-payment");
    byte[] same = csv.getBytes(StandardCharsets.UTF_8);
    Feeds.send(http, "?configName=other&feedId=" + name, same).problem(409, "feed-id-used");

    Http.Answer other = accepted(send(name + "-copy", csv));
    assertThat(other.intAt("repeated")).isEqualTo(10);
    assertThat(Feeds.awaitDone(http, name + "-copy").intAt("paid")).isZero();
    Feeds.assertBookedOnce(
        data, CEILING, IntStream.rangeClosed(1, 10).mapToObj(i -> name + "-" + i).toList());

    Http.Answer page = http.get(Feeds.PATH + "?limit=1").ok();
    assertThat(page.textAt("feeds.0.feedId")).isEqualTo(name + "-copy");
    assertThat(http.get(Feeds.PATH + "?limit=1&after=" + page.textAt("next")).ok().text())
        .contains("\"feedId\":\"" + name + "\"");
  }

  @Test
  void aPaymentThatHasNotRunCanBeCancelled() {
    String id = name + "-1";
    // A second of its own: other tests fill that of LATER.
    String time = "2098-06-01T12:00:00Z";
    accepted(send(Feeds.HEADER + Feeds.line(id, "10.00", time) + Feeds.line(name, "1.00", "")));
    Waiting.until("the slots", () -> http.get(feed()).ok().textAt("state").equals("STARTED"));
    Http.Answer scheduled = http.get("/api/v1/payments/" + id).ok();
    assertThat(scheduled.textAt("state")).isEqualTo("SCHEDULED");
    assertThat(scheduled.textAt("scheduledTime")).isEqualTo(time);
    final double cancelled = metric("rate_limiter_payments_ended_total{state=\"cancelled\"}");
    for (int i = 0; i < 2; i++) {
      assertThat(http.delete("/api/v1/payments/" + id).status()).isEqualTo(204);
    }
    assertThat(metric("rate_limiter_payments_ended_total{state=\"cancelled\"}"))
        .isEqualTo(cancelled + 1);
    assertThat(http.get("/api/v1/payments/" + id).ok().textAt("state")).isEqualTo("CANCELLED");
    assertThat(http.get("/api/v1/slots/" + id).ok().textAt("state")).isEqualTo("cancelled");
    Http.Answer done = Feeds.awaitDone(http, name);
    assertThat(done.intAt("cancelled")).isEqualTo(1);
    assertThat(done.intAt("paid")).isEqualTo(1);
    assertThat(http.delete("/api/v1/payments/" + name).problem(409, "state-conflict").text())
        .contains("is paid");
    http.delete("/api/v1/payments/" + name + "x").problem(404, "unknown-payment");
  }

  @Test
  void aCompressedFeedOfLinesIsReadAsItSaysOrAsItLooks() throws IOException {
    String lines =
        """
        {"paymentId":"%s-1","amount":1.5,"currency":"EUR","debtorAccount":"a","creditorAccount":"b"}
        {"paymentId":"%s-2","amount":"2","currency":"EUR","debtorAccount":"a","creditorAccount":"b"}
        """
            .formatted(name, name);
    byte[] packed = gzip(lines);
    Http.Answer declared =
        http.with("Content-Type", "application/x-ndjson", "Content-Encoding", "gzip")
            .send(
                "POST",
                Feeds.PATH + "?feedId=" + name,
                HttpRequest.BodyPublishers.ofByteArray(packed));
    assertThat(accepted(declared).intAt("read")).isEqualTo(2);
    Http.Answer undeclared =
        http.with("Content-Type", "application/x-ndjson")
            .send("POST", Feeds.PATH, HttpRequest.BodyPublishers.ofByteArray(packed));
    assertThat(accepted(undeclared).intAt("repeated")).isEqualTo(2);
    assertThat(Feeds.awaitDone(http, name).intAt("paid")).isEqualTo(2);
  }

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(bytes)) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return bytes.toByteArray();
  }

  @Test
  void whatIsWrongWithAFeedIsNamedAndNothingOfItIsPaid() throws IOException {
    assertThat(send("paymentId,sum\n1,2\n").problem(400, "unusable-feed").text()).contains("sum");
    send("").problem(400, "unusable-feed");
    byte[] packed = gzip(Feeds.HEADER + Feeds.lines(name, 1_000, LATER));
    byte[] half = Arrays.copyOf(packed, packed.length / 2);
    Feeds.send(http, "?feedId=" + name, half).problem(400, "unusable-feed");
    http.get("/api/v1/payments/" + name + "1").problem(404, "unknown-payment");
    http.get(feed()).problem(404, "unknown-feed");
    Feeds.send(http, "?feedId=%20&configName=a%20b&fast=1", new byte[0])
        .wrong("feedId", "configName", "fast");
    http.post(Feeds.PATH, "{}").problem(415, "unsupported-media-type");
    http.with("Content-Type", "text/plain")
        .send("POST", Feeds.PATH, HttpRequest.BodyPublishers.ofString("a"))
        .problem(415, "unsupported-media-type");
    http.get(Feeds.PATH + "/" + name + "x").problem(404, "unknown-feed");
    http.get(feed() + "/rejects?after=-1").wrong("after");
    http.get(Feeds.PATH + "?limit=0").wrong("limit");
  }

  @Test
  void paymentsWithoutASlotAreRejected() {
    accepted(
        Feeds.send(
            http,
            "?feedId=" + name + "&configName=nowhere",
            (Feeds.HEADER + Feeds.lines(name + "-", 2, "")).getBytes(StandardCharsets.UTF_8)));
    assertThat(Feeds.awaitDone(http, name).intAt("rejected")).isEqualTo(2);
    assertThat(http.get(feed() + "/rejects").text()).contains("there is no configuration nowhere");
  }

  /** Larger than any other body may be. */
  @Test
  void aLargeFeedIsReadWhileItArrives() {
    StringBuilder csv = new StringBuilder(Feeds.HEADER);
    for (int i = 0; i < 20_000; i++) {
      csv.append(Feeds.line(name + i, "0", ""));
    }
    assertThat(csv.length()).isGreaterThan(1024 * 1024);
    assertThat(accepted(send(csv.toString())).intAt("rejected")).isEqualTo(20_000);
    assertThat(http.get(feed() + "/rejects?limit=10000").text().lines().count()).isEqualTo(10_000);
  }

  @Test
  void aFeedWhoseSenderDisconnectsHasNoEffectAndCanBeSentAgain() throws IOException {
    String csv = Feeds.HEADER + Feeds.lines(name + "-", 10_000, MUCH_LATER);
    byte[] bytes = csv.getBytes(StandardCharsets.UTF_8);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), node.address().getPort())) {
      OutputStream out = socket.getOutputStream();
      out.write(
          """
          POST %s?feedId=%s HTTP/1.1\r
          Host: localhost\r
          Content-Type: text/csv\r
          Content-Length: %d\r
          \r
          """
              .formatted(Feeds.PATH, name, bytes.length)
              .getBytes(StandardCharsets.US_ASCII));
      out.write(bytes, 0, bytes.length / 2);
      out.flush();
      Waiting.until(
          "some records",
          () -> {
            Http.Answer half = http.get(feed());
            return half.status() == 200 && half.intAt("read") >= 1_000;
          });
    }
    assertThat(http.get(feed()).ok().textAt("state")).isEqualTo("RECEIVING");
    http.delete("/api/v1/payments/" + name + "-1").problem(409, "state-conflict");
    Http.Answer payment = http.get("/api/v1/payments/" + name + "-1").ok();
    assertThat(payment.textAt("reason")).startsWith("its feed is not complete");
    assertThat(payment.textAt("state")).isEqualTo("SCHEDULED");

    Http.Answer again = accepted(send(Feeds.HEADER + Feeds.lines(name + "-", 2, MUCH_LATER)));
    assertThat(again.intAt("read")).isEqualTo(2);
    http.get("/api/v1/payments/" + name + "-3").problem(404, "unknown-payment");
  }
}
