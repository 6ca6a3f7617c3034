package dev.weir.store.surrealdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.StoreException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A token is used as long as it is valid, also while no other one is to be had. */
final class RenewalTest {
  private static final long SIGNED_IN = 1_000;
  private static final long ENDS = 2_000;
  private static final Query ANY = new Query("RETURN 1;", Map.of());

  private final AtomicInteger signIns = new AtomicInteger();
  private volatile boolean isRefusing;
  private volatile String token = jwt(ENDS);
  private volatile long second = SIGNED_IN;
  private HttpServer server;
  private RpcClient client;

  private static String jwt(long ends) {
    String claims = "{\"exp\":%d}".formatted(ends);
    return "e30." + Base64.getUrlEncoder().encodeToString(claims.getBytes(UTF_8)) + ".sig";
  }

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/signin", this::signIn);
    server.createContext("/rpc", this::answer);
    server.start();
    client =
        new RpcClient(
            Clients.settings(server.getAddress().getPort()), () -> Instant.ofEpochSecond(second));
  }

  @AfterEach
  void stop() {
    client.close();
    server.stop(0);
  }

  private void signIn(HttpExchange exchange) throws IOException {
    signIns.incrementAndGet();
    respond(exchange, isRefusing ? 503 : 200, token.getBytes(UTF_8));
  }

  private void answer(HttpExchange exchange) throws IOException {
    boolean isKnown =
        exchange.getRequestHeaders().getFirst("Authorization").equals("Bearer " + token);
    byte[] done =
        CborWriter.encode(Map.of("result", List.of(Map.of("status", "OK", "result", "done"))));
    respond(exchange, isKnown ? 200 : 401, done);
  }

  private static void respond(HttpExchange exchange, int status, byte[] body) throws IOException {
    try (exchange) {
      exchange.getRequestBody().readAllBytes();
      exchange.sendResponseHeaders(status, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private Reply ask() {
    return client.query(ANY, System.nanoTime() + Duration.ofMinutes(1).toNanos());
  }

  @Test
  void validTokenIsUsedWhileItCannotBeRenewed() {
    assertThat(ask()).isInstanceOf(Reply.Done.class);
    isRefusing = true;
    second = ENDS - 30;
    assertThat(ask()).isInstanceOf(Reply.Done.class);
    assertThat(ask()).isInstanceOf(Reply.Done.class);
    assertThat(signIns).as("not with each call").hasValue(2);
    second = ENDS;
    assertThatThrownBy(this::ask)
        .isInstanceOfSatisfying(
            StoreException.class,
            e -> assertThat(e.outcome()).isEqualTo(StoreException.Outcome.NONE));
  }

  @Test
  void rejectedTokenIsNotUsedAgain() {
    assertThat(ask()).isInstanceOf(Reply.Done.class);
    isRefusing = true;
    token = jwt(ENDS + 1);
    assertThatThrownBy(this::ask).hasMessageContaining("does not accept the user");
    isRefusing = false;
    assertThat(ask()).isInstanceOf(Reply.Done.class);
  }

  @Test
  void answerThatCannotBeInAHeaderIsAFailureThatHasDoneNothing() {
    token = "a\r\nX-Admin: 1";
    assertThatThrownBy(this::ask)
        .isInstanceOfSatisfying(
            StoreException.class,
            e -> assertThat(e.outcome()).isEqualTo(StoreException.Outcome.NONE))
        .hasMessageContaining("other than a token")
        .hasMessageNotContaining("Admin");
  }
}
