package dev.weir.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A server that answers as a test wants, and a clock on which the client's pauses take no time. */
final class Loopback implements AutoCloseable {
  /** What a test waits for at most. */
  static final Duration LONG = Duration.ofMinutes(3);

  static final String SLOT =
      "{\"eventId\":\"%s\",\"configName\":\"bank\",\"configVersion\":1,"
          + "\"requestedTime\":\"2026-06-01T12:00:00Z\",\"scheduledTime\":\"2026-06-01T12:00:01Z\","
          + "\"windowStart\":\"2026-06-01T12:00:00Z\",\"delayMs\":1000,\"replayed\":false}";

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer server;
  private final CountDownLatch end = new CountDownLatch(1);
  private final List<Seen> seen = Collections.synchronizedList(new ArrayList<>());
  private final List<Duration> pauses = Collections.synchronizedList(new ArrayList<>());

  /** A request as it arrived. */
  record Seen(String method, String target, HttpExchange exchange, String body) {
    String header(String name) {
      return String.valueOf(exchange.getRequestHeaders().getFirst(name));
    }
  }

  /** Answers a request; throwing closes the connection without an answer. */
  @FunctionalInterface
  interface Handler {
    void answer(Seen request, int number) throws IOException, InterruptedException;
  }

  Loopback(Handler handler) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    AtomicInteger count = new AtomicInteger();
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            Seen request =
                new Seen(
                    exchange.getRequestMethod(),
                    exchange.getRequestURI().toString(),
                    exchange,
                    new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            seen.add(request);
            handler.answer(request, count.incrementAndGet());
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    server.start();
  }

  static void reply(Seen request, int status, String json) throws IOException {
    byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
    request
        .exchange()
        .getResponseHeaders()
        .set("Content-Type", status < 400 ? "application/json" : "application/problem+json");
    request.exchange().sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    request.exchange().getResponseBody().write(bytes);
  }

  static void problem(Seen request, int status, String name, String more) throws IOException {
    reply(
        request,
        status,
        "{\"type\":\"urn:weir:problem:%s\",\"title\":\"T\",\"status\":%d,\"detail\":\"D.\"%s}"
            .formatted(name, status, more));
  }

  static void unavailable(Seen request, String outcome) throws IOException {
    problem(request, 503, "store-unavailable", ",\"outcome\":\"" + outcome + "\"");
  }

  static void hangUp() throws IOException {
    throw new IOException("hung up");
  }

  URI url() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** A client that waits for its answers, however busy the machine is. */
  static WeirClient.Builder patient(String url) {
    return WeirClient.at(url).connectTimeout(LONG).attemptTimeout(LONG).timeout(LONG);
  }

  /** A client whose pauses are only noted. Its time is that of its pauses. */
  WeirClient.Builder client() {
    return patient(url().toString())
        .clock(
            new Transport.Clock() {
              @Override
              public long nanos() {
                synchronized (pauses) {
                  return pauses.stream().mapToLong(Duration::toNanos).sum();
                }
              }

              @Override
              public void sleep(Duration time) {
                pauses.add(time);
              }
            });
  }

  List<Seen> seen() {
    return List.copyOf(seen);
  }

  List<Duration> pauses() {
    return List.copyOf(pauses);
  }

  /** Holds an answer back until the end of the test. */
  void holdBack() throws InterruptedException {
    end.await();
  }

  @Override
  public void close() {
    end.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
