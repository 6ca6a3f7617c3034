package dev.weir.store.surrealdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Map;

/**
 * Encodes values in CBOR (RFC 8949), the format of SurrealDB in which numbers and texts keep their
 * types. In JSON, SurrealDB takes texts that look like record ids or times for these.
 */
final class CborWriter {
  private static final int UNSIGNED = 0;
  private static final int NEGATIVE = 1;
  private static final int TEXT = 3;
  private static final int ARRAY = 4;
  private static final int MAP = 5;
  private static final int TAG = 6;

  /** The tag of SurrealDB's record ids. */
  private static final int RECORD_ID = 8;

  private static final int FALSE = 0xf4;
  private static final int TRUE = 0xf5;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private CborWriter() {}

  /** Encodes a string, long, boolean, record id, list or map of these. */
  static byte[] encode(Object value) {
    CborWriter writer = new CborWriter();
    writer.write(value);
    return writer.out.toByteArray();
  }

  private void write(Object value) {
    switch (value) {
      case String text -> {
        byte[] bytes = text.getBytes(UTF_8);
        head(TEXT, bytes.length);
        out.writeBytes(bytes);
      }
      case Long number -> {
        if (number >= 0) {
          head(UNSIGNED, number);
        } else {
          head(NEGATIVE, -1 - number);
        }
      }
      case Boolean flag -> out.write(flag ? TRUE : FALSE);
      case RecordId id -> {
        head(TAG, RECORD_ID);
        write(List.of(id.table(), id.key()));
      }
      case List<?> items -> {
        head(ARRAY, items.size());
        for (Object item : items) {
          write(item);
        }
      }
      case Map<?, ?> members -> {
        head(MAP, members.size());
        members.forEach(
            (key, member) -> {
              write(key);
              write(member);
            });
      }
      default ->
          throw new IllegalArgumentException("cannot be encoded: " + value.getClass().getName());
    }
  }

  /** Writes a type and a number in as few bytes as the number needs. */
  private void head(int type, long number) {
    int high = type << 5;
    if (number < 24) {
      out.write(high | (int) number);
    } else if (number < 1 << 8) {
      out.write(high | 24);
      bytes(number, 1);
    } else if (number < 1 << 16) {
      out.write(high | 25);
      bytes(number, 2);
    } else if (number < 1L << 32) {
      out.write(high | 26);
      bytes(number, 4);
    } else {
      out.write(high | 27);
      bytes(number, 8);
    }
  }

  private void bytes(long number, int count) {
    for (int shift = 8 * (count - 1); shift >= 0; shift -= 8) {
      out.write((int) (number >>> shift));
    }
  }
}
