package dev.weir.benchmarks.services;

import dev.weir.benchmarks.H2Load;
import dev.weir.benchmarks.Rounds;
import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.Wrk;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Weir and the other services on one kind of store, measured in turns.
 *
 * @param store where both count, such as {@code in memory}
 * @param quick whether one short round is enough
 */
record Race(String store, boolean quick) {
  private static final int CONNECTIONS = 64;

  /** Long enough for the JVM to compile the measured code, quick or not. */
  private static final Duration WARM_UP = Duration.ofSeconds(10);

  /** Puts load on one service for the given time. Returns its responses per second. */
  @FunctionalInterface
  private interface Generator {
    double run(Duration time) throws IOException, InterruptedException;
  }

  /** Measures Weir alone, over HTTP and gRPC as far as the load generators are installed. */
  List<Row> alone(Service weir) throws Exception {
    return measured(weir, Optional.empty());
  }

  /** Measures Weir against a peer over the protocols that the peer supports. */
  List<Row> against(Service weir, Service peer) throws Exception {
    return measured(weir, Optional.of(peer));
  }

  private List<Row> measured(Service weir, Optional<Service> peer) throws Exception {
    List<Row> rows = new ArrayList<>();
    weir.requireCounted();
    if (Wrk.isInstalled() && (peer.isEmpty() || peer.get().http().isPresent())) {
      rows.add(overHttp(weir, peer));
    }
    if (H2Load.isInstalled()) {
      rows.add(overGrpc(weir, peer));
    }
    weir.requireCounted();
    if (peer.isPresent()) {
      peer.get().requireCounted();
    }
    return rows;
  }

  private Row overHttp(Service weir, Optional<Service> peer) throws Exception {
    String scenario = "POST /api/v1/check %s, %d connections".formatted(store, CONNECTIONS);
    Service.HttpCall call = weir.http().orElseThrow();
    try (Wrk wrk = Wrk.posting(call.bodyStart(), call.bodyEnd(), CONNECTIONS)) {
      Generator subject = time -> wrk.run(call.address(), time);
      wrk.warmUp(call.address(), WARM_UP);
      if (peer.isEmpty()) {
        return row(scenario, "answers/s", subject);
      }
      Service.HttpCall other = peer.get().http().orElseThrow();
      try (Wrk otherWrk = Wrk.posting(other.bodyStart(), other.bodyEnd(), CONNECTIONS)) {
        otherWrk.warmUp(other.address(), time());
        return row(
            scenario,
            "answers/s",
            subject,
            peer.get().name(),
            time -> otherWrk.run(other.address(), time));
      }
    }
  }

  private Row overGrpc(Service weir, Optional<Service> peer) throws Exception {
    String scenario =
        "ShouldRateLimit %s, %d connections of %d streams"
            .formatted(store, H2Load.CONNECTIONS, H2Load.STREAMS);
    Service.GrpcCall call = weir.grpc();
    try (H2Load load = H2Load.calling(call.method(), call.request())) {
      Generator subject = time -> load.run(call.port(), time);
      subject.run(WARM_UP);
      if (peer.isEmpty()) {
        return row(scenario, "calls/s", subject);
      }
      Service.GrpcCall other = peer.get().grpc();
      try (H2Load otherLoad = H2Load.calling(other.method(), other.request())) {
        otherLoad.run(other.port(), time());
        return row(
            scenario,
            "calls/s",
            subject,
            peer.get().name(),
            time -> otherLoad.run(other.port(), time));
      }
    }
  }

  private Row row(String scenario, String unit, Generator weir) throws Exception {
    List<Double> rounds = Rounds.repeated(rounds(), () -> weir.run(time()));
    return Row.alone("services", scenario, "weir", Rounds.median(rounds), unit);
  }

  private Row row(String scenario, String unit, Generator weir, String name, Generator peer)
      throws Exception {
    Rounds<Double> rounds =
        Rounds.interleaved(rounds(), () -> weir.run(time()), () -> peer.run(time()));
    return new Row(
        "services",
        scenario,
        "weir",
        Rounds.median(rounds.subject()),
        unit,
        new Row.Against(name, Rounds.median(rounds.peer()), new Row.Untargeted()));
  }

  private int rounds() {
    return quick ? 1 : 3;
  }

  private Duration time() {
    return Duration.ofSeconds(quick ? 2 : 5);
  }
}
