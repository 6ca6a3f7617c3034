package dev.weir.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.Http;
import dev.weir.server.http.RawHttp;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** Claims about every proxy that asks Weir with the configuration in deploy. */
interface ProxyClaims {
  /** The service behind the proxy, as this test has started it. */
  ProxiedService proxied();

  /** Starts the service and its proxy anew, with a Weir whose clock stands. */
  void restartWithStandingClock() throws IOException, InterruptedException;

  /** Returns true if the proxy can pass on the header fields of granted requests. */
  default boolean passesFieldsOn() {
    return true;
  }

  @Test
  default void whatRulesRefuseDoesNotReachTheService() {
    proxied().rule("'allowedRequests':1,'methods':['POST']");
    Http front = proxied().front();
    Http.Answer passed = front.post("/api/orders?x=1", "body");
    assertThat(passed.status()).as(passed.text()).isEqualTo(200);
    assertThat(passed.text()).isEqualTo("ok");
    if (passesFieldsOn()) {
      assertThat(passed.headers().allValues("ratelimit-policy"))
          .containsExactly("\"orders\";q=1;w=3600");
      assertThat(passed.headers().allValues("ratelimit")).hasSize(1);
    }
    assertThat(passed.header("x-ratelimit-queued")).isEmpty();
    Http.Answer refused = front.post("/api/orders");
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.headers().allValues("retry-after")).hasSize(1);
    assertThat(refused.headers().allValues("ratelimit-policy"))
        .containsExactly("\"orders\";q=1;w=3600");
    assertThat(refused.headers().allValues("ratelimit")).hasSize(1);
    assertThat(refused.header("content-type")).hasValue("application/problem+json");
    // Neither another spelling nor another case helps.
    for (String path : List.of("//api/orders/", "/api/%6Frders", "/api/orders;x")) {
      assertThat(front.post(path).status()).as(path).isIn(400, 429);
    }
    for (String path : List.of("/api/x/../orders", "/api%2Forders", "/api/x/%2e%2e/orders")) {
      assertThat(front.post(path).status()).as(path).isIn(400, 429);
    }
    assertThat(front.send("post", "/api/orders").status()).isIn(400, 429);
    Http.Answer free = front.get("/api/orders");
    assertThat(free.status()).isEqualTo(200);
    assertThat(free.headers().map()).doesNotContainKeys("ratelimit", "ratelimit-policy");
    assertThat(proxied().served()).containsExactly("POST /api/orders?x=1 body", "GET /api/orders");
  }

  @Test
  default void noHeaderOfAClientGetsAround() throws IOException {
    proxied().rule("'allowedRequests':1,'methods':['POST']");
    assertThat(proxied().front().post("/api/orders").status()).isEqualTo(200);
    proxied().served().clear();
    List<String> madeUp =
        List.of(
            "X-Original-URI: /free\r\nX-Original-Method: GET\r\n",
            "X-Original-URI: /free\r\n",
            "X-Original-Method: GET\r\n",
            "x-original-method: GET\r\nx-original-method: POST\r\n",
            "X-Forwarded-Uri: /free\r\nX-Forwarded-Method: GET\r\n",
            "X-Forwarded-Uri: /free\r\n",
            "X-Forwarded-Method: GET\r\n",
            "X-Forwarded-For: 1.2.3.4\r\n",
            "Forwarded: for=1.2.3.4\r\n",
            "Authorization: Bearer of-a-client\r\n");
    String all = String.join("", madeUp);
    for (String headers : madeUp) {
      assertThat(ask("POST /api/orders", headers)).as(headers).startsWith("HTTP/1.1 429 ");
    }
    assertThat(ask("POST /api/orders", all)).startsWith("HTTP/1.1 429 ");
    // Nor can a client make the proxy drop its own headers.
    for (String kind : List.of("Original", "Forwarded")) {
      String gone = "Connection: X-%s-URI, X-%s-Method\r\n".formatted(kind, kind);
      for (String headers : List.of("", madeUp.get(0), madeUp.get(4))) {
        assertThat(ask("POST /api/orders", gone + headers))
            .as("%s", gone + headers)
            .startsWith("HTTP/1.1 4");
      }
    }
    assertThat(proxied().served()).filteredOn(request -> !request.equals("GET /last")).isEmpty();
    proxied().served().clear();
    // A client that has sent them for other reasons is served.
    assertThat(ask("GET /free", all)).startsWith("HTTP/1.1 200 ");
    assertThat(proxied().served()).containsExactly("GET /free");
  }

  /** What a client accepts applies to the response of the service, not to Weir's. */
  @Test
  default void clientsMayAcceptWhatTheyLike() {
    proxied().rule("'allowedRequests':1");
    for (String accepted : List.of("text/html", "text/event-stream", "image/png;q=0.1")) {
      Http front = proxied().front().with("Accept", accepted);
      assertThat(front.get("/free").status()).as(accepted).isEqualTo(200);
    }
    assertThat(proxied().front().with("Accept", "text/html").get("/api/orders").status())
        .isEqualTo(200);
    assertThat(proxied().front().with("Accept", "text/html").get("/api/orders").status())
        .isEqualTo(429);
  }

  /** A client cannot choose what the proxy asks Weir, and so get a 200 that grants nothing. */
  @Test
  default void targetsWithoutAPathAreRefused() throws IOException {
    for (String target : List.of("x:http://127.0.0.1/health/ready", "x:health/ready", "x:")) {
      assertThat(ask("GET " + target, "")).as(target).startsWith("HTTP/1.1 400 ");
    }
    assertThat(proxied().served()).isEmpty();
  }

  private String ask(String line, String headers) throws IOException {
    return RawHttp.exchange(
        proxied().address(),
        line
            + " HTTP/1.1\r\nHost: shop\r\n"
            + headers
            + (headers.contains("Connection:") ? "" : "Connection: close\r\n")
            + "Content-Length: 0\r\n\r\n"
            + (headers.contains("Connection:")
                ? "GET /last HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n\r\n"
                : ""));
  }

  @Test
  default void ofEightAtOnceTwoWaitInTheProxy() throws Exception {
    restartWithStandingClock();
    proxied()
        .rule("'allowedRequests':3,'queueEnabled':true,'maxQueueSize':2,'delayPerRequestMs':500");
    askAtOnce("/elsewhere");
    List<Http.Answer> answers = askAtOnce("/api/orders");
    assertThat(answers).filteredOn(answer -> answer.status() == 200).hasSize(5);
    assertThat(answers).filteredOn(answer -> answer.status() == 429).hasSize(3);
    if (passesFieldsOn()) {
      assertThat(answers.stream().flatMap(answer -> answer.header("x-ratelimit-delay-ms").stream()))
          .containsExactlyInAnyOrder("500", "1000");
      assertThat(answers.stream().flatMap(answer -> answer.header("x-ratelimit-queued").stream()))
          .containsExactly("true", "true");
      assertThat(answers).allSatisfy(answer -> assertThat(answer.header("ratelimit")).isPresent());
    }
    assertThat(proxied().served()).filteredOn("GET /api/orders"::equals).hasSize(5);
  }

  /** Eight times; the second time all are connected already. */
  private List<Http.Answer> askAtOnce(String path) throws Exception {
    Http front = proxied().front();
    List<FutureTask<Http.Answer>> callers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      callers.add(new FutureTask<>(() -> front.get(path)));
    }
    callers.forEach(Thread.ofVirtual()::start);
    List<Http.Answer> answers = new ArrayList<>();
    for (FutureTask<Http.Answer> caller : callers) {
      answers.add(caller.get());
    }
    return answers;
  }

  @Test
  default void withoutWeirNothingPasses() {
    proxied().stopWeir();
    assertThat(proxied().front().post("/api/orders").status()).isBetween(500, 504);
    assertThat(proxied().front().get("/free").status()).isBetween(500, 504);
    assertThat(proxied().served()).isEmpty();
  }
}
