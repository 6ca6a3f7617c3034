package dev.weir.payments.simulator.calls;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;

/** Finds the last complete line of a file. */
final class LastLine {
  private static final int STEP_BYTES = 4_096;

  private LastLine() {}

  /** Returns the position behind the last line feed; 0 if there is none. */
  static long end(FileChannel file) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(STEP_BYTES);
    long until = file.size();
    while (until > 0) {
      long from = Math.max(0, until - STEP_BYTES);
      bytes.clear().limit((int) (until - from));
      fill(bytes, file, from);
      for (int i = bytes.limit() - 1; i >= 0; i--) {
        if (bytes.get(i) == '\n') {
          return from + i + 1;
        }
      }
      until = from;
    }
    return 0;
  }

  /** Returns the text from a position on, up to a number of bytes. */
  static String text(FileChannel file, long from, int maxBytes) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(maxBytes, file.size() - from));
    fill(bytes, file, from);
    return StandardCharsets.UTF_8.decode(bytes.flip()).toString();
  }

  private static void fill(ByteBuffer bytes, FileChannel file, long from) throws IOException {
    long at = from;
    while (bytes.hasRemaining()) {
      int count = file.read(bytes, at);
      if (count < 0) {
        throw new IOException("the file became shorter while it was read");
      }
      at += count;
    }
  }
}
