package dev.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.Concurrency;
import dev.weir.rules.Rule;
import dev.weir.rules.matching.KeyPart;
import dev.weir.rules.spec.Quota;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import dev.weir.server.http.RawHttp;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules apply to requests through the gateway, including queues. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class GatewayQueueIT {
  private static final String GET = "GET %s HTTP/1.1\r\nHost: shop\r\n%s\r\n";

  private static TestGateway.Choice choice(boolean isBlocking) {
    return isBlocking ? TestGateway.Choice.DEFAULTS.blocking() : TestGateway.Choice.DEFAULTS;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void of8AtOnce3PassAtOnce2WaitAnd3AreRefused(boolean isBlocking) throws Exception {
    try (TestUpstream upstream = TestUpstream.friendly();
        TestGateway gateway = new TestGateway(choice(isBlocking), upstream.address());
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      gateway.limit("/api/**", 3, new Quota.QueueSettings(true, 2, 500));
      gateway.letTheClockStand();
      List<RawHttp> eight = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        eight.add(connected(gateway));
      }
      List<Callable<String>> asking = new ArrayList<>();
      for (RawHttp each : eight) {
        asking.add(
            () -> {
              each.send(GET.formatted("/api/orders", "Connection: close\r\n"));
              return each.readAll();
            });
      }
      List<String> delays = new ArrayList<>();
      int passed = 0;
      int refused = 0;
      for (Future<String> each : callers.invokeAll(asking)) {
        String answer = each.get();
        if (answer.startsWith("HTTP/1.1 429 ")) {
          refused++;
          assertThat(TestUpstream.field(answer, "retry-after")).isPresent();
          assertThat(answer).contains("\"violated-policies\":[\"rule /api/**\"]");
        } else {
          assertThat(answer).startsWith("HTTP/1.1 200 ").endsWith("ok");
          assertThat(TestUpstream.field(answer, "ratelimit-policy")).isPresent();
          if (TestUpstream.field(answer, "x-ratelimit-queued").isPresent()) {
            delays.add(TestUpstream.field(answer, "x-ratelimit-delay-ms").orElseThrow());
          } else {
            passed++;
          }
        }
      }
      assertThat(passed).isEqualTo(3);
      assertThat(delays).containsExactlyInAnyOrder("500", "1000");
      assertThat(refused).isEqualTo(3);
      assertThat(upstream.heads().stream().filter(head -> head.contains("/api"))).hasSize(5);
      assertThat(gateway.waiting()).isZero();
    }
  }

  private static RawHttp connected(TestGateway gateway) throws IOException {
    RawHttp raw = new RawHttp(gateway.address());
    raw.send(GET.formatted("/", ""));
    raw.readTo("ok");
    return raw;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aClientThatLeavesWhileItWaitsFreesItsPlace(boolean isBlocking) throws Exception {
    try (TestUpstream upstream = TestUpstream.friendly();
        TestGateway gateway = new TestGateway(choice(isBlocking), upstream.address())) {
      gateway.limitToOneAndALongWait();
      assertThat(gateway.http().get("/").status()).isEqualTo(200);
      RawHttp leaving = new RawHttp(gateway.address());
      // Also one that has sent more than it was asked for.
      leaving.send("POST / HTTP/1.1\r\nHost: shop\r\nContent-Length: 100000\r\n\r\nhello");
      awaitWaiting(gateway, 1);
      gateway.http().get("/").refused();
      leaving.close();
      awaitWaiting(gateway, 0);
      RawHttp next = new RawHttp(gateway.address());
      next.send(GET.formatted("/", ""));
      awaitWaiting(gateway, 1);
      next.close();
      awaitWaiting(gateway, 0);
      assertThat(upstream.heads()).hasSize(1);
    }
  }

  private static void awaitWaiting(TestGateway gateway, int count) {
    Waiting.until(count + " to wait", () -> gateway.waiting() == count);
  }

  /** Some of them may have waited long enough already. */
  private static void awaitQueued(TestGateway gateway, int count) {
    Waiting.until(count + " to have begun to wait", () -> gateway.queued() == count);
  }

  @Test
  void aRuleDeletedWhileRequestsWaitInItsQueueLosesNone() throws Exception {
    try (TestUpstream upstream = TestUpstream.friendly();
        TestGateway gateway = new TestGateway(upstream.address())) {
      Rule rule = gateway.limit("/**", 1, new Quota.QueueSettings(true, 5, 300));
      gateway.http().get("/");
      List<CompletableFuture<Http.Answer>> waiting = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        waiting.add(
            CompletableFuture.supplyAsync(
                () -> gateway.http().get("/"), Thread::startVirtualThread));
      }
      awaitQueued(gateway, 5);
      gateway.delete(rule);
      for (CompletableFuture<Http.Answer> each : waiting) {
        assertThat(each.get().status()).isEqualTo(200);
      }
      // From now on no request waits.
      assertThat(gateway.http().get("/").headers().firstValue("RateLimit-Policy")).isEmpty();
    }
  }

  @Test
  void aRequestHoldsItsLeaseToTheEndOfItsAnswer() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) -> {
                  TestUpstream.send(out, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
                  if (head.contains("/slow")) {
                    wait(go);
                  }
                  return TestUpstream.send(out, "ok");
                });
        TestGateway gateway = new TestGateway(upstream.address());
        RawHttp raw = new RawHttp(gateway.address())) {
      Rule rule =
          gateway.rule(
              "/**", new Quota.Concurrent(Concurrency.of(1, Duration.ofMinutes(10))), spec -> spec);
      raw.send(GET.formatted("/slow", ""));
      raw.readTo("\r\n\r\n");
      gateway.http().get("/").refused();
      go.countDown();
      raw.readTo("ok");
      Waiting.until("the lease to end", () -> gateway.leases(rule, "127.0.0.1") == 0);
      assertThat(gateway.http().get("/").status()).isEqualTo(200);
    }
  }

  private static void wait(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void thousandsWaitWithoutThreads() throws Exception {
    int clients = 2_000;
    try (TestUpstream upstream = TestUpstream.friendly();
        TestGateway gateway = new TestGateway(upstream.address())) {
      gateway.limit("/**", 1, new Quota.QueueSettings(true, clients, 30_000));
      gateway.http().get("/");
      int before = Thread.getAllStackTraces().size();
      List<Socket> sockets = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.address().getPort());
        socket.getOutputStream().write(GET.formatted("/", "").getBytes(StandardCharsets.US_ASCII));
        sockets.add(socket);
      }
      awaitQueued(gateway, clients);
      assertThat(Thread.getAllStackTraces().size()).isLessThan(before + 20);
      for (Socket socket : sockets) {
        socket.close();
      }
      awaitWaiting(gateway, 0);
    }
  }

  @Test
  void forgedHeadersDoNotEvadeALimit() throws Exception {
    try (TestUpstream upstream = TestUpstream.friendly();
        TestGateway gateway = new TestGateway(upstream.address())) {
      gateway.limit("/**", 2, Quota.QueueSettings.NONE);
      int passed = 0;
      for (int i = 0; i < 6; i++) {
        passed +=
            gateway
                        .http()
                        .with("X-Forwarded-For", "10.0.0." + i, "Forwarded", "for=10.0.0." + i)
                        .get("/")
                        .status()
                    == 200
                ? 1
                : 0;
      }
      assertThat(passed).isEqualTo(2);
    }
    // Behind a trusted proxy it is the address that the proxy saw.
    try (TestUpstream upstream = TestUpstream.friendly();
        TestGateway gateway =
            new TestGateway(
                TestGateway.Choice.DEFAULTS.trusting("127.0.0.1"), upstream.address())) {
      gateway.limit("/**", 2, Quota.QueueSettings.NONE);
      int passed = 0;
      for (int i = 0; i < 6; i++) {
        passed +=
            gateway.http().with("X-Forwarded-For", "10.0.0." + i + ", 9.9.9.9").get("/").status()
                    == 200
                ? 1
                : 0;
      }
      assertThat(passed).isEqualTo(2);
      assertThat(gateway.http().with("X-Forwarded-For", "8.8.8.8").get("/").status())
          .isEqualTo(200);
    }
  }

  @Test
  void refusesAHeaderTwiceByWhichItCounts() throws Exception {
    try (TestUpstream upstream = TestUpstream.friendly();
        TestGateway gateway = new TestGateway(upstream.address())) {
      gateway.rule(
          "/**",
          Quota.Rate.of(TestGateway.window(5)),
          spec -> spec.covering(spec.coverage().keyBy(List.of(new KeyPart.Header("X-Api-Key")))));
      gateway
          .http()
          .with("X-Api-Key", "a", "X-Api-Key", "b")
          .get("/")
          .problem(400, "repeated-header");
      // Some upstreams treat them as the same.
      gateway
          .http()
          .with("X-Api-Key", "a", "X_Api_Key", "b")
          .get("/")
          .problem(400, "repeated-header");
      gateway.http().with("x_api-key", "b").get("/").problem(400, "repeated-header");
      assertThat(gateway.http().with("X-Api-Key", "a").get("/").status()).isEqualTo(200);
    }
  }

  @Test
  void drainingLosesNoRequestAndLetsThoseWhoWaitPass() throws Exception {
    try (TestUpstream upstream = TestUpstream.friendly();
        TestGateway gateway = new TestGateway(upstream.address());
        RawHttp idle = new RawHttp(gateway.address())) {
      gateway.limit("/queue", 1, new Quota.QueueSettings(true, 5, 400));
      gateway.http().get("/queue");
      List<CompletableFuture<Http.Answer>> waiting = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        waiting.add(
            CompletableFuture.supplyAsync(
                () -> gateway.http().get("/queue"), Thread::startVirtualThread));
      }
      awaitQueued(gateway, 5);
      Gateway leaving = gateway.gateway();
      leaving.beginDraining();
      // A connected client may send another request, and its connection is closed after the
      // response.
      idle.send(GET.formatted("/x", ""));
      assertThat(idle.readAll()).startsWith("HTTP/1.1 200 ").contains("connection: close");
      leaving.refuseNewcomers(Duration.ofMillis(100));
      leaving.endWhenIdle(Duration.ofMillis(200)).get();
      for (CompletableFuture<Http.Answer> each : waiting) {
        assertThat(each.get().status()).isEqualTo(200);
      }
      assertThat(leaving.count()).isZero();
    }
  }

  @Test
  void changesOfRoutesLoseNoRequest() throws Exception {
    try (TestUpstream one = TestUpstream.friendly();
        TestUpstream two = TestUpstream.friendly();
        TestGateway gateway = new TestGateway(one.address());
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      gateway.route("/r/**", one.address());
      AtomicBoolean isOver = new AtomicBoolean();
      List<Future<Integer>> lost = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        lost.add(
            callers.submit(
                () -> {
                  int mine = 0;
                  while (!isOver.get()) {
                    mine += gateway.http().get("/r/x").text().equals("ok") ? 0 : 1;
                  }
                  return mine;
                }));
      }
      for (int i = 0; i < 20; i++) {
        TestUpstream next = i % 2 == 0 ? two : one;
        int before = next.heads().size();
        gateway.reroute(1, "/r/**", next.address());
        Waiting.until("the other to be asked", () -> next.heads().size() > before + 10);
      }
      isOver.set(true);
      for (Future<Integer> each : lost) {
        assertThat(each.get()).isZero();
      }
    }
  }
}
