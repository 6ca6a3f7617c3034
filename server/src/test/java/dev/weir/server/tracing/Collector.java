package dev.weir.server.tracing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;

/** A collector that takes spans over OTLP and keeps them. */
final class Collector implements AutoCloseable {
  private static final HexFormat HEX = HexFormat.of();
  private static final int BYTES = 2;

  private final HttpServer server;
  private final List<Received> spans = new CopyOnWriteArrayList<>();

  /** A span as it came in; ids in hexadecimal digits. */
  record Received(String traceId, String spanId, String parentId, String name) {}

  private Collector(HttpServer server) {
    this.server = server;
  }

  static Collector start() throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    Collector collector = new Collector(server);
    server.createContext("/v1/traces", collector::receive);
    server.start();
    return collector;
  }

  URI address() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** Who gets no answer in time sends spans again. */
  List<Received> spans() {
    return spans.stream().distinct().toList();
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private void receive(HttpExchange exchange) throws IOException {
    try (exchange;
        InputStream body = exchange.getRequestBody();
        InputStream in =
            "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"))
                ? new GZIPInputStream(body)
                : body) {
      // Resource spans, in them scope spans, in them spans.
      each(in.readAllBytes(), 1, resource -> each(resource, 2, scope -> each(scope, 2, this::add)));
      exchange.sendResponseHeaders(200, -1);
    }
  }

  private void add(byte[] span) {
    spans.add(
        new Received(
            HEX.formatHex(first(span, 1)),
            HEX.formatHex(first(span, 2)),
            HEX.formatHex(first(span, 4)),
            new String(first(span, 5), StandardCharsets.UTF_8)));
  }

  private static byte[] first(byte[] message, int field) {
    List<byte[]> found = new ArrayList<>();
    each(message, field, found::add);
    return found.isEmpty() ? new byte[0] : found.getFirst();
  }

  /** Reads as much of Protocol Buffers as it takes: the fields of a number that are bytes. */
  private static void each(byte[] message, int field, Consumer<byte[]> use) {
    ByteBuffer in = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN);
    while (in.hasRemaining()) {
      long tag = varint(in);
      switch ((int) (tag & 7)) {
        case 0 -> varint(in);
        case 1 -> in.getLong();
        case BYTES -> {
          byte[] value = new byte[(int) varint(in)];
          in.get(value);
          if (tag >>> 3 == field) {
            use.accept(value);
          }
        }
        case 5 -> in.getInt();
        default -> throw new IllegalArgumentException("no protocol buffer: tag " + tag);
      }
    }
  }

  private static long varint(ByteBuffer in) {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      byte next = in.get();
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
  }
}
