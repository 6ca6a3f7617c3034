package dev.weir.workflows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import dev.weir.StoreException;
import dev.weir.slots.SlotRequest;
import dev.weir.workflows.SlotSource.PacedSlot;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A server behind a real socket whose answers are not those of Weir. */
final class RemoteSlotsTest {
  /** A part of it is for connecting. */
  private static final Duration LONG = Duration.ofMinutes(6);

  private static final List<SlotRequest> ONE = List.of(SlotRequest.now("ann", "bank"));

  private final LoopbackHttp http = new LoopbackHttp();
  private final HttpServer server = http.server();
  private final URI url = http.url();

  @AfterEach
  void close() {
    http.close();
  }

  private RemoteSlots slots(HttpHandler handler, Duration timeout) {
    server.createContext("/", handler);
    server.start();
    return new RemoteSlots(new RemoteSlots.Settings(url, "", timeout));
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private StoreException failure(int status, String body) {
    try (RemoteSlots slots = slots(exchange -> answer(exchange, status, body), LONG)) {
      return failure(slots);
    }
  }

  private static StoreException failure(RemoteSlots slots) {
    return catchThrowableOfType(StoreException.class, () -> slots.assign(ONE));
  }

  @Test
  void readsASlot() {
    String body =
        "[{\"eventId\":\"ann\",\"configName\":\"bank\",\"configVersion\":1,"
            + "\"requestedTime\":\"2026-06-01T12:00:00Z\",\"scheduledTime\":\"2026-06-01T12:00:01Z\","
            + "\"windowStart\":\"2026-06-01T12:00:00Z\",\"delayMs\":1000,\"replayed\":false}]";
    try (RemoteSlots slots = slots(exchange -> answer(exchange, 200, body), LONG)) {
      assertThat(slots.assign(ONE))
          .containsExactly(
              new PacedSlot.Assigned(
                  Instant.parse("2026-06-01T12:00:00Z"),
                  Instant.parse("2026-06-01T12:00:01Z"),
                  false));
    }
  }

  @Test
  void objectInsteadOfAListIsNoUsableAnswer() {
    StoreException failure = failure(200, "{\"scheduledTime\":\"2026-06-01T12:00:01Z\"}");
    assertThat(failure)
        .hasMessageContaining("does not answer like a Weir server: not a JSON array");
    assertThat(failure.outcome()).isEqualTo(StoreException.Outcome.UNKNOWN);
  }

  @Test
  void messageDoesNotRepeatAPageOfSomethingElse() {
    assertThat(failure(500, "x".repeat(100_000)))
        .hasMessage("Weir refused: the server answered HTTP 500");
  }

  @Test
  void bodyThatDoesNotEndIsGivenUpInTime() throws InterruptedException {
    CountDownLatch isAsked = new CountDownLatch(1);
    CountDownLatch isClosed = new CountDownLatch(1);
    HttpHandler dripping =
        exchange -> {
          isAsked.countDown();
          try (exchange) {
            exchange.sendResponseHeaders(200, 0);
            while (!http.end().await(10, TimeUnit.MILLISECONDS)) {
              exchange.getResponseBody().write(' ');
              exchange.getResponseBody().flush();
            }
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          } finally {
            isClosed.countDown();
          }
        };
    try (RemoteSlots slots = slots(dripping, Duration.ofSeconds(2))) {
      StoreException failure = failure(slots);
      // On a busy machine, a call may be given up before it has been sent.
      while (isAsked.getCount() > 0) {
        failure = failure(slots);
      }
      assertThat(failure).hasMessageEndingWith(" within PT2S");
      assertThat(failure.outcome()).isEqualTo(StoreException.Outcome.UNKNOWN);
      assertThat(isClosed.await(LONG.toSeconds(), TimeUnit.SECONDS))
          .as("its connection ends")
          .isTrue();
    }
  }

  @Test
  void bodyThatIsTooLongIsNotRead() throws InterruptedException {
    CountDownLatch isClosed = new CountDownLatch(1);
    HttpHandler endless =
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          try (OutputStream body = exchange.getResponseBody()) {
            byte[] some = " ".repeat(64 * 1024).getBytes(StandardCharsets.UTF_8);
            while (http.end().getCount() > 0) {
              body.write(some);
            }
          } finally {
            isClosed.countDown();
          }
        };
    try (RemoteSlots slots = slots(endless, LONG)) {
      assertThat(failure(slots)).hasMessageEndingWith("it is longer than 8388608 bytes");
      assertThat(isClosed.await(LONG.toSeconds(), TimeUnit.SECONDS))
          .as("its connection ends")
          .isTrue();
    }
  }

  @Test
  void serverThatCannotBeReachedHasAssignedNothing() {
    try (RemoteSlots slots = slots(HttpExchange::close, LONG)) {
      server.stop(0);
      StoreException failure = failure(slots);
      assertThat(failure)
          .hasMessage("Weir did not answer: cannot reach " + url + ": connection refused");
      assertThat(failure.outcome()).isEqualTo(StoreException.Outcome.NONE);
    }
  }
}
