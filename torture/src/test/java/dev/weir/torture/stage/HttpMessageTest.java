package dev.weir.torture.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Messages are read exactly. */
final class HttpMessageTest {
  private static InputStream text(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  @Test
  void oneMessageEndsWhereTheNextBegins() throws IOException {
    InputStream in =
        text(
            "HTTP/1.1 200 OK\r\nX-Id: a\r\nContent-Length: 3\r\n\r\nabc"
                + "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nde\r\n0\r\n\r\n");
    HttpMessage first = HttpMessage.read(in).orElseThrow();
    assertThat(first.head()).isEqualTo("HTTP/1.1 200 OK");
    assertThat(first.field("x-id")).isEqualTo("a");
    assertThat(first.body()).asString().isEqualTo("abc");
    assertThat(first.isWhole()).isTrue();
    HttpMessage second = HttpMessage.read(in).orElseThrow();
    assertThat(second.body()).asString().isEqualTo("de");
    assertThat(second.isWhole()).isTrue();
    assertThat(HttpMessage.read(in)).isEmpty();
  }

  @Test
  void bodyThatBreaksOffIsNotWhole() throws IOException {
    HttpMessage counted =
        HttpMessage.read(text("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab")).orElseThrow();
    assertThat(counted.isWhole()).isFalse();
    HttpMessage chunked =
        HttpMessage.read(text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nde\r\n"))
            .orElseThrow();
    assertThat(chunked.isWhole()).isFalse();
    assertThat(chunked.body()).asString().isEqualTo("de");
  }

  @Test
  void headThatBreaksOffIsNoMessage() {
    assertThatThrownBy(() -> HttpMessage.read(text("HTTP/1.1 200 OK\r\nX-Id: a\r\n")))
        .isInstanceOf(EOFException.class);
  }
}
