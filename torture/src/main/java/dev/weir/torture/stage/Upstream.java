package dev.weir.torture.stage;

import dev.weir.torture.history.Exchange;
import dev.weir.torture.history.Json;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A service behind the gateways. It records every request that arrives, also those whose body does
 * not end, and does what the request says: answer, late, in part, or not at all. Thread-safe.
 */
public final class Upstream implements AutoCloseable {
  /** The kind of the exchanges that are recorded. */
  public static final String ARRIVAL = "arrival";

  /** The header fields of requests and answers. */
  public static final String ID = "x-id";

  public static final String SIZE = "x-size";
  public static final String BEHAVIOUR = "x-behaviour";

  /** What it does with a request. */
  public enum Behaviour {
    PLAIN,
    CHUNKED,
    /** Answers after up to a second. */
    LATE,
    /** Breaks off within the body, which has a length. */
    BROKEN,
    /** Breaks off within the body, which comes in chunks. */
    BROKEN_CHUNKS,
    /** Closes the connection without an answer. */
    CLOSE,
    /** Answers later than anybody waits. */
    NEVER
  }

  private static final int MAX_LATE_MILLIS = 1_000;
  private static final int NEVER_MILLIS = 8_000;
  private static final int CHUNK = 1_000;

  private final ServerSocket entrance;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final List<Exchange> arrivals = new ArrayList<>();

  Upstream() throws IOException {
    entrance = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return entrance.getLocalPort();
  }

  /**
   * Returns the requests whose ids begin with this; each lasts until its answer begins, and its
   * status is 0 if there was none, or only a part of one.
   */
  public List<Exchange> arrivals(String idPrefix) {
    synchronized (arrivals) {
      return arrivals.stream().filter(each -> each.subject().startsWith(idPrefix)).toList();
    }
  }

  /** The body of an answer, which no other answer has. */
  public static byte[] body(String id, int size) {
    byte[] body = new byte[size];
    new SplittableRandom(id.hashCode()).nextBytes(body);
    return body;
  }

  private void accept() {
    while (!entrance.isClosed()) {
      try {
        Socket socket = entrance.accept();
        open.add(socket);
        Thread.ofVirtual().start(() -> serve(socket));
      } catch (IOException e) {
        // This is closed.
        open.forEach(Upstream::hangUp);
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      boolean isKept = true;
      while (isKept) {
        Optional<HttpMessage> request = HttpMessage.read(in);
        isKept = request.isPresent() && answer(request.get(), socket.getOutputStream());
      }
    } catch (IOException e) {
      // The gateway may hang up at any time.
    } finally {
      open.remove(socket);
    }
  }

  /** Returns true if the connection is still good. */
  private boolean answer(HttpMessage request, OutputStream out) {
    long beginNanos = System.nanoTime();
    Instant beganAt = Instant.now();
    boolean isAnswered = false;
    long endNanos = beginNanos;
    try {
      if (request.isWhole()) {
        think(request);
        // When the answer is written, the gateway may be done with it before this thread goes on.
        endNanos = System.nanoTime();
        isAnswered = reply(request, out);
      }
    } catch (IOException e) {
      // It is recorded that there was no answer.
    }
    synchronized (arrivals) {
      arrivals.add(
          new Exchange(
              arrivals.size() + 1L,
              ARRIVAL,
              request.field(ID),
              0,
              Json.write(
                  "head", request.head(),
                  "whole", request.isWhole(),
                  "length", request.body().length,
                  "hash", Arrays.hashCode(request.body())),
              beginNanos,
              beganAt,
              endNanos,
              isAnswered ? 200 : 0,
              ""));
    }
    return isAnswered;
  }

  private static Behaviour behaviour(HttpMessage request) {
    return Behaviour.valueOf(request.field(BEHAVIOUR));
  }

  private static void think(HttpMessage request) {
    SplittableRandom random = new SplittableRandom(request.field(ID).hashCode());
    switch (behaviour(request)) {
      case PLAIN, CHUNKED, BROKEN, BROKEN_CHUNKS, CLOSE -> CalledProgram.pause(random, 1, 30);
      case LATE -> CalledProgram.pause(random, 1, MAX_LATE_MILLIS);
      case NEVER -> CalledProgram.pause(random, NEVER_MILLIS, NEVER_MILLIS + 1);
    }
  }

  /** Returns true if it has sent a whole answer. */
  private static boolean reply(HttpMessage request, OutputStream out) throws IOException {
    String id = request.field(ID);
    byte[] body = body(id, Integer.parseInt(request.field(SIZE)));
    Behaviour behaviour = behaviour(request);
    if (behaviour == Behaviour.CLOSE || behaviour == Behaviour.NEVER) {
      return false;
    }
    boolean isBroken = behaviour == Behaviour.BROKEN || behaviour == Behaviour.BROKEN_CHUNKS;
    boolean isChunked = behaviour == Behaviour.CHUNKED || behaviour == Behaviour.BROKEN_CHUNKS;
    String framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: " + body.length;
    write(
        out,
        "HTTP/1.1 200 OK\r\n%s: %s\r\n%s: %d\r\n%s\r\n\r\n"
            .formatted(ID, id, SIZE, body.length, framing));
    int end = isBroken ? body.length / 2 : body.length;
    if (isChunked) {
      for (int at = 0; at < end; at += CHUNK) {
        int length = Math.min(CHUNK, end - at);
        write(out, Integer.toHexString(length) + "\r\n");
        out.write(body, at, length);
        write(out, "\r\n");
      }
      if (!isBroken) {
        write(out, "0\r\n\r\n");
      }
    } else {
      out.write(body, 0, end);
    }
    return !isBroken;
  }

  private static void write(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static void hangUp(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is closed all the same.
    }
  }

  @Override
  public void close() throws IOException {
    entrance.close();
    open.forEach(Upstream::hangUp);
  }
}
