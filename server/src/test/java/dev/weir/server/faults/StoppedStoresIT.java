package dev.weir.server.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a node says while a store is stopped by a signal, so that nothing is refused and nothing
 * answered. That it says something within a bound is what {@link Api} demands of every answer.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
final class StoppedStoresIT {
  private static final int CALLERS = 16;
  private static final int LIMIT = 5_000;
  private static final long PAUSE_NANOS = Duration.ofMillis(50).toNanos();

  /** How long a node waits for a store: only one that is stopped takes so long. */
  private static final String WAIT = "PT5S";

  @AutoClose private static final StartedParts STARTED = new StartedParts();

  /** The nodes, by the store that decides. */
  private static final Map<String, Doors> NODES = new HashMap<>();

  private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();

  @TempDir private static Path folder;
  private static Database database;
  private static RedisProcess redis;
  private static String upstreamAddress;
  private String own;
  private Doors doors;

  /** Ways to ask a node. */
  private record Doors(
      Api api, Api gateway, RateLimitServiceGrpc.RateLimitServiceBlockingStub envoy) {}

  /** Who is stopped. */
  enum Hanging {
    POSTGRESQL,
    REDIS,
    REDIS_AND_POSTGRESQL
  }

  @BeforeAll
  static void start() throws IOException {
    HttpServer upstream =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    upstream.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    upstream.start();
    STARTED.add(() -> upstream.stop(0));
    upstreamAddress = "http://127.0.0.1:" + upstream.getAddress().getPort();
    database = STARTED.add(Database.start(folder.resolve("data")));
  }

  private static Doors startNode(String store) throws IOException {
    int gatewayPort = Ports.free();
    int envoyPort = Ports.free();
    Map<String, String> settings = new HashMap<>(database.environment());
    settings.put("WEIR_DB_WAIT", WAIT);
    settings.put("WEIR_GATEWAY_CONNECT_TIMEOUT", "PT1M");
    settings.put("WEIR_GATEWAY_ANSWER_TIMEOUT", "PT3M");
    settings.put("WEIR_LIMITS_STORE", store);
    if (store.equals("redis")) {
      redis = STARTED.add(new RedisProcess(Ports.free(), folder.resolve("redis.log")));
      settings.put("WEIR_REDIS_URI", redis.address());
      settings.put("WEIR_REDIS_TIMEOUT", WAIT);
    }
    settings.put("WEIR_GATEWAY_ROUTES", "/** = " + upstreamAddress);
    settings.put("WEIR_GATEWAY_PORT", Integer.toString(gatewayPort));
    settings.put("WEIR_GRPC_PORT", Integer.toString(envoyPort));
    NodeProcess node = STARTED.add(NodeProcess.start(folder.resolve(store + ".log"), settings));
    Api api = STARTED.add(new Api(node.awaitReadyAsService().address()));
    Api gateway = STARTED.add(new Api(URI.create("http://127.0.0.1:" + gatewayPort)));
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", envoyPort).usePlaintext().build();
    STARTED.add(channel::shutdownNow);
    return new Doors(api, gateway, RateLimitServiceGrpc.newBlockingStub(channel));
  }

  @AfterEach
  void leave() {
    callers.shutdownNow();
  }

  @ParameterizedTest
  @EnumSource
  void everyCallerIsAnsweredAndNoLimitIsExceeded(Hanging hanging) throws Exception {
    List<AutoCloseable> running = new ArrayList<>();
    Deque<Callable<Stopped>> stopping = new ArrayDeque<>();
    String store = hanging == Hanging.POSTGRESQL ? "postgresql" : "redis";
    if (store.equals("redis")) {
      assumeTrue(RedisProcess.isInstalled(), "redis-server is not installed");
      stopping.add(() -> redis.hang());
    }
    if (hanging != Hanging.REDIS) {
      stopping.add(database::hang);
    }
    if (!NODES.containsKey(store)) {
      NODES.put(store, startNode(store));
    }
    doors = NODES.get(store);
    own = hanging.toString();
    for (String mode : List.of("closed", "fallback", "local", "open")) {
      rule("'name':'%s','onStoreFailure':'%s',".formatted(mode, mode), LIMIT);
      rule(
          "'name':'at %s','pathPattern':'/%s/%s/**','onStoreFailure':'%s',"
              .formatted(mode, own, mode, mode),
          LIMIT);
    }
    rule("'name':'queue','queueEnabled':true,'maxQueueSize':5,'delayPerRequestMs':10,", 1);
    created("/api/admin/rules", "{'name':'held','algorithm':'CONCURRENCY','maxConcurrent':9}");
    created(
        "/api/admin/rules",
        "{'name':'free','algorithm':'CONCURRENCY','maxConcurrent':9,'onStoreFailure':'open'}");
    String resource = json("{'maxConcurrent':9,'leaseTtl':'PT1H'}");
    Waiting.until(
        "a resource",
        () -> doors.api.put("/api/v1/concurrency/" + own, resource).statusCode() == 200);
    String lease =
        created("/api/v1/concurrency/" + own + "/leases", "")
            .replaceFirst(".*\"leaseId\":\"([^\"]+)\".*", "$1");
    AtomicInteger granted = new AtomicInteger();
    AtomicBoolean over = new AtomicBoolean();
    List<Future<?>> load = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      load.add(callers.submit(() -> ask("closed", granted, over)));
    }
    Waiting.until("grants", () -> granted.get() > 100);

