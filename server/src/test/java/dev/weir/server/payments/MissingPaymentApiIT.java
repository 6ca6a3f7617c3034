package dev.weir.server.payments;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Setting;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.stores.postgresql.EmbeddedDatabase;
import dev.weir.node.wiring.Node;
import dev.weir.payments.server.node.PaymentSetting;
import dev.weir.payments.simulator.DownstreamServer;
import dev.weir.payments.simulator.DownstreamSimulator;
import dev.weir.payments.simulator.SimulatorSettings;
import dev.weir.server.faults.PreparedDatabase;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nodes on a database of the user's that do not say which payment API makes payments. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class MissingPaymentApiIT {
  private static final String PAYMENTS = "/api/v1/payments/";

  private static final SimulatorSettings BANK =
      new SimulatorSettings(
          1_000,
          Duration.ofMillis(1),
          Duration.ofSeconds(30),
          SimulatorSettings.Faults.NONE,
          1,
          SimulatorSettings.DEFAULT_MAX_PAYMENTS);

  @TempDir private static Path folder;
  private static EmbeddedDatabase database;

  @BeforeAll
  static void start() throws IOException {
    database = PreparedDatabase.start(folder.resolve("postgresql"));
  }

  @AfterAll
  static void stop() {
    database.close();
  }

  private static Node node(String data, Map<Setting, String> more) {
    Map<Setting, String> given =
        new HashMap<>(
            Map.of(
                ServerSetting.PORT, "0",
                StoreSetting.DATA, folder.resolve(data).toString(),
                ServerSetting.DRAIN, "PT0S",
                StoreSetting.DB_URL, database.jdbcUrl(),
                StoreSetting.DB_USER, database.user(),
                StoreSetting.DB_PASSWORD, database.password(),
                StoreSetting.DB_WAIT, "PT1M"));
    given.putAll(more);
    return Node.start(Capabilities.read(given, Map.of(), Optional.empty()));
  }

  private static Http.Answer send(Http http, String feedId, String lines) {
    return Feeds.send(
        http, "?feedId=" + feedId, (Feeds.HEADER + lines).getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void feedsAreRefusedAndNothingOfThemIsStoredOrPaid() {
    try (Node node = node("refusing", Map.of())) {
      Http http = new Http(node.address());
      Http.Answer refused =
          send(http, "refused", Feeds.lines("r", 2, "")).problem(503, "no-payment-api");
      assertThat(refused.text()).contains("weir.payments.downstream", "simulator");
      http.get(Feeds.PATH + "/refused").problem(404, "unknown-feed");
      http.get(PAYMENTS + "r1").problem(404, "unknown-payment");
      http.get("/api/v1/slots/r1").problem(404, "unknown-event");
      assertThat(Files.exists(folder.resolve("refusing/payments/calls.ndjson"))).isFalse();
      assertThat(http.get("/health/ready").ok().text()).doesNotContain("payments");
      http.post("/api/v1/slots", "{\"eventId\":\"a\"}").ok();
    }
  }

  @Test
  void openPaymentsWaitForANodeThatHasAnApi() throws IOException {
    try (Node unreachable =
        node("first", Map.of(PaymentSetting.DOWNSTREAM, "http://127.0.0.1:1"))) {
      Http http = new Http(unreachable.address());
      assertThat(
              send(
                      http,
                      "open",
                      Feeds.lines("o", 1, "") + Feeds.line("l1", "5.00", "2099-06-01T12:00:00Z"))
                  .status())
          .isEqualTo(202);
      Waiting.until(
          "calls that fail",
          () -> http.get(PAYMENTS + "o1").ok().textAt("state").equals("RUNNING"));
    }
    try (Node without = node("without", Map.of())) {
      Http http = new Http(without.address());
      Waiting.until(
          "the warning",
          () -> {
            Http.Answer ready = http.get("/health/ready");
            return ready.status() == 200
                && ready
                    .text()
                    .contains("payments are not made: weir.payments.downstream is not set");
          });
      assertThat(http.get(PAYMENTS + "o1").ok().textAt("state")).isEqualTo("RUNNING");
      assertThat(http.delete(PAYMENTS + "l1").status()).isEqualTo(204);
      // It does not keep others from making them either.
      try (DownstreamSimulator bank =
              DownstreamSimulator.inMemory(BANK, DownstreamSimulator.steadyClock());
          DownstreamServer api =
              DownstreamServer.start(
                  new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), bank);
          Node paying =
              node("paying", Map.of(PaymentSetting.DOWNSTREAM, api.address().toString()))) {
        Http.Answer done = Feeds.awaitDone(new Http(paying.address()), "open");
        assertThat(done.intAt("paid")).isEqualTo(1);
        assertThat(done.intAt("cancelled")).isEqualTo(1);
      }
      assertThat(Files.exists(folder.resolve("without/payments/calls.ndjson"))).isFalse();
    }
  }

  @Test
  void simulatorPaysWhereItIsAskedFor() {
    try (EmbeddedDatabase trial = EmbeddedDatabase.start(folder.resolve("trial"));
        Node node =
            node(
                "asked",
                Map.of(
                    StoreSetting.DB_URL, trial.jdbcUrl(),
                    StoreSetting.DB_PASSWORD, trial.password(),
                    PaymentSetting.DOWNSTREAM, "simulator"))) {
      Http http = new Http(node.address());
      assertThat(send(http, "trial", Feeds.lines("t", 1, "")).status()).isEqualTo(202);
      assertThat(Feeds.awaitDone(http, "trial").intAt("paid")).isEqualTo(1);
      assertThat(Files.exists(folder.resolve("asked/payments/calls.ndjson"))).isTrue();
    }
  }
}
