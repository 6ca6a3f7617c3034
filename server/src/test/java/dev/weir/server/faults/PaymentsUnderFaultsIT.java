package dev.weir.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.Http;
import dev.weir.server.payments.Feeds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Payments on embedded parts, whose Temporal forgets everything when the node is killed. {@code
 * -Dweir.faults.rounds=N} repeats it with further feeds.
 */
@Timeout(value = 1, unit = TimeUnit.HOURS)
final class PaymentsUnderFaultsIT {
  private static final Logger log = LoggerFactory.getLogger(PaymentsUnderFaultsIT.class);
  private static final int ROUNDS = Integer.getInteger("weir.faults.rounds", 1);
  private static final int CEILING = 15;
  private static final int PAYMENTS = 75;
  private static final Duration BOUND = Duration.ofMinutes(3);
  private static final Map<String, String> SETTINGS =
      Map.of(
          "WEIR_DB_WAIT",
          "PT1M",
          "WEIR_PAYMENTS_CEILING",
          Integer.toString(CEILING),
          "WEIR_PAYMENTS_GRACE",
          "PT3S");

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
      for (int round = 1; round <= ROUNDS; round++) {
        long beganNanos = System.nanoTime();
        payAndKill(node, http, "f" + round, "p" + round + "-");
        Feeds.assertBookedOnce(data, CEILING, ids("p" + round + "-"));
        log.info(
            "Round {} of payments: {} paid once, node killed twice, in {} ms",
            round,
            PAYMENTS,
            TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos));
      }
    }
  }

  private static void payAndKill(NodeProcess node, Http http, String feedId, String prefix)
      throws IOException {
    Http.Answer received =
        Feeds.send(
            http,
            "?configName=fast&feedId=" + feedId,
            (Feeds.HEADER + Feeds.lines(prefix, PAYMENTS, "")).getBytes(StandardCharsets.UTF_8));
    assertThat(received.status()).as(received.text()).isEqualTo(202);
    for (int paid : new int[] {1, PAYMENTS / 2}) {
      Waiting.until(
          paid + " payments",
          BOUND,
          () -> http.get(Feeds.PATH + "/" + feedId).ok().intAt("paid") >= paid);
      node.kill();
      node.restart();
      node.awaitReady();
    }
    Http.Answer done = Feeds.awaitDone(http, feedId);
    assertThat(done.intAt("paid")).as(done.text()).isEqualTo(PAYMENTS);
    assertThat(done.intAt("failed")).isZero();
  }

  private static List<String> ids(String prefix) {
    return IntStream.rangeClosed(1, PAYMENTS).mapToObj(i -> prefix + i).toList();
  }
}
