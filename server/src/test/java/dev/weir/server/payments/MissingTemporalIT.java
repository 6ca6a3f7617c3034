package dev.weir.server.payments;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.wiring.Node;
import dev.weir.payments.server.node.PaymentSetting;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import dev.weir.server.wiring.TestNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Payments without what they need. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class MissingTemporalIT {
  /** No Temporal listens there. */
  private static final String NOWHERE = "127.0.0.1:1";

  @Test
  void aMissingTemporalIsNamedAndLeavesEverythingElseAlone(@TempDir Path folder) {
    try (Node node =
        Node.start(
            Capabilities.read(
                Map.of(
                    ServerSetting.PORT, "0",
                    StoreSetting.DATA, folder.toString(),
                    StoreSetting.DB_WAIT, "PT1M",
                    ServerSetting.DRAIN, "PT0S",
                    PaymentSetting.TEMPORAL_ADDRESS, NOWHERE,
                    PaymentSetting.DOWNSTREAM, "http://127.0.0.1:1"),
                Map.of(),
                Optional.empty()))) {
      Http http = new Http(node.address());
      Waiting.until(
          "the warning",
          () -> {
            Http.Answer ready = http.get("/health/ready");
            return ready.status() == 200
                && ready.text().contains("Temporal at " + NOWHERE + " cannot be reached");
          });
      assertThat(http.get("/metrics").text()).contains("rate_limiter_payment_temporal_down 1.0");
      String csv = Feeds.HEADER + Feeds.lines("p", 2, "2099-06-01T12:00:00Z");
      Http.Answer received = Feeds.send(http, "?feedId=f", csv.getBytes(StandardCharsets.UTF_8));
      assertThat(received.status()).as(received.text()).isEqualTo(202);
      assertThat(http.get(Feeds.PATH + "/f").ok().textAt("state")).isEqualTo("STARTING");
      assertThat(http.delete("/api/v1/payments/p1").status()).isEqualTo(204);
      assertThat(http.get("/api/v1/payments/p1").ok().textAt("state")).isEqualTo("CANCELLED");
      http.post("/api/v1/slots", "{\"eventId\":\"a\"}").ok();
    }
  }

  @Test
  void aNodeWithoutADatabaseSaysThatItHasNoPayments() {
    try (Node node = TestNode.inMemory(Map.of())) {
      Http http = new Http(node.address());
      http.get(Feeds.PATH).problem(404, "payments-disabled");
      http.get("/api/v1/payments/p1").problem(404, "payments-disabled");
    }
  }
}
