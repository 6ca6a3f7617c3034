package dev.weir.server.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.client.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** A server that behaves as badly as a test wants; the real one is too well-behaved. */
final class ScriptedServer implements AutoCloseable {
  static final String SLOT =
      "{\"eventId\":\"a\",\"scheduledTime\":\"2026-06-01T12:00:00Z\",\"delayMs\":0,"
          + "\"replayed\":false}";
  static final String NO_STORE =
      "{\"type\":\"urn:weir:problem:store-unavailable\",\"title\":\"Service Unavailable\","
          + "\"status\":503,\"detail\":\"The database does not answer.\"}";

  private final HttpServer server =
      HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);

  /** Answers a batch; if it throws, the connection is closed. */
  @FunctionalInterface
  interface Script {
    void play(Batch batch) throws IOException;
  }

  /**
   * One batch.
   *
   * @param number from 1
   * @param isArray whether it is a JSON array, or lines
   */
  record Batch(int number, boolean isArray, List<String> lines, HttpExchange exchange) {
    void answer(String... answers) throws IOException {
      reply(200, "[" + String.join(",", answers) + "]");
    }

    void answerAll(String answer) throws IOException {
      reply(200, lines.stream().map(line -> answer).collect(Collectors.joining(",", "[", "]")));
    }

    void reply(int status, String body) throws IOException {
      byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(status, bytes.length);
      exchange.getResponseBody().write(bytes);
    }

    /** Begins an answer that is longer than what follows. */
    void begin(String text) throws IOException {
      exchange.sendResponseHeaders(200, 10_000);
      exchange.getResponseBody().write(text.getBytes(StandardCharsets.UTF_8));
    }
  }

  ScriptedServer(Script script) throws IOException {
    AtomicInteger count = new AtomicInteger();
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext(
        "/api/v1/slots/batch",
        exchange -> {
          try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            boolean isArray = body[0] == '[';
            List<String> lines =
                isArray
                    ? JsonObject.readArray(body).stream().map(JsonObject.Element::text).toList()
                    : new String(body, StandardCharsets.UTF_8).lines().toList();
            script.play(new Batch(count.incrementAndGet(), isArray, lines, exchange));
          }
        });
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
