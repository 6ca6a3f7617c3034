package dev.weir.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.weir.node.settings.ServerSetting;
import dev.weir.server.faults.Waiting;
import dev.weir.server.gateway.node.GatewaySetting;
import dev.weir.server.http.RawHttp;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node with a gateway in it is told to stop while requests go through. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class GatewayDrainIT {
  private static final String GET = "GET %s HTTP/1.1\r\nHost: shop\r\n\r\n";
  private static final int CLIENTS = 4;

  private final CountDownLatch go = new CountDownLatch(1);
  private final Queue<String> cut = new ConcurrentLinkedQueue<>();
  private final CountDownLatch busy = new CountDownLatch(CLIENTS * 50);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private HttpServer upstream;

  @BeforeEach
  void start() throws IOException {
    upstream = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
    upstream.setExecutor(threads);
    upstream.createContext(
        "/",
        exchange -> {
          if (exchange.getRequestURI().getPath().equals("/slow")) {
            await(go);
          }
          exchange.sendResponseHeaders(200, 2);
          exchange.getResponseBody().write("ok".getBytes(StandardCharsets.US_ASCII));
          exchange.close();
        });
    upstream.start();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @AfterEach
  void stop() {
    go.countDown();
    upstream.stop(0);
    threads.shutdownNow();
  }

  @Test
  void cutsNoRequestWhetherItIsNewOrSlowOrWaits() throws Exception {
    // Nobody is idle or without an answer for as long, however busy the machine is.
    try (StoppingNode node =
        StoppingNode.start(
            Map.of(
                GatewaySetting.PORT, "0",
                GatewaySetting.ROUTES, "/** = http://127.0.0.1:" + upstream.getAddress().getPort(),
                GatewaySetting.HEAD_TIMEOUT, "PT1M",
                GatewaySetting.IDLE_TIMEOUT, "PT10M",
                GatewaySetting.CONNECT_TIMEOUT, "PT1M",
                GatewaySetting.ANSWER_TIMEOUT, "PT10M",
                ServerSetting.DRAIN, "PT10M",
                ServerSetting.DRAIN_IDLE, "PT1M"))) {
      URI gateway = node.gatewayAddress().orElseThrow();
      makeQueue(node);
      try (RawHttp slow = new RawHttp(gateway);
          RawHttp waiting = new RawHttp(gateway)) {
        slow.send(GET.formatted("/slow"));
        waiting.send(GET.formatted("/queue"));
        waiting.readTo("\r\n\r\nok");
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
          boolean isKept = i % 2 == 0;
          clients.add(Thread.ofVirtual().start(() -> askUntilRefused(gateway, isKept)));
        }
        busy.await();
        waiting.send(GET.formatted("/queue"));
        Waiting.until(
            "it to wait",
            () -> asked(node, "GET /metrics").contains("rate_limiter_queue_waiting 1.0"));
        node.terminate();
        for (Thread client : clients) {
          client.join();
        }
        assertThat(cut).isEmpty();
        // The port is closed, and who has asked before is answered all the same.
        go.countDown();
        for (RawHttp early : List.of(slow, waiting)) {
          assertThat(early.readAll())
              .startsWith("HTTP/1.1 200 ")
              .contains("connection: close")
              .endsWith("ok");
        }
        node.await();
      }
    }
  }

  /** A request waits as long as a rule can say: on a busy machine it has to be seen waiting. */
  private static void makeQueue(StoppingNode node) throws IOException {
    String rule =
        """
        {"name": "queue", "pathPattern": "/queue", "allowedRequests": 1, "windowSeconds": 600,
         "queueEnabled": true, "maxQueueSize": 1, "delayPerRequestMs": 30000}
        """;
    assertThat(
            asked(
                node,
                "POST /api/admin/rules",
                "Content-Type: application/json",
                "Content-Length: " + rule.length(),
                "",
                rule))
        .startsWith("HTTP/1.1 201 ");
  }

  private static String asked(StoppingNode node, String request, String... more)
      throws IOException {
    return RawHttp.exchange(
        node.address(),
        request
            + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            + String.join("\r\n", more)
            + "\r\n\r\n");
  }

  /** Asks on one connection until it is told to go, or on a new one each time. */
  private void askUntilRefused(URI gateway, boolean isKept) {
    while (true) {
      try (RawHttp raw = new RawHttp(gateway)) {
        String answer;
        do {
          raw.send(GET.formatted("/"));
          answer = raw.readTo("\r\n\r\nok");
          if (!answer.startsWith("HTTP/1.1 200 ")) {
            cut.add(answer);
          }
          busy.countDown();
        } while (isKept && !answer.contains("connection: close"));
      } catch (ConnectException e) {
        return;
      } catch (IOException e) {
        cut.add(e.toString());
        return;
      }
    }
  }
}
