package dev.weir.payments.simulator;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.payments.simulator.calls.CallStatistics;
import dev.weir.payments.simulator.report.ReportChart;
import dev.weir.payments.simulator.report.ReportSection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A {@link DownstreamSimulator} over HTTP, on the JDK's server: {@code POST /payments}, and for a
 * person {@code GET /summary} and {@code GET /report.svg}. Each call has a virtual thread, so a
 * thousand calls without an answer cost next to nothing.
 */
public final class DownstreamServer implements AutoCloseable {
  private static final int MAX_BODY_BYTES = 16 * 1024;
  private static final String LOOK_UP = "/payments/";

  private final HttpServer server;
  private final ExecutorService threads;
  private final DownstreamSimulator simulator;

  /** What every caller has to send as {@code Authorization}; empty if anyone may call. */
  private final Optional<String> authorization;

  private DownstreamServer(
      HttpServer server,
      ExecutorService threads,
      DownstreamSimulator simulator,
      Optional<String> authorization) {
    this.server = server;
    this.threads = threads;
    this.simulator = simulator;
    this.authorization = authorization;
  }

  /**
   * Starts to listen.
   *
   * @param address port 0 picks a free one
   * @param simulator stays open when the server is closed
   * @throws IOException if the address is not available
   */
  public static DownstreamServer start(InetSocketAddress address, DownstreamSimulator simulator)
      throws IOException {
    return start(address, simulator, Optional.empty());
  }

  /**
   * Starts to listen, for callers that send a value as {@code Authorization}. On a machine that
   * others use, they can connect too.
   */
  public static DownstreamServer closed(
      InetSocketAddress address, DownstreamSimulator simulator, String authorization)
      throws IOException {
    return start(address, simulator, Optional.of(authorization));
  }

  private static DownstreamServer start(
      InetSocketAddress address, DownstreamSimulator simulator, Optional<String> authorization)
      throws IOException {
    HttpServer server = HttpServer.create(address, 0);
    ExecutorService threads =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("downstream-", 0).factory());
    DownstreamServer downstream = new DownstreamServer(server, threads, simulator, authorization);
    server.setExecutor(threads);
    server.createContext("/", downstream::handle);
    server.start();
    return downstream;
  }

  /** Returns the base address of the API. */
  public URI address() {
    InetSocketAddress bound = server.getAddress();
    String host = bound.getAddress().getHostAddress();
    return URI.create(
        "http://%s:%s".formatted(host.contains(":") ? "[" + host + "]" : host, bound.getPort()));
  }

  /** Stops at once; calls in progress get no answer. */
  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private void handle(HttpExchange exchange) throws IOException {
    // Closing an exchange that was not answered closes its connection.
    try (exchange) {
      if (!isAllowed(exchange)) {
        answer(exchange, 401, "application/json", DownstreamJson.problem("wrong Authorization"));
        return;
      }
      String target = exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath();
      switch (target) {
        case "POST /payments" -> pay(exchange);
        case "GET /summary" -> {
          CallStatistics calls = simulator.statistics();
          String summary = DownstreamJson.summary(simulator.settings().ceiling(), calls);
          answer(exchange, 200, "application/json", summary);
        }
        case "GET /report.svg" -> answer(exchange, 200, "image/svg+xml", chart());
        default -> {
          if (target.startsWith("GET " + LOOK_UP)) {
            lookUp(exchange);
          } else {
            answer(
                exchange,
                404,
                "application/json",
                DownstreamJson.problem(
                    "there are POST /payments, GET /payments/KEY, GET /summary, GET /report.svg"));
          }
        }
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isAllowed(HttpExchange exchange) {
    String given = exchange.getRequestHeaders().getFirst("Authorization");
    return authorization.isEmpty()
        || (given != null
            && MessageDigest.isEqual(
                given.getBytes(StandardCharsets.UTF_8),
                authorization.get().getBytes(StandardCharsets.UTF_8)));
  }

  /** Answers whether a payment is booked. */
  private void lookUp(HttpExchange exchange) throws IOException {
    String key = exchange.getRequestURI().getRawPath().substring(LOOK_UP.length());
    Optional<String> reference = IdempotencyKey.paymentId(key).flatMap(simulator::booked);
    answer(
        exchange,
        reference.isPresent() ? 200 : 404,
        "application/json",
        reference
            .map(DownstreamJson::paid)
            .orElseGet(() -> DownstreamJson.problem("there is no such payment")));
  }

  private void pay(HttpExchange exchange) throws IOException, InterruptedException {
    Reaction reaction;
    try {
      reaction = react(exchange);
    } catch (UncheckedIOException notRecorded) {
      answer(exchange, 503, "application/json", DownstreamJson.problem("the call is not recorded"));
      return;
    }
    Thread.sleep(reaction.delay());
    switch (reaction) {
      case Reaction.HangUp unused -> {}
      case Reaction.Answer answer -> {
        Duration retryAfter = answer.retryAfter();
        if (!retryAfter.isZero()) {
          exchange.getResponseHeaders().set("Retry-After", String.valueOf(retryAfter.toSeconds()));
        }
        answer(exchange, answer.status(), "application/json", answer.body());
      }
    }
  }

  private Reaction react(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES + 1);
    if (body.length > MAX_BODY_BYTES) {
      return simulator.malformed("the body is longer than " + MAX_BODY_BYTES + " bytes");
    }
    String field = exchange.getRequestHeaders().getFirst(IdempotencyKey.NAME);
    Optional<String> key = field == null ? Optional.empty() : IdempotencyKey.paymentId(field);
    if (key.isEmpty() || key.get().isEmpty()) {
      return simulator.malformed("there is no readable " + IdempotencyKey.NAME);
    }
    if (!key.equals(DownstreamJson.member(body, "paymentId"))) {
      return simulator.malformed(
          "the body is not a JSON object whose paymentId is the " + IdempotencyKey.NAME);
    }
    return simulator.pay(key.get(), body);
  }

  private String chart() {
    return ReportChart.of(
        List.of(
            new ReportSection(
                "Calls so far",
                simulator.settings().ceiling(),
                simulator.statistics(),
                Optional.empty())));
  }

  private static void answer(HttpExchange exchange, int status, String type, String body)
      throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }
}
