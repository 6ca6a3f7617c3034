package dev.weir.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connection that floods the gRPC port is closed. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class EnvoyFloodsTest {
  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

  /** Sent at once, so that they are a flood on however busy a machine. */
  private static final int PORTION = 1_000;

  /** More than the buffers on the way hold if the server reads nothing. */
  private static final int MAX_SENT = 100_000_000;

  @Test
  void closesAFloodOfSettings() throws Exception {
    closes(i -> frame(4, 0, 0, new byte[0]));
  }

  @Test
  void closesAFloodOfPings() throws Exception {
    closes(i -> frame(6, 0, 0, new byte[8]));
  }

  @Test
  void closesAFloodOfCallsThatAreReset() throws Exception {
    // POST, http and /, from the static table of HPACK.
    byte[] head = {(byte) 0x83, (byte) 0x86, (byte) 0x84};
    closes(
        i ->
            Unpooled.wrappedBuffer(
                frame(1, 4, 2 * i + 1, head), frame(3, 0, 2 * i + 1, new byte[] {0, 0, 0, 8})));
  }

  /** Sends frames until the server has closed the connection. */
  private static void closes(IntFunction<ByteBuf> frames) throws Exception {
    try (ServedRules rules = ServedRules.start();
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), rules.server.port())) {
      Thread reader = Thread.ofVirtual().start(() -> skipAll(socket));
      OutputStream out = socket.getOutputStream();
      out.write(PREFACE.getBytes(StandardCharsets.US_ASCII));
      int sent = 0;
      try {
        send(out, frame(4, 0, 0, new byte[0]));
        for (; sent < MAX_SENT; sent += PORTION) {
          send(out, portion(sent, frames));
        }
      } catch (IOException e) {
        // Closed by the server.
      }
      assertThat(sent).isLessThan(MAX_SENT);
      reader.join();
    }
  }

  private static ByteBuf portion(int first, IntFunction<ByteBuf> frames) {
    ByteBuf portion = Unpooled.buffer();
    for (int i = first; i < first + PORTION; i++) {
      ByteBuf frame = frames.apply(i);
      portion.writeBytes(frame);
      frame.release();
    }
    return portion;
  }

  private static void skipAll(Socket socket) {
    try {
      InputStream in = socket.getInputStream();
      while (in.read() >= 0) {
        in.skip(in.available());
      }
    } catch (IOException e) {
      // Reset by the server.
    }
  }

  private static void send(OutputStream out, ByteBuf frame) throws IOException {
    frame.readBytes(out, frame.readableBytes());
    frame.release();
  }

  private static ByteBuf frame(int type, int flags, int stream, byte[] body) {
    return Unpooled.buffer()
        .writeMedium(body.length)
        .writeByte(type)
        .writeByte(flags)
        .writeInt(stream)
        .writeBytes(body);
  }
}
