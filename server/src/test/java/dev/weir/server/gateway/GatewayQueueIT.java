package dev.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.limits.Concurrency;
import dev.weir.engine.rules.Allowance;
import dev.weir.engine.rules.KeyPart;
import dev.weir.engine.rules.Rule;
import dev.weir.server.rest.Http;
import dev.weir.server.rest.RawHttp;
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
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules hold for what goes through the gateway, and what may wait waits. */
@Timeout(value = 1, unit = TimeUnit.MINUTES)
final class GatewayQueueIT {
  private static final String GET = "GET %s HTTP/1.1\r\nHost: shop\r\n%s\r\n";

  private static TestGateway.Choice choice(boolean isBlocking) {
    return isBlocking ? TestGateway.Choice.USUAL.blocking() : TestGateway.Choice.USUAL;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void of8AtOnce3PassAtOnce2WaitAnd3AreRefused(boolean isBlocking) throws Exception {
    try (TestUpstream upstream = TestUpstream.friendly();
        TestGateway gateway = new TestGateway(choice(isBlocking), upstream.address());
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      gateway.limit("/api/**", 3, new Allowance.Waiting(true, 2, 500));
      List<Callable<Http.Answer>> eight = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        eight.add(() -> gateway.http().get("/api/orders"));
      }
      List<String> delays = new ArrayList<>();
      int passed = 0;
      int refused = 0;
      for (Future<Http.Answer> each : callers.invokeAll(eight)) {
        Http.Answer answer = each.get();
        if (answer.status() == 429) {
          refused++;
          answer.refused();
          assertThat(answer.headers().firstValue("Retry-After")).isPresent();
          assertThat(answer.listAt("violated-policies")).hasToString("[rule /api/**]");
        } else {
          assertThat(answer.text()).isEqualTo("ok");
          assertThat(answer.headers().firstValue("RateLimit-Policy")).isPresent();
          if (answer.headers().firstValue("X-RateLimit-Queued").isPresent()) {
            delays.add(answer.headers().firstValue("X-RateLimit-Delay-Ms").orElseThrow());
          } else {
            passed++;
          }
        }
      }
      assertThat(passed).isEqualTo(3);
      assertThat(delays).containsExactlyInAnyOrder("500", "1000");
      assertThat(refused).isEqualTo(3);
      assertThat(upstream.heads()).hasSize(5);
      assertThat(gateway.waiting()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aClientThatLeavesWhileItWaitsFreesItsPlace(boolean isBlocking) throws Exception {
    try (TestUpstream upstream = TestUpstream.friendly();
        TestGateway gateway = new TestGateway(choice(isBlocking), upstream.address())) {
      gateway.limit("/**", 1, new Allowance.Waiting(true, 1, 30_000));
      assertThat(gateway.http().get("/").status()).isEqualTo(200);
      RawHttp leaving = new RawHttp(gateway.address());
      // Also one that has sent more than was asked for.
      leaving.send("POST / HTTP/1.1\r\nHost: shop\r\nContent-Length: 100000\r\n\r\nhello");
      await(() -> gateway.waiting() == 1);
      gateway.http().get("/").refused();
      leaving.close();
      await(() -> gateway.waiting() == 0);
      RawHttp next = new RawHttp(gateway.address());
      next.send(GET.formatted("/", ""));
      await(() -> gateway.waiting() == 1);
      next.close();
      await(() -> gateway.waiting() == 0);
      assertThat(upstream.heads()).hasSize(1);
    }
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    while (!condition.getAsBoolean()) {
      Thread.sleep(5);
    }
  }

  @Test
  void aRuleDeletedWhileRequestsWaitInItsQueueLosesNone() throws Exception {
    try (TestUpstream upstream = TestUpstream.friendly();
        TestGateway gateway = new TestGateway(upstream.address())) {
      Rule rule = gateway.limit("/**", 1, new Allowance.Waiting(true, 5, 300));
      gateway.http().get("/");
      List<CompletableFuture<Http.Answer>> waiting = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        waiting.add(
            CompletableFuture.supplyAsync(
                () -> gateway.http().get("/"), Thread::startVirtualThread));
      }
      await(() -> gateway.waiting() == 5);
      gateway.delete(rule);
      for (CompletableFuture<Http.Answer> each : waiting) {
        assertThat(each.get().status()).isEqualTo(200);
      }
      // From now on nobody waits.
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
              "/**",
              new Allowance.Together(Concurrency.of(1, Duration.ofMinutes(1))),
              terms -> terms);
      raw.send(GET.formatted("/slow", ""));
      raw.readTo("\r\n\r\n");
      gateway.http().get("/").refused();
      go.countDown();
      raw.readTo("ok");
      await(() -> gateway.leases(rule, "127.0.0.1") == 0);
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
      gateway.limit("/**", 1, new Allowance.Waiting(true, clients, 30_000));
      gateway.http().get("/");
      int before = Thread.getAllStackTraces().size();
      List<Socket> sockets = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.address().getPort());
        socket.getOutputStream().write(GET.formatted("/", "").getBytes(StandardCharsets.US_ASCII));
        sockets.add(socket);
      }
      await(() -> gateway.waiting() == clients);
      assertThat(Thread.getAllStackTraces().size()).isLessThan(before + 20);
      for (Socket socket : sockets) {
        socket.close();
      }
      await(() -> gateway.waiting() == 0);
    }
  }

  @Test
  void forgedHeadersDoNotEvadeALimit() throws Exception {
    try (TestUpstream upstream = TestUpstream.friendly();
        TestGateway gateway = new TestGateway(upstream.address())) {
      gateway.limit("/**", 2, Allowance.Waiting.NONE);
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
            new TestGateway(TestGateway.Choice.USUAL.trusting("127.0.0.1"), upstream.address())) {
      gateway.limit("/**", 2, Allowance.Waiting.NONE);
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
          Allowance.Rate.of(TestGateway.window(5)),
          terms ->
              terms.covering(terms.coverage().keyBy(List.of(new KeyPart.Header("X-Api-Key")))));
      gateway
          .http()
          .with("X-Api-Key", "a", "X-Api-Key", "b")
          .get("/")
          .problem(400, "repeated-header");
      assertThat(gateway.http().with("X-Api-Key", "a").get("/").status()).isEqualTo(200);
    }
  }

  @Test
  void drainingLosesNoRequestAndLetsThoseWhoWaitPass() throws Exception {
    try (TestUpstream upstream = TestUpstream.friendly();
        TestGateway gateway = new TestGateway(upstream.address());
        RawHttp idle = new RawHttp(gateway.address())) {
      gateway.limit("/queue", 1, new Allowance.Waiting(true, 5, 400));
      gateway.http().get("/queue");
      List<CompletableFuture<Http.Answer>> waiting = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        waiting.add(
            CompletableFuture.supplyAsync(
                () -> gateway.http().get("/queue"), Thread::startVirtualThread));
      }
      await(() -> gateway.waiting() == 5);
      Gateway leaving = gateway.gateway();
      leaving.beginDraining();
      // Who is connected may still ask, and is told to go.
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
      List<Callable<Integer>> asking = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        asking.add(
            () -> {
              int lost = 0;
              for (int k = 0; k < 200; k++) {
                lost += gateway.http().get("/r/x").text().equals("ok") ? 0 : 1;
              }
              return lost;
            });
      }
      List<Future<Integer>> lost = asking.stream().map(callers::submit).toList();
      for (int i = 0; lost.stream().anyMatch(each -> !each.isDone()); i++) {
        gateway.reroute(1, "/r/**", (i % 2 == 0 ? two : one).address());
      }
      for (Future<Integer> each : lost) {
        assertThat(each.get()).isZero();
      }
      assertThat(one.heads()).isNotEmpty();
      assertThat(two.heads()).isNotEmpty();
    }
  }
}
