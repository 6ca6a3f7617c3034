package dev.weir.store.surrealdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decodes values from CBOR (RFC 8949): strings, longs, doubles, booleans, byte arrays, lists and
 * maps. SurrealDB's NONE and NULL become null; of other tagged values, the content is returned.
 */
final class CborReader {
  private static final int MAX_DEPTH = 64;

  /** The tag of SurrealDB's NONE. */
  private static final long NONE = 6;

  private final ByteBuffer in;

  private CborReader(ByteBuffer in) {
    this.in = in;
  }

  /**
   * Decodes one value.
   *
   * @throws IllegalArgumentException if the bytes are not one value
   */
  static @Nullable Object decode(byte[] bytes) {
    CborReader reader = new CborReader(ByteBuffer.wrap(bytes));
    try {
      Object value = reader.read(0);
      if (reader.in.hasRemaining()) {
        throw new IllegalArgumentException("more than one value");
      }
      return value;
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("the value is cut off", e);
    }
  }

  private @Nullable Object read(int depth) {
    if (depth > MAX_DEPTH) {
      throw new IllegalArgumentException("nested more than " + MAX_DEPTH + " times");
    }
    int head = in.get() & 0xff;
    int type = head >> 5;
    int info = head & 0x1f;
    return switch (type) {
      case 0 -> number(info);
      case 1 -> -1 - number(info);
      case 2 -> bytes(count(info));
      case 3 -> new String(bytes(count(info)), UTF_8);
      case 4 -> list(count(info), depth);
      case 5 -> map(count(info), depth);
      case 6 -> tagged(number(info), depth);
      default -> simple(info);
    };
  }

  private long number(int info) {
    return switch (info) {
      case 24 -> in.get() & 0xff;
      case 25 -> in.getShort() & 0xffff;
      case 26 -> in.getInt() & 0xffffffffL;
      case 27 -> in.getLong();
      default -> {
        if (info > 27) {
          throw new IllegalArgumentException("an item of indefinite length");
        }
        yield info;
      }
    };
  }

  /** Returns a number of bytes or items, each of which takes at least a byte. */
  private int count(int info) {
    long count = number(info);
    if (count < 0 || count > in.remaining()) {
      throw new IllegalArgumentException(count + " items are more than there are");
    }
    return (int) count;
  }

  private byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    in.get(bytes);
    return bytes;
  }

  private List<@Nullable Object> list(int count, int depth) {
    List<@Nullable Object> items = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      items.add(read(depth + 1));
    }
    return items;
  }

  private Map<String, @Nullable Object> map(int count, int depth) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      String key = String.valueOf(read(depth + 1));
      members.put(key, read(depth + 1));
    }
    return members;
  }

  private @Nullable Object tagged(long tag, int depth) {
    Object content = read(depth + 1);
    return tag == NONE ? null : content;
  }

  private @Nullable Object simple(int info) {
    return switch (info) {
      case 20 -> false;
      case 21 -> true;
      case 22, 23 -> null;
      case 25 -> (double) Float.float16ToFloat(in.getShort());
      case 26 -> (double) in.getFloat();
      case 27 -> in.getDouble();
      default -> throw new IllegalArgumentException("an unknown simple value: " + info);
    };
  }
}
