package dev.weir.benchmarks.services;

import dev.weir.benchmarks.BenchRedis;
import dev.weir.benchmarks.H2Load;
import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.Suite;
import dev.weir.benchmarks.Wrk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Weir as a service against other rate limit services whose programs the command line names. A
 * service without a program is skipped; without any, Weir is measured alone.
 */
public final class ServicesSuite implements Suite {
  private static final List<String> PEERS = List.of("gubernator", "limitador", "envoy-ratelimit");

  /** Starts a peer. */
  @FunctionalInterface
  private interface Start {
    Service with(Path program) throws IOException, InterruptedException;
  }

  @Override
  public String name() {
    return "services";
  }

  @Override
  public Outcome run(Request request) throws Exception {
    Map<String, String> facts = new LinkedHashMap<>();
    for (String peer : PEERS) {
      if (!request.programs().containsKey(peer)) {
        facts.put(peer, "not measured: name its program with --" + peer + " PATH");
        request.progress().accept("services: " + peer + " " + facts.get(peer));
      }
    }
    if (!Wrk.isInstalled()) {
      facts.put("HTTP", "not measured: it needs wrk");
    }
    if (!H2Load.isInstalled()) {
      facts.put("gRPC", "not measured: it needs h2load (Debian: nghttp2-client)");
    }
    List<Row> rows = new ArrayList<>();
    if (request.isWanted("memory")) {
      rows.addAll(
          race(
              request,
              "in memory",
              Map.of("WEIR_LIMITS_STORE", "memory"),
              Map.of(
                  "gubernator",
                  Gubernator::start,
                  "limitador",
                  program -> Limitador.start(program, List.of("memory")))));
    }
    if (request.isWanted("redis")) {
      try (BenchRedis redis = BenchRedis.start()) {
        rows.addAll(
            race(
                request,
                "on Redis",
                Map.of(
                    "WEIR_LIMITS_STORE", "redis",
                    "WEIR_LIMITS_FALLBACK", "none",
                    "WEIR_REDIS_URI", redis.uri()),
                Map.of(
                    "limitador", program -> Limitador.start(program, List.of("redis", redis.uri())),
                    "envoy-ratelimit", program -> EnvoyRatelimit.start(program, redis))));
      }
    }
    return new Outcome(facts, rows);
  }

  private static List<Row> race(
      Request request, String store, Map<String, String> settings, Map<String, Start> peers)
      throws Exception {
    Race race = new Race(store, request.quick());
    List<Row> rows = new ArrayList<>();
    try (WeirService weir = WeirService.start(settings)) {
      for (String name : PEERS) {
        Optional<Path> program = Optional.ofNullable(request.programs().get(name));
        Optional<Start> start = Optional.ofNullable(peers.get(name));
        if (program.isPresent() && start.isPresent()) {
          request.progress().accept("services: " + name + " " + store);
          try (Service peer = start.get().with(program.get())) {
            rows.addAll(race.against(weir, peer));
          }
        }
      }
      if (rows.isEmpty()) {
        request.progress().accept("services: Weir alone " + store);
        rows.addAll(race.alone(weir));
      }
    }
    return rows;
  }
}
