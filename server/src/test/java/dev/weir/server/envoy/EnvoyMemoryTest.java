package dev.weir.server.envoy;

import static dev.weir.server.envoy.ServedRules.descriptor;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.connections.RequestMemory;
import dev.weir.server.faults.Waiting;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages of which only a part has arrived share a budget, whatever connection they came by. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class EnvoyMemoryTest {
  private static final int BUDGET = 1024 * 1024;
  private static final int CONNECTIONS = 40;
  private static final int FRAME_BYTES = 15_000;

  /** Below the window that a client has before the server has said more. */
  private static final int FRAMES = 4;

  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int SETTINGS = 4;
  private static final int END_HEADERS = 4;

  private final AtomicInteger refused = new AtomicInteger();

  @Test
  void partsOfMessagesOnManyConnectionsAreLimitedInTotal() throws Exception {
    RequestMemory memory = RequestMemory.of(BUDGET);
    List<Socket> clients = new ArrayList<>();
    try (ServedRules rules =
        ServedRules.withMemory(memory).with(ServedRules.inAMinute("ip", 1_000))) {
      try {
        for (int i = 0; i < CONNECTIONS; i++) {
          Socket client = new Socket(InetAddress.getLoopbackAddress(), rules.server.port());
          clients.add(client);
          Thread.ofVirtual().start(() -> count(client));
          sendPart(client.getOutputStream());
        }
        Waiting.until("a call to be refused", () -> refused.get() > CONNECTIONS / 2);

        assertThat(memory.freeBytes()).isNotNegative();
        assertThat(rules.ask(descriptor("ip", "1")).getOverallCode()).isEqualTo(Code.OK);
      } finally {
        for (Socket client : clients) {
          client.close();
        }
      }
      Waiting.until("everything to be given back", () -> memory.freeBytes() == BUDGET);
    }
  }

  /** Counts a connection whose call the server ends. */
  private void count(Socket client) {
    try {
      DataInputStream in = new DataInputStream(client.getInputStream());
      while (true) {
        int lengthAndType = in.readInt();
        in.readByte();
        int stream = in.readInt();
        in.skipNBytes(lengthAndType >>> 8);
        if ((lengthAndType & 0xff) == HEADERS && stream == 1) {
          refused.incrementAndGet();
        }
      }
    } catch (IOException e) {
      // Closed by the test.
    }
  }

  private static void sendPart(OutputStream out) throws IOException {
    out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    send(out, SETTINGS, 0, 0, new byte[0]);
    send(out, HEADERS, END_HEADERS, 1, head());
    ByteBuf message = Unpooled.buffer(FRAME_BYTES * FRAMES);
    // Not compressed, and longer than what follows.
    message.writeByte(0).writeInt(FRAME_BYTES * FRAMES * 2).writerIndex(FRAME_BYTES * FRAMES);
    for (int i = 0; i < FRAMES; i++) {
      byte[] part = new byte[FRAME_BYTES];
      message.readBytes(part);
      send(out, DATA, 0, 1, part);
    }
    message.release();
  }

  /** The head of a call: names of the static table of HPACK, or literal ones. */
  private static byte[] head() {
    ByteBuf head = Unpooled.buffer();
    head.writeByte(0x83).writeByte(0x86);
    text(head.writeByte(0x04), "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit");
    text(head.writeByte(0x01), "localhost");
    text(head.writeByte(0x0f).writeByte(0x10), "application/grpc");
    text(text(head.writeByte(0x00), "te"), "trailers");
    byte[] bytes = new byte[head.readableBytes()];
    head.readBytes(bytes).release();
    return bytes;
  }

  private static ByteBuf text(ByteBuf head, String text) {
    return head.writeByte(text.length()).writeBytes(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static void send(OutputStream out, int type, int flags, int stream, byte[] body)
      throws IOException {
    ByteBuf frame =
        Unpooled.buffer()
            .writeMedium(body.length)
            .writeByte(type)
            .writeByte(flags)
            .writeInt(stream)
            .writeBytes(body);
    frame.readBytes(out, frame.readableBytes());
    frame.release();
  }
}
