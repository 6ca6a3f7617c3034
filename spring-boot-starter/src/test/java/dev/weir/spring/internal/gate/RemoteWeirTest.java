package dev.weir.spring.internal.gate;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Setting;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.wiring.Node;
import dev.weir.rules.matching.Request;
import dev.weir.rules.matching.RequestPath;
import dev.weir.spring.WeirProperties;
import dev.weir.spring.autoconfigure.Service;
import dev.weir.spring.autoconfigure.Service.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** Services that ask a real Weir about each request. */
final class RemoteWeirTest {
  private static final String SECRET = "a-key-of-a-client";

  @Test
  void theServerDecidesAndWhileItIsGoneTheSettingsDo() throws IOException, InterruptedException {
    Node node = start();
    try (Service closed = Service.onTomcat(remote(node.address(), "closed"));
        Service open = Service.onNetty(remote(node.address(), "open"))) {
      make(node.address(), "quotes", "/quotes/**", "\"allowedRequests\":2,\"windowSeconds\":3600");
      make(
          node.address(),
          "orders",
          "/orders/**",
          "\"allowedRequests\":1,\"windowSeconds\":3600,"
              + "\"queueEnabled\":true,\"maxQueueSize\":1,\"delayPerRequestMs\":50");

      oneLimitHoldsForBoth(closed, open);
      queuedAnswersComeLater(closed);
      assertThat(open.get("/letters").header("RateLimit")).isEmpty();
      assertThat(open.get("/actuator/health/weir").status()).isEqualTo(200);

      node.close();
      for (int i = 0; i < 5; i++) {
        assertThat(open.get("/quotes/1", "X-Api-Key", "a").status()).isEqualTo(200);
        Answer refused = closed.get("/quotes/1", "X-Api-Key", "c");
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.header("Retry-After")).isEqualTo("1");
        assertThat(refused.body()).contains("urn:weir:problem:store-unavailable");
      }
      assertThat(open.get("/actuator/health/weir").status()).isEqualTo(503);
    } finally {
      node.close();
    }
  }

  /** An error response of Weir is not an outage: only rules decide what passes then. */
  @Test
  void errorsOfTheServerDoNotPassIfOpen() throws IOException, InterruptedException {
    try (Node node = start();
        Service stranger =
            Service.onTomcat(remote(node.address(), "open", "a-key-that-opens-nothing"))) {
      make(node.address(), "quotes", "/quotes/**", "\"allowedRequests\":2,\"windowSeconds\":3600");
      for (int i = 0; i < 5; i++) {
        assertThat(stranger.get("/quotes/1", "X-Api-Key", "a").status()).isEqualTo(503);
      }
    }
  }

  /** Such as a page that greets every client. */
  @Test
  void anotherServerGrantsNothing() throws IOException {
    HttpServer other =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    other.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    other.start();
    URI address = URI.create("http://127.0.0.1:" + other.getAddress().getPort());
    try (Service closed = Service.onTomcat(remote(address, "closed"))) {
      assertThat(closed.get("/quotes/1", "X-Api-Key", "a").status()).isEqualTo(503);
    } finally {
      other.stop(0);
    }
  }

  /** The head of the response comes, and its body never does. */
  @Test
  void serverThatStallsInTheBodyIsUnavailable() throws IOException {
    CountDownLatch isOver = new CountDownLatch(1);
    HttpServer stalling =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    stalling.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    stalling.createContext(
        "/",
        exchange -> {
          exchange.getResponseHeaders().set("Weir-Decision", "granted");
          exchange.sendResponseHeaders(200, 10);
          exchange.getResponseBody().flush();
          try {
            isOver.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    stalling.start();
    URI address = URI.create("http://127.0.0.1:" + stalling.getAddress().getPort());
    Map<String, Object> properties = new HashMap<>(remote(address, "closed"));
    properties.put("weir.remote.timeout", "500ms");
    try (Service closed = Service.onTomcat(properties)) {
      for (int i = 0; i < 5; i++) {
        assertThat(closed.get("/quotes/1", "X-Api-Key", "a").status()).isEqualTo(503);
      }
      assertThat(closed.get("/actuator/health/weir").status()).isEqualTo(503);
    } finally {
      isOver.countDown();
      stalling.stop(0);
    }
  }

  /** HTTP clients send ASCII, and would replace other characters with question marks. */
  @Test
  void keysThatAreNotAsciiAreCountedSeparately() throws IOException, InterruptedException {
    try (Node node = start()) {
      make(node.address(), "quotes", "/quotes/**", "\"allowedRequests\":1,\"windowSeconds\":3600");
      try (RemoteGate gate =
          new RemoteGate(
              new RemoteGate.Settings(
                  node.address(),
                  Optional.of(SECRET),
                  Duration.ofMinutes(3),
                  WeirProperties.OnFailure.CLOSED,
                  List.of("X-Api-Key")),
              FlowObserver.NONE)) {
        for (String key : List.of("k\u00e4", "k\u00f6", "k?", "k\u20ac")) {
          assertThat(gate.admit(request(key)).join()).as(key).isInstanceOf(Admission.Passed.class);
          assertThat(gate.admit(request(key)).join()).as(key).isInstanceOf(Admission.Refused.class);
        }
      }
    }
  }

  private static Request request(String key) {
    RequestPath path = RequestPath.ofUnchanged("/quotes/1");
    return new Request() {
      @Override
      public String method() {
        return "GET";
      }

      @Override
      public RequestPath path() {
        return path;
      }

      @Override
      public String clientAddress() {
        return "127.0.0.1";
      }

      @Override
      public String header(String name) {
        return key;
      }
    };
  }

  private static void oneLimitHoldsForBoth(Service closed, Service open) {
    assertThat(closed.get("/quotes/1", "X-Api-Key", "a").status()).isEqualTo(200);
    Answer passed = open.get("/quotes/2", "X-Api-Key", "a");
    assertThat(passed.status()).isEqualTo(200);
    assertThat(passed.header("RateLimit-Policy")).isEqualTo("\"quotes\";q=2;w=3600");
    for (Service service : List.of(closed, open)) {
      Answer refused = service.get("/%71uotes/3", "X-Api-Key", "a");
      assertThat(refused.status()).isEqualTo(429);
      assertThat(refused.header("Retry-After")).isNotEmpty();
      assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
      assertThat(refused.body()).contains("\"violated-policies\":[\"quotes\"]");
      assertThat(service.get("/quotes%2F3", "X-Api-Key", "a").status()).isEqualTo(400);
    }
    assertThat(open.get("/quotes/4", "X-Api-Key", "b").status()).isEqualTo(200);
  }

  private static void queuedAnswersComeLater(Service service) {
    assertThat(service.get("/orders/1", "X-Api-Key", "a").status()).isEqualTo(200);
    Answer queued = service.get("/orders/2", "X-Api-Key", "a");
    assertThat(queued.status()).isEqualTo(200);
    assertThat(queued.header("X-RateLimit-Queued")).isEqualTo("true");
    assertThat(queued.header("X-RateLimit-Delay-Ms")).isEqualTo("50");
  }

  private static Map<String, Object> remote(URI weir, String onFailure) {
    return remote(weir, onFailure, SECRET);
  }

  private static Map<String, Object> remote(URI weir, String onFailure, String key) {
    return Map.of(
        "weir.store",
        "remote",
        "weir.remote.url",
        weir.toString(),
        "weir.remote.key",
        key,
        "weir.remote.timeout",
        "3m",
        "weir.remote.on-failure",
        onFailure);
  }

  private static Node start() {
    Map<Setting, String> settings = new HashMap<>();
    settings.put(ServerSetting.PORT, "0");
    settings.put(StoreSetting.SLOTS_STORE, "memory");
    settings.put(ServerSetting.DRAIN, "PT0S");
    settings.put(ServerSetting.CLIENT_KEYS, SECRET);
    settings.put(ServerSetting.TRUSTED_PROXIES, "127.0.0.1, ::1");
    return Node.start(Capabilities.read(settings, Map.of(), Optional.empty()));
  }

  private static void make(URI weir, String name, String path, String spec)
      throws IOException, InterruptedException {
    String rule =
        "{\"name\":\"%s\",\"pathPattern\":\"%s\",\"keyBy\":\"header:X-Api-Key\",%s}"
            .formatted(name, path, spec);
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request =
          HttpRequest.newBuilder(weir.resolve("/api/admin/rules"))
              .header("Content-Type", "application/json")
              .POST(HttpRequest.BodyPublishers.ofString(rule))
              .build();
      assertThat(client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode())
          .isEqualTo(201);
    }
  }
}
