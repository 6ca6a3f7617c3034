package dev.weir.notifications.provider;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.notifications.ClosedPort;
import dev.weir.notifications.SignedRequests;
import dev.weir.notifications.messages.Message;
import dev.weir.store.tck.internal.NoTls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.NotBlank;
import net.jqwik.api.constraints.StringLength;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.lifecycle.BeforeTry;

final class WebhookProviderTest {
  private static final String SECRET = "s3cret";
  private static final InstantSource CLOCK =
      InstantSource.fixed(Instant.ofEpochSecond(1_772_366_400));

  private HttpServer server;
  private WebhookProvider provider;
  private volatile int status = 200;
  private volatile Map<String, String> answer = Map.of();
  private volatile String body = "";
  private volatile String timestamp = "";
  private volatile String signature = "";
  private volatile String key = "";
  private volatile Set<String> fields = Set.of();

  @BeforeTry
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/sms", this::receive);
    server.start();
    provider = provider(server.getAddress().getPort());
  }

  @AfterTry
  void stop() {
    provider.close();
    server.stop(0);
  }

  private static WebhookProvider provider(int port) {
    return new WebhookProvider(
        URI.create("http://127.0.0.1:" + port + "/sms"), SECRET, Duration.ofMinutes(2), CLOCK);
  }

  private void receive(HttpExchange exchange) throws IOException {
    try (exchange) {
      body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      timestamp = exchange.getRequestHeaders().getFirst(SignedRequests.TIMESTAMP);
      signature = exchange.getRequestHeaders().getFirst(SignedRequests.SIGNATURE);
      key = exchange.getRequestHeaders().getFirst(WebhookProvider.IDEMPOTENCY_KEY);
      fields = Set.copyOf(exchange.getRequestHeaders().keySet());
      answer.forEach((name, value) -> exchange.getResponseHeaders().set(name, value));
      exchange.sendResponseHeaders(status, -1);
    }
  }

  @Example
  void postsASignedBodyAndReturnsTheIdOfTheReceiver() {
    answer = Map.of(WebhookProvider.MESSAGE_ID, "abc-1");
    Message message = message("Hi \"you\"\\\n");
    assertThat(provider.send(message)).isEqualTo(new ProviderResult.Taken(List.of("abc-1")));
    assertThat(body)
        .isEqualTo(
            "{\"messageId\":\"%s\",\"userId\":101,\"message\":\"Hi \\\"you\\\"\\\\\\u000a\",\"parts\":1}"
                .formatted(message.id()));
    assertThat(timestamp).isEqualTo("1772366400");
    assertThat(key).isEqualTo(message.id().toString());
    assertThat(signature)
        .isEqualTo(
            new SignedRequests("webhook", SECRET, CLOCK)
                .signature("1772366400", body.getBytes(StandardCharsets.UTF_8)));
  }

  @Example
  void statusSaysWhatToDo() {
    assertThat(after(204)).isEqualTo(ProviderResult.Taken.WITHOUT_ID);
    assertThat(after(400)).isEqualTo(new ProviderResult.Rejected("HTTP status 400"));
    assertThat(after(302)).isEqualTo(new ProviderResult.Rejected("HTTP status 302"));
    assertThat(after(500)).isEqualTo(new ProviderResult.Retry("HTTP status 500"));
    assertThat(after(408)).isEqualTo(new ProviderResult.Retry("HTTP status 408"));
    // That is about this message: another recipient may be reached.
    assertThat(after(503)).isEqualTo(new ProviderResult.Retry("HTTP status 503"));
    answer = Map.of("Retry-After", "17");
    assertThat(after(429))
        .isEqualTo(new ProviderResult.Retry("HTTP status 429", Duration.ofSeconds(17)));
    answer = Map.of("Retry-After", "999999999");
    assertThat(after(429))
        .isEqualTo(new ProviderResult.Retry("HTTP status 429", Duration.ofMinutes(5)));
    answer = Map.of("Retry-After", "9".repeat(30));
    assertThat(after(429))
        .isEqualTo(new ProviderResult.Retry("HTTP status 429", Duration.ofMinutes(5)));
    answer = Map.of("Retry-After", "0");
    assertThat(after(503))
        .isEqualTo(new ProviderResult.Retry("HTTP status 503", Duration.ofSeconds(1)));
    answer = Map.of("Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT");
    assertThat(after(429))
        .isEqualTo(new ProviderResult.Retry("HTTP status 429", Duration.ofSeconds(1)));
  }

  /** The clock stands at 12:00 on the first of March 2026, a Sunday. */
  @Example
  void retryAfterMayBeADate() {
    Map.of(
            "Sun, 01 Mar 2026 12:00:17 GMT", 17,
            "Sunday, 01-Mar-26 12:00:18 GMT", 18,
            "Sun Mar  1 12:00:19 2026", 19,
            "Mon, 02 Mar 2026 12:00:00 GMT", 300,
            "Sun, 01 Mar 2026 11:59:00 GMT", 1,
            "Mon, 01 Mar 2026 12:00:17 GMT", 1,
            "soon", 1)
        .forEach(
            (date, seconds) -> {
              answer = Map.of("Retry-After", date);
              assertThat(after(503))
                  .as(date)
                  .isEqualTo(
                      new ProviderResult.Retry("HTTP status 503", Duration.ofSeconds(seconds)));
            });
  }

  @Example
  void receiverThatIsDownIsUnavailable() throws IOException {
    try (ClosedPort port = new ClosedPort();
        WebhookProvider other = provider(port.number())) {
      assertThat(other.send(message("hello"))).isInstanceOf(ProviderResult.Unavailable.class);
    }
  }

  @Example
  void receiverWithoutTlsHasNotTheMessage() throws IOException {
    for (NoTls.Answer answer : NoTls.Answer.values()) {
      try (NoTls receiver = new NoTls(answer);
          WebhookProvider other =
              new WebhookProvider(
                  URI.create(receiver.url()), SECRET, Duration.ofMinutes(2), CLOCK)) {
        assertThat(other.send(message("hello")))
            .as(answer.name())
            .isInstanceOf(ProviderResult.Unavailable.class);
      }
    }
  }

  /** An upgrade may be refused, or be answered after the message was taken. */
  @Example
  void asksForNoOtherProtocolInCleartext() {
    assertThat(provider.send(message("hello"))).isEqualTo(ProviderResult.Taken.WITHOUT_ID);
    assertThat(fields).doesNotContain("Upgrade", "Http2-settings");
  }

  /** The head comes, and the body never ends. */
  @Example
  void receiverThatStallsInTheBodyMayHaveTheMessage() throws IOException {
    CountDownLatch isOver = new CountDownLatch(1);
    HttpServer stalling =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    stalling.createContext(
        "/sms",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(200, 10);
          exchange.getResponseBody().flush();
          try {
            isOver.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    stalling.start();
    try (WebhookProvider other =
        new WebhookProvider(
            URI.create("http://127.0.0.1:" + stalling.getAddress().getPort() + "/sms"),
            SECRET,
            Duration.ofSeconds(2),
            CLOCK)) {
      assertThat(sendOnceConnected(other)).isInstanceOf(ProviderResult.Unknown.class);
    } finally {
      isOver.countDown();
      stalling.stop(0);
    }
  }

  @Example
  void receiverThatNeverAnswersMayHaveTheMessage() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        WebhookProvider other =
            new WebhookProvider(
                URI.create("http://127.0.0.1:" + silent.getLocalPort() + "/sms"),
                SECRET,
                Duration.ofSeconds(2),
                CLOCK)) {
      assertThat(sendOnceConnected(other)).isInstanceOf(ProviderResult.Unknown.class);
    }
  }

  /** On a busy machine, the connection may take longer than a short time-out. */
  private static ProviderResult sendOnceConnected(WebhookProvider hasty) {
    ProviderResult result = hasty.send(message("hello"));
    while (result instanceof ProviderResult.Unavailable) {
      result = hasty.send(message("hello"));
    }
    return result;
  }

  @Property(tries = 50)
  void everyTextArrives(@ForAll @NotBlank @StringLength(max = 50) String text) {
    if (text.indexOf(0) >= 0 || !isUnicode(text)) {
      return;
    }
    assertThat(provider.send(message(text))).isEqualTo(ProviderResult.Taken.WITHOUT_ID);
    String json =
        body.substring(body.indexOf("\"message\":\"") + 11, body.lastIndexOf("\",\"parts"));
    assertThat(unquoted(json)).isEqualTo(text);
  }

  private static boolean isUnicode(String text) {
    return StandardCharsets.UTF_8.newEncoder().canEncode(text);
  }

  /** Reads a JSON string by its grammar. */
  private static String unquoted(String json) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < json.length(); i++) {
      char c = json.charAt(i);
      assertThat(c).isGreaterThanOrEqualTo(' ');
      if (c != '\\') {
        assertThat(c).isNotEqualTo('"');
        text.append(c);
      } else if (json.charAt(i + 1) == 'u') {
        text.append((char) Integer.parseInt(json.substring(i + 2, i + 6), 16));
        i += 5;
      } else {
        text.append(json.charAt(i + 1));
        i++;
      }
    }
    return text.toString();
  }

  private ProviderResult after(int next) {
    status = next;
    return provider.send(message("hello"));
  }

  private static Message message(String text) {
    return new Message(UUID.randomUUID(), 101, text, 1);
  }
}
