package dev.weir.server.payments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Setting;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.wiring.Node;
import dev.weir.payments.server.node.PaymentSetting;
import dev.weir.payments.simulator.DownstreamServer;
import dev.weir.payments.simulator.DownstreamSimulator;
import dev.weir.payments.simulator.SimulatorSettings;
import dev.weir.server.http.Http;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node on a real Temporal server, in front of a payment API of its own, if the environment
 * variable {@code WEIR_TEST_TEMPORAL} names one as host and port.
 */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class RealTemporalNodeIT {
  private static final String ADDRESS = System.getenv().getOrDefault("WEIR_TEST_TEMPORAL", "");
  private static final int PAYMENTS = 40;

  @Test
  void paysAFeedOnceAlsoAfterARestart(@TempDir Path data) throws Exception {
    assumeTrue(!ADDRESS.isEmpty(), "skipped: WEIR_TEST_TEMPORAL names no Temporal server");
    String name = UUID.randomUUID().toString().substring(0, 8);
    try (DownstreamSimulator simulator =
            DownstreamSimulator.inMemory(
                SimulatorSettings.faultless(20), DownstreamSimulator.steadyClock());
        DownstreamServer api =
            DownstreamServer.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), simulator)) {
      Map<Setting, String> settings =
          Map.of(
              ServerSetting.PORT,
              "0",
              StoreSetting.DATA,
              data.toString(),
              ServerSetting.DRAIN,
              "PT0S",
              StoreSetting.DB_WAIT,
              "PT1M",
              PaymentSetting.TEMPORAL_ADDRESS,
              ADDRESS,
              PaymentSetting.TEMPORAL_TASK_QUEUE,
              name,
              PaymentSetting.DOWNSTREAM,
              api.address().toString(),
              PaymentSetting.CEILING,
              "20");
      String csv = Feeds.HEADER + Feeds.lines(name + "-", PAYMENTS, "");
      try (Node node = start(settings)) {
        Http.Answer received =
            Feeds.send(
                new Http(node.address()), "?feedId=" + name, csv.getBytes(StandardCharsets.UTF_8));
        assertThat(received.status()).as(received.text()).isEqualTo(202);
      }
      try (Node node = start(settings)) {
        Http http = new Http(node.address());
        assertThat(Feeds.awaitDone(http, name).intAt("paid")).isEqualTo(PAYMENTS);
        assertThat(http.get("/health/ready").ok().text()).isEqualTo("{\"status\":\"UP\"}");
      }
      assertThat(simulator.statistics().booked()).isEqualTo(PAYMENTS);
      assertThat(simulator.statistics().maxInSecond()).isLessThanOrEqualTo(20);
    }
  }

  private static Node start(Map<Setting, String> settings) {
    return Node.start(Capabilities.read(settings, Map.of(), Optional.empty()));
  }
}
