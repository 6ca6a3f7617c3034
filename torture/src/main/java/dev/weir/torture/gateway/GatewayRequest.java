package dev.weir.torture.gateway;

import dev.weir.torture.history.Json;
import dev.weir.torture.stage.Upstream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A request through a gateway.
 *
 * @param id what the upstream answers with
 * @param bodySize 0 for GET
 * @param isCut whether the client sends a part of it and leaves
 */
record GatewayRequest(
    String id,
    GatewayRule rule,
    String key,
    int bodySize,
    boolean isChunked,
    int answerSize,
    Upstream.Behaviour behaviour,
    boolean isCut) {
  private static final int CHUNK = 3_000;

  String method() {
    return bodySize == 0 ? "GET" : "POST";
  }

  /** The body, which no other request has. */
  byte[] body() {
    return Upstream.body("body of " + id, bodySize);
  }

  /** What is recorded of it. */
  String text() {
    return Json.write(
        "id",
        id,
        "method",
        method(),
        "behaviour",
        behaviour.name(),
        "size",
        answerSize,
        "hash",
        Arrays.hashCode(body()),
        "cut",
        isCut);
  }

  /** Writes all of it, or the first half of the body if it is cut. */
  void write(String round, OutputStream out) throws IOException {
    byte[] body = body();
    String framing =
        body.length == 0
            ? ""
            : isChunked
                ? "Transfer-Encoding: chunked\r\n"
                : "Content-Length: " + body.length + "\r\n";
    text(
        out,
        "%s %s/%s HTTP/1.1\r\nHost: upstream\r\nX-Key: %s\r\n%s: %s\r\n%s: %d\r\n%s: %s\r\n%s\r\n"
            .formatted(
                method(),
                rule.path(round),
                id,
                key,
                Upstream.ID,
                id,
                Upstream.SIZE,
                answerSize,
                Upstream.BEHAVIOUR,
                behaviour,
                framing));
    int end = isCut ? body.length / 2 : body.length;
    if (isChunked) {
      for (int at = 0; at < end; at += CHUNK) {
        int length = Math.min(CHUNK, end - at);
        text(out, Integer.toHexString(length) + "\r\n");
        out.write(body, at, length);
        text(out, "\r\n");
      }
      if (!isCut && body.length > 0) {
        text(out, "0\r\n\r\n");
      }
    } else {
      out.write(body, 0, end);
    }
    out.flush();
  }

  private static void text(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.ISO_8859_1));
  }
}
