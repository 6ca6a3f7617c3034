package dev.weir.server.payments;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.wiring.Node;
import dev.weir.payments.server.node.PaymentSetting;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The emergency brake and the lists of payments, over HTTP. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class FeedActionsIT {
  private static final String LATER = "2099-06-01T12:00:00Z";
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Pattern ID = Pattern.compile("\"paymentId\":\"([^\"]+)\"");

  @TempDir private static Path data;
  private static Node node;
  private static Http http;

  private final String name = UUID.randomUUID().toString().substring(0, 8);
  private final String feed = Feeds.PATH + "/" + name;

  @BeforeAll
  static void start() {
    node =
        Node.start(
            Capabilities.read(
                Map.of(
                    ServerSetting.PORT, "0",
                    StoreSetting.DATA, data.toString(),
                    StoreSetting.DB_WAIT, "PT1M",
                    ServerSetting.DRAIN, "PT0S",
                    PaymentSetting.GRACE, "PT1S"),
                Map.of(),
                Optional.empty()));
    http = new Http(node.address());
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  private void send(String lines) {
    Http.Answer answer =
        Feeds.send(
            http, "?feedId=" + name, (Feeds.HEADER + lines).getBytes(StandardCharsets.UTF_8));
    assertThat(answer.status()).as(answer.text()).isEqualTo(202);
  }

  private static Http.Answer act(String path) {
    return http.post(path, "").ok();
  }

  @Test
  void aHeldFeedIsPaidWhenItIsResumed() {
    Instant soon = Instant.now().plusSeconds(5);
    // On a busy machine its time may come before the feed is held.
    act(Feeds.PATH + "/hold");
    try {
      send(Feeds.line(name + "-1", "10.00", soon.toString()));
      assertThat(act(feed + "/hold").flagAt("changed")).isTrue();
    } finally {
      act(Feeds.PATH + "/resume");
    }
    assertThat(act(feed + "/hold").flagAt("changed")).isFalse();
    assertThat(http.get(feed).ok().flagAt("held")).isTrue();
    Waiting.until(
        "a payment that is overdue", LONG, () -> Instant.now().isAfter(soon.plusSeconds(5)));
    assertThat(http.get("/api/v1/payments/" + name + "-1").ok().textAt("state"))
        .isEqualTo("SCHEDULED");

    assertThat(act(feed + "/resume").flagAt("changed")).isTrue();
    assertThat(Feeds.awaitDone(http, name).intAt("paid")).isEqualTo(1);
    assertThat(http.get(feed).ok().flagAt("held")).isFalse();
  }

  @Test
  void allFeedsCanBeHeld() {
    act(Feeds.PATH + "/hold");
    try {
      send(Feeds.lines(name + "-", 2, ""));
      assertThat(http.get(feed).ok().flagAt("held")).isTrue();
    } finally {
      act(Feeds.PATH + "/resume");
    }
    assertThat(Feeds.awaitDone(http, name).intAt("paid")).isEqualTo(2);
  }

  @Test
  void aCancelledFeedIsNotPaidAndItsSlotsAreFree() {
    send(Feeds.lines(name + "-", 3, LATER));
    Waiting.until("the slots", LONG, () -> http.get(feed).ok().textAt("state").equals("STARTED"));
    Http.Answer cancelled = act(feed + "/cancel");
    assertThat(cancelled.intAt("payments")).isEqualTo(3);
    assertThat(act(feed + "/cancel").intAt("payments")).isZero();
    assertThat(http.get(feed).ok().intAt("cancelled")).isEqualTo(3);
    assertThat(http.get("/api/v1/payments/" + name + "-2").ok().textAt("state"))
        .isEqualTo("CANCELLED");
    Waiting.until(
        "the slots",
        LONG,
        () -> http.get("/api/v1/slots/" + name + "-2").ok().textAt("state").equals("cancelled"));
  }

  @Test
  void paymentsAreListedByFeedStateAndTimeInPages() {
    Instant begin = Instant.now().minusSeconds(60);
    send(Feeds.lines(name + "-", 5, ""));
    Feeds.awaitDone(http, name);
    String ofFeed = feed + "/payments?state=PAID&limit=2";
    Set<String> ids = new HashSet<>();
    String cursor = "";
    for (int page = 0; page < 3; page++) {
      Http.Answer answer = http.get(ofFeed + cursor).ok();
      Matcher found = ID.matcher(answer.text());
      while (found.find()) {
        assertThat(ids.add(found.group(1))).isTrue();
      }
      assertThat(answer.text().contains("\"next\"")).isEqualTo(page < 2);
      cursor = page < 2 ? "&cursor=" + answer.textAt("next") : "";
    }
    assertThat(ids).hasSize(5).contains(name + "-1", name + "-5");

    String all = "/api/v1/payments?limit=1000&state=PAID";
    assertThat(http.get(all + "&from=" + begin).ok().text()).contains(name + "-3\"");
    assertThat(http.get(all + "&from=" + LATER).ok().text()).doesNotContain(name);
    assertThat(http.get(all + "&to=" + begin).ok().text()).doesNotContain(name);
    assertThat(http.get(feed + "/payments?state=FAILED").ok().text()).doesNotContain(name);
  }

  @Test
  void openPaymentsAreListedInTheOrderOfTheirLines() {
    send(Feeds.lines(name + "-", 3, LATER));
    Http.Answer first = http.get(feed + "/payments?state=SCHEDULED&limit=2").ok();
    assertThat(first.text()).contains(name + "-1\"", name + "-2\"").doesNotContain(name + "-3\"");
    String next = "&cursor=" + first.textAt("next");
    assertThat(http.get(feed + "/payments?state=SCHEDULED&limit=2" + next).ok().text())
        .contains(name + "-3\"")
        .doesNotContain(name + "-2\"");
    assertThat(http.get("/api/v1/payments?limit=1000&state=SCHEDULED&from=" + LATER).ok().text())
        .contains(name + "-3\"");
    act(feed + "/cancel");
  }

  @Test
  void nothingOfAPaidFeedIsTriedAgain() {
    send(Feeds.lines(name + "-", 1, ""));
    Feeds.awaitDone(http, name);
    assertThat(act(feed + "/retry?force=true").intAt("payments")).isZero();
    assertThat(act(Feeds.PATH + "/retry").intAt("payments")).isZero();
    assertThat(http.get(feed).ok().textAt("state")).isEqualTo("DONE");
  }

  @Test
  void whatIsWrongIsNamed() {
    http.post(Feeds.PATH + "/retry?force=yes", "").wrong("force");
    for (String action : List.of("hold", "resume", "cancel", "retry")) {
      http.post(Feeds.PATH + "/unknown/" + action, "").problem(404, "unknown-feed");
      http.post(Feeds.PATH + "/a%00b/" + action, "").wrong("feedId");
    }
    http.get(Feeds.PATH + "/unknown/payments?state=PAID").problem(404, "unknown-feed");
    http.get("/api/v1/payments").wrong("state");
    http.get("/api/v1/payments?state=REJECTED").wrong("state");
    http.get("/api/v1/payments?state=PAID&cursor=x&limit=0&size=1")
        .wrong("cursor", "limit", "size");
  }
}
