package dev.weir.server.envoy;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;

/**
 * Counts the fields of a request before it is parsed. A field of two bytes becomes objects of a
 * hundred, so a message that is small enough to arrive could fill the memory when it is parsed.
 */
final class FieldCount {
  /**
   * More than the fields of 32 descriptors with 32 entries each, which is the most that is decided:
   * an entry has three.
   */
  static final int MAX_FIELDS = 10_000;

  /** The depth of entries: in a descriptor, in the request. */
  private static final int MAX_DEPTH = 3;

  private final CodedInputStream in;
  private int left = MAX_FIELDS;

  private FieldCount(byte[] bytes) {
    in = CodedInputStream.newInstance(bytes);
  }

  /** Returns true if the bytes can be a message, and one with no more fields than are allowed. */
  static boolean isBounded(byte[] bytes) {
    try {
      return new FieldCount(bytes).isBounded(MAX_DEPTH);
    } catch (IOException e) {
      return false;
    }
  }

  /** Walks through the fields up to the limit of the stream. */
  private boolean isBounded(int depth) throws IOException {
    while (!in.isAtEnd()) {
      if (--left < 0) {
        return false;
      }
      int tag = in.readTag();
      switch (WireFormat.getTagWireType(tag)) {
        // A group is no part of these messages; its fields are counted with the others.
        case WireFormat.WIRETYPE_START_GROUP, WireFormat.WIRETYPE_END_GROUP -> {}
        case WireFormat.WIRETYPE_LENGTH_DELIMITED -> {
          if (!isBoundedInside(tag, depth)) {
            return false;
          }
        }
        default -> {
          if (!in.skipField(tag)) {
            return false;
          }
        }
      }
    }
    return true;
  }

  private boolean isBoundedInside(int tag, int depth) throws IOException {
    int length = in.readRawVarint32();
    if (!isMessage(WireFormat.getTagFieldNumber(tag), depth)) {
      in.skipRawBytes(length);
      return true;
    }
    int outer = in.pushLimit(length);
    boolean isBounded = isBounded(depth - 1);
    in.popLimit(outer);
    return isBounded;
  }

  /** Descriptors of a request; entries, limit and hits of a descriptor. */
  private static boolean isMessage(int field, int depth) {
    return switch (depth) {
      case MAX_DEPTH -> field == 2;
      case MAX_DEPTH - 1 -> field <= 3;
      default -> false;
    };
  }
}