    try {
      for (Callable<Stopped> each : stopping) {
        running.add(each.call());
      }
      List<Future<?>> calls = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        for (Asked asked : asked(lease)) {
          calls.add(callers.submit(asked::ask));
        }
        calls.add(callers.submit(() -> assertThat(envoyAnswers("open")).isEqualTo(Code.OK)));
        calls.add(
            callers.submit(() -> assertThat(envoyAnswers("closed")).isEqualTo(Code.OVER_LIMIT)));
      }
      for (Future<?> call : calls) {
        call.get();
      }
      over.set(true);
      for (Future<?> each : load) {
        each.get();
      }
    } finally {
      for (AutoCloseable each : running) {
        each.close();
      }
    }
    Waiting.until(
        "the store",
        () -> {
          HttpResponse<String> answer = check("closed");
          granted.addAndGet(answer.statusCode() == 200 ? 1 : 0);
          return answer.body().contains("\"mode\":\"store\"");
        });
    for (int cost : List.of(100, 1)) {
      while (check("closed", cost).statusCode() == 200) {
        granted.addAndGet(cost);
      }
    }
    assertThat(granted.get()).isLessThanOrEqualTo(LIMIT);
  }

  private boolean ask(String rule, AtomicInteger granted, AtomicBoolean over) throws Exception {
    while (!over.get()) {
      if (check(rule).statusCode() == 200) {
        granted.incrementAndGet();
      } else {
        // A store that is given up is answered for at once, and that would be all that is done.
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
    return true;
  }

  /** Something that is asked while the store is stopped, and what may be answered. */
  private record Asked(String name, Callable<HttpResponse<String>> call, String expected) {
    boolean ask() throws Exception {
      HttpResponse<String> answer = call.call();
      assertThat(answer.statusCode() + " " + answer.body()).as(name).containsPattern(expected);
      return true;
    }
  }

  private List<Asked> asked(String lease) {
    String resource = "/api/v1/concurrency/" + own + "/leases";
    String gone = "^503 .*\"outcome\":\"(none|unknown)\"";
    // A request that was sent before the store was given up may be counted when it resumes.
    String refused = "^503 .*(\"mode\":\"closed\"|\"outcome\":\"unknown\")";
    return List.of(
        new Asked("closed", () -> check("closed"), refused),
        new Asked("fallback", () -> check("fallback"), refused),
        new Asked("local", () -> check("local"), "^200 .*\"mode\":\"local\""),
        new Asked("open", () -> check("open"), "^200 .*\"mode\":\"open\""),
        new Asked("queue", () -> check("queue"), refused),
        new Asked("held", () -> check("held"), refused),
        new Asked("free", () -> check("free"), "^200 .*\"mode\":\"open\""),
        new Asked("acquire", () -> doors.api.post(resource, ""), gone),
        new Asked("renew", () -> doors.api.put(resource + "/" + lease, ""), gone),
        new Asked("release", () -> doors.api.delete(resource + "/" + lease), gone),
        new Asked(
            "refund",
            () ->
                doors.api.post(
                    "/api/v1/refund",
                    json("{'rule':'%s','key':'k','leaseId':'%s'}".formatted(own("held"), lease))),
            gone),
        new Asked("state", () -> doors.api.get("/api/v1/concurrency/" + own), gone),
        new Asked("gateway, closed", () -> gateway("/closed/a"), "^503 "),
        new Asked("gateway, local", () -> gateway("/local/a"), "^204 "),
        new Asked("gateway, open", () -> gateway("/open/a"), "^204 "));
  }

  private Code envoyAnswers(String rule) {
    return doors
        .envoy
        .shouldRateLimit(
            RateLimitRequest.newBuilder()
                .setDomain("edge")
                .addDescriptors(
                    RateLimitDescriptor.newBuilder()
                        .addEntries(
                            RateLimitDescriptor.Entry.newBuilder()
                                .setKey("rule")
                                .setValue(own(rule)))
                        .addEntries(
                            RateLimitDescriptor.Entry.newBuilder().setKey("user").setValue("1")))
                .build())
        .getOverallCode();
  }

  private HttpResponse<String> gateway(String path) throws IOException, InterruptedException {
    return doors.gateway.get("/" + own + path);
  }

  private HttpResponse<String> check(String rule) throws IOException, InterruptedException {
    return check(rule, 1);
  }

  private HttpResponse<String> check(String rule, int cost)
      throws IOException, InterruptedException {
    String json = json("{'rule':'%s','key':'k','cost':%d}".formatted(own(rule), cost));
    return doors.api.post("/api/v1/check", json);
  }

  /** Names of rules begin with what is stopped, because the stores outlive a test. */
  private String own(String rule) {
    return own + " " + rule;
  }

  private void rule(String fields, int limit) throws IOException, InterruptedException {
    created(
        "/api/admin/rules",
        "{%s'allowedRequests':%d,'windowSeconds':86400}".formatted(fields, limit));
  }

  private String created(String path, String fields) throws IOException, InterruptedException {
    String json = json(fields.replace("'name':'", "'name':'" + own + " "));
    HttpResponse<String> answer = doors.api.post(path, json);
    boolean isRepeated = false;
    // On a busy machine a store may take longer than a node waits, also if it is not stopped.
    while (answer.statusCode() == 503) {
      LockSupport.parkNanos(PAUSE_NANOS);
      isRepeated = true;
      answer = doors.api.post(path, json);
    }
    // What was not answered may have been made.
    boolean isThere = answer.statusCode() == 201 || (isRepeated && answer.statusCode() == 409);
    assertThat(isThere).as(answer.body()).isTrue();
    return answer.body();
  }

  private static String json(String text) {
    return text.replace('\'', '"');
  }
}
