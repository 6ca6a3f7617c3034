package dev.weir.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.payments.simulator.DownstreamServer;
import dev.weir.payments.simulator.DownstreamSimulator;
import dev.weir.payments.simulator.SimulatorSettings;
import dev.weir.payments.simulator.calls.RecordedCalls;
import dev.weir.server.http.Http;
import dev.weir.server.payments.Feeds;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes on one database, neither of which is told of a Temporal server. */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
final class PaymentsOnTwoNodesIT {
  private static final int PAYMENTS = 40;
  private static final Duration BOUND = Duration.ofMinutes(3);
  private static final String MADE_HERE = "Payments are made by the embedded Temporal";
  private static final String MADE_THERE = "Payments of this database are made by process ";

  @TempDir private Path folder;

  /** A node and how to talk to it. */
  private record Peer(NodeProcess process, Http http) {
    boolean isOwner() {
      return process.log().contains(MADE_HERE);
    }

    boolean isPassive() {
      return http.get("/health/ready").text().contains("this node makes no payments: process ");
    }
  }

  private Peer start(String name, Map<String, String> environment) throws IOException {
    NodeProcess process =
        NodeProcess.start(
            folder.resolve(name + ".log"), environment, "--data", folder.resolve(name).toString());
    return new Peer(process, new Http(process.awaitReady().address()));
  }

  private static void send(Peer peer, String feedId) {
    Http.Answer received =
        Feeds.send(
            peer.http(),
            "?feedId=" + feedId,
            (Feeds.HEADER + Feeds.lines(feedId + "-", PAYMENTS, ""))
                .getBytes(StandardCharsets.UTF_8));
    assertThat(received.status()).as(received.text()).isEqualTo(202);
  }

  @Test
  @SuppressWarnings("try") // closed at the end, not used before
  void onlyOneOfThemMakesPaymentsUntilItIsKilled() throws Exception {
    Path calls = folder.resolve("calls.ndjson");
    SimulatorSettings behaviour =
        new SimulatorSettings(
            1_000,
            Duration.ofMillis(20),
            Duration.ofSeconds(30),
            SimulatorSettings.Faults.NONE,
            1,
            SimulatorSettings.DEFAULT_MAX_PAYMENTS);
    try (Database database = Database.start(folder.resolve("database"));
        DownstreamSimulator simulator =
            DownstreamSimulator.recording(behaviour, DownstreamSimulator.steadyClock(), calls);
        DownstreamServer api =
            DownstreamServer.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), simulator)) {
      Map<String, String> environment = new HashMap<>(database.environment());
      environment.put("WEIR_PAYMENTS_DOWNSTREAM", api.address().toString());
      environment.put("WEIR_PAYMENTS_GRACE", "PT2S");
      environment.put("WEIR_PAYMENTS_DOWNSTREAM_PAUSE", "PT5S");
      // A call that is given up is repeated, and calls are counted here.
      environment.put("WEIR_PAYMENTS_DOWNSTREAM_TIMEOUT", "PT1M");
      Peer one = start("one", environment);
      Peer two = start("two", environment);
      try (NodeProcess first = one.process();
          NodeProcess second = two.process()) {
        one.http()
            .post(
                "/admin/rate-limit/config",
                "{\"configName\":\"default\",\"maxPerWindow\":20,\"windowSize\":\"PT1S\"}");
        send(one, "a");
        send(two, "b");
        Feeds.awaitDone(one.http(), "a");
        Feeds.awaitDone(two.http(), "b");
        assertThat(callsOf(calls)).as("one call for each").isEqualTo(2 * PAYMENTS);
        assertThat(one.isOwner()).isNotEqualTo(two.isOwner());
        Peer owner = one.isOwner() ? one : two;
        Peer other = one.isOwner() ? two : one;
        assertThat(owner.isPassive()).isFalse();

        send(other, "c");
        Waiting.until("a node that names the owner", BOUND, other::isPassive);
        Waiting.until(
            "the log to name it", BOUND, () -> other.process().log().contains(MADE_THERE));
        try (Stopped stopped = owner.process().suspend()) {
          Waiting.until("passivity while the owner is suspended", BOUND, other::isPassive);
        }
        Feeds.awaitDone(other.http(), "c");

        // The next owner makes the rest at once.
        send(other, "d");
        Waiting.until(
            "a payment", BOUND, () -> other.http().get(Feeds.PATH + "/d").ok().intAt("paid") > 0);
        owner.process().kill();
        assertThat(Feeds.awaitDone(other.http(), "d").intAt("paid")).isEqualTo(PAYMENTS);
        assertThat(other.process().log()).contains(MADE_HERE);
        assertThat(other.isPassive()).isFalse();

        owner.process().restart();
        owner.process().awaitReady();
        send(owner, "e");
        assertThat(Feeds.awaitDone(owner.http(), "e").intAt("paid")).isEqualTo(PAYMENTS);
        Waiting.until("a node that names the next owner", BOUND, owner::isPassive);
        assertThat(bookedOf(calls)).hasSize(5 * PAYMENTS);
      }
    }
  }

  private static int callsOf(Path file) throws IOException {
    AtomicInteger calls = new AtomicInteger();
    RecordedCalls.read(file, call -> calls.incrementAndGet());
    return calls.get();
  }

  private static Set<String> bookedOf(Path file) throws IOException {
    Set<String> booked = new HashSet<>();
    RecordedCalls.read(
        file,
        call -> {
          if (call.booked()) {
            assertThat(booked.add(call.paymentId())).as(call.paymentId()).isTrue();
          }
        });
    return booked;
  }
}
