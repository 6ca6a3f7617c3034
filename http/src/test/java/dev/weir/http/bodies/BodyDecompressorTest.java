package dev.weir.http.bodies;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** How much of a compressed body is unpacked. */
final class BodyDecompressorTest {
  private static final int BODY_BYTES = 5_000_000;

  @Test
  void unpacksNoMoreThanThereIsMemoryFor() throws IOException {
    assertThat(unpackedWith(1_000_000)).isBetween(900_000L, 1_000_000L);
    assertThat(unpackedWith(BODY_BYTES)).isEqualTo(BODY_BYTES);
  }

  /** Returns the number of bytes that are passed on. */
  private static long unpackedWith(long roomBytes) throws IOException {
    AtomicLong room = new AtomicLong(roomBytes);
    EmbeddedChannel channel =
        new EmbeddedChannel(new BodyDecompressor(bytes -> room.addAndGet(-bytes) >= 0));
    HttpRequest head = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/");
    byte[] packed = packed();
    head.headers().set("content-encoding", "gzip").set("content-length", packed.length);
    channel.writeInbound(head, new DefaultLastHttpContent(Unpooled.wrappedBuffer(packed)));
    long unpacked = 0;
    for (Object next = channel.readInbound(); next != null; next = channel.readInbound()) {
      unpacked += next instanceof HttpContent part ? part.content().readableBytes() : 0;
      ReferenceCountUtil.release(next);
    }
    channel.finishAndReleaseAll();
    return unpacked;
  }

  private static byte[] packed() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(new byte[BODY_BYTES]);
    }
    return out.toByteArray();
  }
}
