package dev.weir.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

final class DecompressorTest {
  private static final int HEADER_BYTES = 10;

  /** Half of it is compressible. */
  private final byte[] text = text();

  private static byte[] text() {
    byte[] text = new byte[60_000];
    new Random(1).nextBytes(text);
    Arrays.fill(text, 20_000, 50_000, (byte) 'x');
    return text;
  }

  private static byte[] gzip(byte[] text) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(text);
    }
    return out.toByteArray();
  }

  private static byte[] deflate(byte[] text, boolean isBare) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, isBare);
    try (OutputStream packing = new DeflaterOutputStream(out, deflater)) {
      packing.write(text);
    } finally {
      deflater.end();
    }
    return out.toByteArray();
  }

  private static byte[] joined(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  /** Decompresses in pieces of {@code piece} bytes; fails unless everything is complete. */
  private static byte[] unpacked(String encoding, byte[] packed, int piece)
      throws DataFormatException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (Decompressor unpacker = Decompressor.of(encoding).orElseThrow()) {
      for (int from = 0; from < packed.length; from += piece) {
        byte[] fed = Arrays.copyOfRange(packed, from, Math.min(packed.length, from + piece));
        unpacker.feed(fed, fed.length);
        byte[] read = new byte[100];
        for (int length = unpacker.read(read, 1, 99);
            length > 0;
            length = unpacker.read(read, 1, 99)) {
          out.write(read, 1, length);
        }
      }
      if (!unpacker.isWhole()) {
        throw new DataFormatException("not whole");
      }
    }
    return out.toByteArray();
  }

  @Test
  void unpacksWhateverThePiecesAre() throws Exception {
    for (int piece : new int[] {1, 2, 3, 7, 1_000, 1_000_000}) {
      assertThat(unpacked("gzip", gzip(text), piece)).isEqualTo(text);
      assertThat(unpacked("deflate", deflate(text, false), piece)).isEqualTo(text);
      assertThat(unpacked("deflate", deflate(text, true), piece)).isEqualTo(text);
      assertThat(unpacked("gzip", joined(gzip(text), gzip(new byte[0]), gzip(text)), piece))
          .isEqualTo(joined(text, text));
    }
  }

  /** An extra field, a name, a comment and a checksum of the header. */
  @Test
  void passesOverAllThatAHeaderMayHold() throws Exception {
    byte[] plain = gzip(text);
    byte[] fixed = Arrays.copyOf(plain, HEADER_BYTES);
    fixed[3] = 2 + 4 + 8 + 16;
    byte[] optional = {3, 0, 'a', 'b', 'c', 'n', 0, 'c', 'o', 0};
    byte[] header = joined(fixed, optional);
    CRC32 crc = new CRC32();
    crc.update(header);
    byte low = (byte) crc.getValue();
    byte high = (byte) (crc.getValue() >> 8);
    byte[] rest = Arrays.copyOfRange(plain, HEADER_BYTES, plain.length);
    byte[] once = joined(header, new byte[] {low, high}, rest);
    assertThat(unpacked("gzip", joined(once, once), 1)).isEqualTo(joined(text, text));

    byte[] damaged = joined(header, new byte[] {low, (byte) (high ^ 1)}, rest);
    assertThatThrownBy(() -> unpacked("gzip", damaged, 1)).isInstanceOf(DataFormatException.class);
    byte[] unknown = plain.clone();
    unknown[3] = 32;
    assertThatThrownBy(() -> unpacked("gzip", unknown, 1)).isInstanceOf(DataFormatException.class);
  }

  @Test
  void nothingIsWhole() throws Exception {
    assertThat(unpacked("gzip", new byte[0], 1)).isEmpty();
    assertThat(unpacked("deflate", new byte[0], 1)).isEmpty();
  }

  @Test
  void knowsWhatIsCutShortWherever() throws Exception {
    byte[] small = Arrays.copyOf(text, 200);
    for (String encoding : new String[] {"gzip", "deflate"}) {
      byte[] packed = encoding.equals("gzip") ? gzip(small) : deflate(small, false);
      for (int length = 1; length < packed.length; length++) {
        byte[] cut = Arrays.copyOf(packed, length);
        assertThatThrownBy(() -> unpacked(encoding, cut, 50))
            .as("%s cut to %d bytes", encoding, length)
            .isInstanceOf(DataFormatException.class);
      }
    }
    byte[] second = joined(gzip(small), Arrays.copyOf(gzip(small), 30));
    assertThatThrownBy(() -> unpacked("gzip", second, 50)).isInstanceOf(DataFormatException.class);
  }

  @Test
  void refusesWhatIsNotPackedSo() throws Exception {
    byte[] wrongSum = gzip(text);
    wrongSum[wrongSum.length - 6] ^= 1;
    byte[] wrongLength = gzip(text);
    wrongLength[wrongLength.length - 1] ^= 1;
    for (byte[] packed :
        new byte[][] {
          wrongSum, wrongLength, text, joined(gzip(text), new byte[] {1}), deflate(text, false)
        }) {
      assertThatThrownBy(() -> unpacked("gzip", packed, 1_000))
          .isInstanceOf(DataFormatException.class);
    }
    assertThatThrownBy(
            () -> unpacked("deflate", joined(deflate(text, false), new byte[] {1}), 1_000))
        .isInstanceOf(DataFormatException.class);
    for (String other : new String[] {"br", "zstd", "snappy", "gzip, gzip", "identity", ""}) {
      assertThat(Decompressor.of(other)).isEmpty();
    }
  }
}
