package dev.weir.payments.feed.internal;

import dev.weir.internal.Decompressor;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.DataFormatException;

/**
 * A feed compressed with gzip, in one member or several. Damaged data is a {@link FeedException}:
 * reading it again would not help, as it may when a connection fails.
 */
final class GzipInput extends InputStream {
  private static final int BUFFER_BYTES = 64 * 1024;

  private final InputStream compressed;
  private final Decompressor gzip = Decompressor.ofGzip();
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private boolean hasEnded;

  GzipInput(InputStream compressed) {
    this.compressed = compressed;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    while (!hasEnded) {
      int read = unpack(target, offset, length);
      if (read > 0) {
        return read;
      }
      int more = compressed.read(buffer, 0, buffer.length);
      if (more > 0) {
        gzip.feed(buffer, more);
      } else if (gzip.isWhole()) {
        end();
      } else {
        throw damaged();
      }
    }
    return -1;
  }

  private int unpack(byte[] target, int offset, int length) throws FeedException {
    try {
      return gzip.read(target, offset, length);
    } catch (DataFormatException e) {
      throw damaged();
    }
  }

  private FeedException damaged() {
    end();
    return new FeedException("its compressed data is damaged or ends early");
  }

  private void end() {
    hasEnded = true;
    gzip.close();
  }

  @Override
  public void close() throws IOException {
    end();
    compressed.close();
  }
}
