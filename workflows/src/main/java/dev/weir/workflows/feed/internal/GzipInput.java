package dev.weir.workflows.feed.internal;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * A feed compressed with gzip. Damaged data is a {@link FeedException}: reading it again would not
 * help, as it may when a connection fails.
 */
final class GzipInput extends InputStream {
  private static final int BUFFER_BYTES = 64 * 1024;

  private final InputStream compressed;
  private @Nullable GZIPInputStream plain;

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
    try {
      if (plain == null) {
        plain = new GZIPInputStream(compressed, BUFFER_BYTES);
      }
      return plain.read(target, offset, length);
    } catch (ZipException | EOFException damaged) {
      throw new FeedException("its compressed data is damaged or ends early", damaged);
    }
  }

  @Override
  public void close() throws IOException {
    compressed.close();
  }
}
