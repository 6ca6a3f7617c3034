package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.weir.payments.Payment;
import dev.weir.payments.workflows.Downstream.Answer;
import dev.weir.store.tck.internal.NoTls;
import dev.weir.workflows.LoopbackHttp;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A downstream behind a real socket, with every kind of answer. */
final class HttpDownstreamTest {
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final InstantSource NOON =
      InstantSource.fixed(Instant.parse("2026-06-01T12:00:00Z"));
  private static final Payment PAYMENT =
      new Payment(
          "pay ü/1",
          new BigDecimal("12.50"),
          "EUR",
          "from \"here\"",
          "to",
          Optional.empty(),
          "ref",
          "bank");

  private final LoopbackHttp http = new LoopbackHttp();
  private final List<String> received = new CopyOnWriteArrayList<>();
  private final HttpServer server = http.server();

  @AfterEach
  void close() {
    http.close();
  }

  private HttpDownstream downstream(Duration timeout) {
    server.start();
    return new HttpDownstream(
        new HttpDownstream.Settings(http.url().resolve("/bank"), timeout, "Bearer secret"), NOON);
  }

  private Answer answerTo(int status, Map<String, String> headers, String body) {
    server.createContext(
        "/bank/payments",
        exchange -> {
          received.add(exchange.getRequestMethod());
          received.add(exchange.getRequestHeaders().getFirst("Idempotency-Key"));
          received.add(exchange.getRequestHeaders().getFirst("Authorization"));
          received.add(
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          headers.forEach(exchange.getResponseHeaders()::add);
          byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    try (HttpDownstream downstream = downstream(LONG)) {
      return downstream.pay(PAYMENT);
    }
  }

  @Test
  void sendsThePaymentUnderItsId() {
    assertThat(answerTo(201, Map.of(), "{\"reference\":\"r-7\"}"))
        .isEqualTo(new Answer.Paid("r-7"));
    assertThat(received)
        .containsExactly(
            "POST",
            "pay%20%C3%BC%2F1",
            "Bearer secret",
            "{\"paymentId\":\"pay ü/1\",\"amount\":\"12.50\",\"currency\":\"EUR\","
                + "\"debtorAccount\":\"from \\\"here\\\"\",\"creditorAccount\":\"to\","
                + "\"reference\":\"ref\"}");
  }

  @Test
  void successWithoutAReferenceIsPaid() {
    assertThat(answerTo(200, Map.of(), "thank you")).isEqualTo(new Answer.Paid(""));
  }

  @Test
  void refusalIsForGood() {
    assertThat(answerTo(422, Map.of(), "{\"reason\":\"account closed\"}"))
        .isEqualTo(new Answer.Rejected("status 422: account closed"));
  }

  @Test
  void overloadNamesItsWait() {
    assertThat(answerTo(429, Map.of("Retry-After", "7"), ""))
        .isEqualTo(new Answer.Retry(Duration.ofSeconds(7), "status 429", true));
  }

  @Test
  void waitMayBeADate() {
    assertThat(
            answerTo(
                503,
                Map.of("Retry-After", "Mon, 01 Jun 2026 12:01:00 GMT"),
                "{\"detail\":\"maintenance\"}"))
        .isEqualTo(new Answer.Unknown(Duration.ofMinutes(1), "status 503: maintenance", false));
  }

  @Test
  void waitIsAtMostAnHour() {
    Iterator<String> waits = List.of("3601", "9999999999", "9".repeat(100)).iterator();
    server.createContext(
        "/bank/payments",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          exchange.getResponseHeaders().add("Retry-After", waits.next());
          exchange.sendResponseHeaders(503, -1);
          exchange.close();
        });
    try (HttpDownstream downstream = downstream(LONG)) {
      for (int i = 0; i < 3; i++) {
        assertThat(downstream.pay(PAYMENT))
            .isEqualTo(new Answer.Unknown(Duration.ofHours(1), "status 503", false));
      }
    }
  }

  @Test
  void waitThatCannotBeReadIsNone() {
    assertThat(answerTo(503, Map.of("Retry-After", "soon"), ""))
        .isEqualTo(new Answer.Unknown(Duration.ZERO, "status 503", false));
  }

  /** Returns the answers to calls that get these statuses, one after the other. */
  private List<Answer> answersTo(Integer... statuses) {
    AtomicInteger calls = new AtomicInteger();
    server.createContext(
        "/bank/payments",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(statuses[calls.getAndIncrement()], -1);
          exchange.close();
        });
    try (HttpDownstream downstream = downstream(LONG)) {
      return Stream.of(statuses).map(status -> downstream.pay(PAYMENT)).toList();
    }
  }

  @Test
  void wrongAddressOrKeyRefusesNothingForGood() {
    assertThat(answersTo(302, 401, 403, 404, 405))
        .containsExactly(
            new Answer.Unknown(Duration.ZERO, "status 302", false),
            new Answer.Retry(Duration.ZERO, "status 401"),
            new Answer.Retry(Duration.ZERO, "status 403"),
            new Answer.Retry(Duration.ZERO, "status 404"),
            new Answer.Retry(Duration.ZERO, "status 405"));
  }

  @Test
  void failureAfterTheArrivalLeavesOpenWhetherItWasMade() {
    assertThat(answersTo(202, 500, 501))
        .containsExactly(
            new Answer.Unknown("status 202", false),
            new Answer.Unknown("status 500", false),
            new Answer.Unknown("status 501", false));
  }

  @Test
  void callThatAProxyGaveUpMayArriveLater() {
    assertThat(answersTo(502, 504))
        .containsExactly(
            new Answer.Unknown("status 502", true), new Answer.Unknown("status 504", true));
  }

  @Test
  void callInProgressIsAskedAgain() {
    assertThat(answerTo(409, Map.of("Retry-After", "2"), "{\"detail\":\"same key\"}"))
        .isEqualTo(
            new Answer.Unknown(Duration.ofSeconds(2), "status 409: same key, in progress", false));
  }

  /** On a busy machine, the connection may take longer than a short time-out. */
  private static Answer payOnceConnected(HttpDownstream hasty) {
    Answer answer = hasty.pay(PAYMENT);
    while (answer instanceof Answer.Retry) {
      answer = hasty.pay(PAYMENT);
    }
    return answer;
  }

  private static CompletableFuture<Boolean> unanswered(Answer answer) {
    assertThat(answer).isInstanceOf(Answer.Unanswered.class);
    Answer.Unanswered unanswered = (Answer.Unanswered) answer;
    assertThat(unanswered.reason()).startsWith("no answer within PT");
    return unanswered.end();
  }

  @Test
  void answerThatComesLateSaysThatTheCallHasArrived() {
    server.createContext(
        "/bank/payments",
        exchange -> {
          awaitEnd();
          exchange.sendResponseHeaders(201, -1);
          exchange.close();
        });
    try (HttpDownstream downstream = downstream(Duration.ofMillis(300))) {
      Answer answer = payOnceConnected(downstream);
      CompletableFuture<Boolean> late = unanswered(answer);
      assertThat(late).isNotDone();
      http.end().countDown();
      assertThat(late).succeedsWithin(LONG).isEqualTo(true);
      assertThat(((Answer.Unanswered) answer).late())
          .succeedsWithin(LONG)
          .isEqualTo(new Answer.Paid(""));
    }
  }

  @Test
  void connectionThatEndsLateDoesNotSayWhetherTheCallHasArrived() {
    server.createContext(
        "/bank/payments",
        exchange -> {
          awaitEnd();
          exchange.close();
        });
    try (HttpDownstream downstream = downstream(Duration.ofMillis(300))) {
      CompletableFuture<Boolean> late = unanswered(payOnceConnected(downstream));
      http.end().countDown();
      assertThat(late).succeedsWithin(LONG).isEqualTo(false);
    }
  }

  @Test
  void connectionThatThisSideClosesSaysNothing() {
    server.createContext("/bank/payments", exchange -> awaitEnd());
    CompletableFuture<Boolean> late;
    try (HttpDownstream downstream = downstream(Duration.ofMillis(300))) {
      late = unanswered(payOnceConnected(downstream));
    }
    assertThat(late).isNotDone();
  }

  @Test
  void bodyThatDoesNotComeBelongsToACallThatHasArrived() {
    server.createContext(
        "/bank/payments",
        exchange -> {
          exchange.sendResponseHeaders(200, 100);
          exchange.getResponseBody().write('{');
          exchange.getResponseBody().flush();
          awaitEnd();
        });
    // Long enough for the beginning of the answer.
    try (HttpDownstream downstream = downstream(Duration.ofSeconds(3))) {
      assertThat(unanswered(payOnceConnected(downstream))).succeedsWithin(LONG).isEqualTo(true);
    }
  }

  private void awaitEnd() {
    try {
      http.end().await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void connectionThatBreaksIsUnknown() {
    server.createContext("/bank/payments", exchange -> exchange.close());
    try (HttpDownstream downstream = downstream(LONG)) {
      assertThat(downstream.pay(PAYMENT)).isInstanceOf(Answer.Unknown.class);
    }
  }

  @Test
  void unreachableDownstreamHasDoneNothing() {
    try (HttpDownstream downstream = downstream(LONG)) {
      server.stop(0);
      assertThat(downstream.pay(PAYMENT))
          .isEqualTo(new Answer.Retry(Duration.ZERO, "unreachable: ConnectException"));
    }
  }

  @Test
  void downstreamWithoutTlsHasDoneNothing() throws IOException {
    for (NoTls.Answer answer : NoTls.Answer.values()) {
      try (NoTls other = new NoTls(answer);
          HttpDownstream downstream =
              new HttpDownstream(
                  new HttpDownstream.Settings(URI.create(other.url()), LONG, ""), NOON)) {
        assertThat(downstream.pay(PAYMENT)).as(answer.name()).isInstanceOf(Answer.Retry.class);
      }
    }
  }
}
