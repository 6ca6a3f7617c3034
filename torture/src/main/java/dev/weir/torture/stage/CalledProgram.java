package dev.weir.torture.stage;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.torture.history.Exchange;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A program of others that nodes call with idempotency keys. It records every call. What becomes of
 * one depends on its key and on how many calls there were with that key. Thread-safe.
 */
public final class CalledProgram implements AutoCloseable {
  /** The kind of the exchanges that are recorded. */
  public static final String CALL = "call";

  /** In place of a status: the connection is closed without an answer. */
  public static final int NO_ANSWER = 0;

  /** The kind of the questions by key that are recorded. */
  public static final String LOOK_UP = "look-up";

  private static final int NOT_FOUND = 404;

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Behaviour behaviour;
  private final Map<String, Integer> attempts = new HashMap<>();
  private final List<Exchange> calls = new ArrayList<>();
  private final List<Exchange> lookUps = new ArrayList<>();

  /** Does what a call asks for, and returns the status of its answer. */
  interface Behaviour {
    int react(String key, String body, SplittableRandom random);

    /** Returns the status of an answer to a question by key. */
    default int lookUp(String key) {
      return NOT_FOUND;
    }
  }

  private CalledProgram(HttpServer server, Behaviour behaviour) {
    this.server = server;
    this.behaviour = behaviour;
  }

  static CalledProgram start(String path, Behaviour behaviour) throws IOException {
    CalledProgram program =
        new CalledProgram(
            HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0),
            behaviour);
    program.server.createContext(path, program::answer);
    program.server.setExecutor(program.threads);
    program.server.start();
    return program;
  }

  int port() {
    return server.getAddress().getPort();
  }

  /** Returns the calls so far, in the order of their arrival. */
  public List<Exchange> calls() {
    synchronized (calls) {
      return calls.stream().sorted((a, b) -> Long.compare(a.beginNanos(), b.beginNanos())).toList();
    }
  }

  /** Returns the questions by key so far. */
  public List<Exchange> lookUps() {
    synchronized (calls) {
      return List.copyOf(lookUps);
    }
  }

  private void answer(HttpExchange http) throws IOException {
    long beginNanos = System.nanoTime();
    Instant beganAt = Instant.now();
    try (http) {
      boolean isLookUp = http.getRequestMethod().equals("GET");
      String path = http.getRequestURI().getRawPath();
      String key =
          URLDecoder.decode(
              isLookUp
                  ? path.substring(path.lastIndexOf('/') + 1)
                  : http.getRequestHeaders().getFirst("Idempotency-Key"),
              StandardCharsets.UTF_8);
      String body = new String(http.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      int status = isLookUp ? behaviour.lookUp(key) : behaviour.react(key, body, random(key));
      // Before it is sent, so that what a node knows is always recorded.
      record(isLookUp ? LOOK_UP : CALL, key, body, beginNanos, beganAt, status);
      if (status != NO_ANSWER) {
        // A look-up that says nothing about the payment finds none.
        String said =
            isLookUp && status == HttpURLConnection.HTTP_OK ? "{\"state\":\"paid\"}" : "{}";
        byte[] answer = said.getBytes(StandardCharsets.UTF_8);
        http.getResponseHeaders().set("Content-Type", "application/json");
        http.sendResponseHeaders(status, answer.length);
        http.getResponseBody().write(answer);
      }
    }
  }

  private SplittableRandom random(String key) {
    int attempt;
    synchronized (attempts) {
      attempt = attempts.merge(key, 1, Integer::sum);
    }
    return new SplittableRandom(key.hashCode() * 1_000L + attempt);
  }

  private void record(
      String kind, String key, String body, long beginNanos, Instant beganAt, int status) {
    synchronized (calls) {
      List<Exchange> list = kind.equals(CALL) ? calls : lookUps;
      list.add(
          new Exchange(
              list.size() + 1L,
              kind,
              key,
              0,
              body,
              beginNanos,
              beganAt,
              System.nanoTime(),
              status,
              ""));
    }
  }

  static void pause(SplittableRandom random, int minMillis, int maxMillis) {
    try {
      Thread.sleep(random.nextInt(minMillis, maxMillis));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
    threads.close();
  }
}
