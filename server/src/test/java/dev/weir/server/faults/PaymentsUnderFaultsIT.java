package dev.weir.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.Http;
import dev.weir.server.payments.Feeds;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Payments on embedded parts, whose Temporal forgets everything when the node is killed. */
@Timeout(value = 8, unit = TimeUnit.MINUTES)
final class PaymentsUnderFaultsIT {
  private static final int CEILING = 15;
  private static final int PAYMENTS = 150;
  private static final Duration BOUND = Duration.ofMinutes(2);
  private static final Map<String, String> SETTINGS =
      Map.of("WEIR_PAYMENTS_CEILING", Integer.toString(CEILING), "WEIR_PAYMENTS_GRACE", "PT3S");

  @TempDir private Path folder;

  @Test
  void paysEachPaymentOnceAlthoughTheNodeIsKilledTwice() throws Exception {
    Path data = folder.resolve("data");
    try (NodeProcess node =
        NodeProcess.start(folder.resolve("log"), SETTINGS, "--data", data.toString())) {
      Http http = new Http(node.awaitReady().address());
      // More slots than the ceiling permits, so that payments wait when the node is killed.
      http.post(
          "/admin/rate-limit/config",
          "{\"configName\":\"fast\",\"maxPerWindow\":30,\"windowSize\":\"PT1S\"}");
      Http.Answer received =
          Feeds.send(
              http,
              "?feedId=f&configName=fast",
              (Feeds.HEADER + Feeds.lines("p", PAYMENTS, "")).getBytes(StandardCharsets.UTF_8));
      assertThat(received.status()).as(received.text()).isEqualTo(202);

      for (int paid : new int[] {1, PAYMENTS / 2}) {
        Waiting.until(
            paid + " payments",
            BOUND,
            () -> http.get(Feeds.PATH + "/f").ok().intAt("paid") >= paid);
        node.kill();
        node.restart();
        node.awaitReady();
      }

      Http.Answer done = Feeds.awaitDone(http, "f");
      assertThat(done.intAt("paid")).as(done.text()).isEqualTo(PAYMENTS);
      assertThat(done.intAt("failed")).isZero();
      Feeds.assertBookedOnce(
          data, CEILING, IntStream.rangeClosed(1, PAYMENTS).mapToObj(i -> "p" + i).toList());
    }
  }
}
