package dev.weir.spring.internal.gate;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.weir.rules.matching.Request;
import dev.weir.rules.matching.RequestPath;
import dev.weir.spring.WeirProperties.OnFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a service does with the errors of a Weir server, and of a proxy in its place. */
@Timeout(300)
final class RemoteProxiesTest {
  private static final String PROBLEM =
      "{\"type\":\"%s\",\"title\":\"T\",\"status\":%d,\"detail\":\"D\"}";

  private final AtomicInteger asked = new AtomicInteger();
  private volatile int status;
  private volatile String type = "";
  private HttpServer proxy;

  @BeforeEach
  void start() throws IOException {
    proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    proxy.createContext(
        "/",
        exchange -> {
          asked.incrementAndGet();
          byte[] body = PROBLEM.formatted(type, status).getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(status, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    proxy.start();
  }

  @AfterEach
  void stop() {
    proxy.stop(0);
  }

  @Test
  void whatAProxyAnswersIsAnOutageAndNotADecision() {
    for (String answer :
        List.of(
            "429 about:blank",
            "404 https://proxy.example.com/no-backend",
            "503 about:blank",
            "502 urn:weir:problem:upstream-failed",
            "504 urn:weir:problem:upstream-timeout")) {
      status = Integer.parseInt(answer.substring(0, 3));
      type = answer.substring(4);
      asked.set(0);
      try (RemoteGate open = gate(OnFailure.OPEN);
          RemoteGate closed = gate(OnFailure.CLOSED)) {
        assertThat(open.admit(request()).join()).as(answer).isInstanceOf(Admission.Passed.class);
        assertThat(closed.admit(request()).join())
            .as(answer)
            .isInstanceOfSatisfying(
                Admission.Refused.class,
                refused -> assertThat(refused.problem().status()).isEqualTo(503));
        int requests = 100;
        for (int i = 0; i < requests; i++) {
          var unused = open.admit(request()).join();
        }
        assertThat(asked.get()).as("requests to the proxy").isLessThan(requests);
      }
    }
  }

  @Test
  void whyRulesAreClosedReachesTheClient() {
    status = 503;
    type = "urn:weir:problem:store-unavailable";
    try (RemoteGate open = gate(OnFailure.OPEN)) {
      assertThat(open.admit(request()).join())
          .isInstanceOfSatisfying(
              Admission.Refused.class,
              refused ->
                  assertThat(refused.problem())
                      .isEqualTo(new Problem(503, PROBLEM.formatted(type, status))));
    }
  }

  private RemoteGate gate(OnFailure onFailure) {
    return new RemoteGate(
        new RemoteGate.Settings(
            URI.create("http://127.0.0.1:" + proxy.getAddress().getPort()),
            Optional.empty(),
            Duration.ofMinutes(3),
            onFailure,
            List.of()),
        FlowObserver.NONE);
  }

  private static Request request() {
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
      public @Nullable String header(String name) {
        return null;
      }
    };
  }
}
