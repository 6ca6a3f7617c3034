package dev.weir.rules.matching;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A pattern of paths, such as {@code /api/orders/**}.
 *
 * <p>{@code *}, or {@code {name}}, matches one segment; {@code **} at the end matches any number of
 * segments, including none. Everything else matches literally, however it is encoded.
 *
 * @param text the pattern as it was written
 * @param segments the segments before the {@code **}
 * @param isDeep true if it ends in {@code **}
 */
public record PathPattern(String text, List<Segment> segments, boolean isDeep) {
  public static final int MAX_LENGTH = 1_000;

  private static final String DEEP = "**";

  /** One segment of a pattern. */
  public sealed interface Segment {
    /** Matches this text. */
    record Literal(String text) implements Segment {}

    /** Matches any segment. */
    record Any() implements Segment {}
  }

  public PathPattern {
    segments = List.copyOf(segments);
  }

  /**
   * Parses a pattern.
   *
   * @throws IllegalArgumentException if it is invalid; the message says why
   */
  public static PathPattern of(String text) {
    if (text.length() > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "must be at most %d characters, not %d".formatted(MAX_LENGTH, text.length()));
    }
    if (!text.startsWith("/")) {
      throw new IllegalArgumentException("must begin with /");
    }
    List<Segment> segments = new ArrayList<>();
    boolean isDeep = false;
    for (String part : text.substring(1).split("/", -1)) {
      if (isDeep) {
        throw new IllegalArgumentException("may have ** only at its end");
      }
      isDeep = part.equals(DEEP);
      if (!isDeep && !part.isEmpty()) {
        segments.add(segment(part));
      }
    }
    return new PathPattern(text, segments, isDeep);
  }

  private static Segment segment(String part) {
    if (part.equals("*") || part.matches("\\{[A-Za-z][A-Za-z0-9_-]*}")) {
      return new Segment.Any();
    }
    if (part.matches(".*[*{};?#].*")) {
      throw new IllegalArgumentException(
          "may have * or {name} only as a whole segment, and no ; ? or #");
    }
    List<String> read;
    try {
      read = RequestPath.of("/" + encoded(part)).segments();
    } catch (AmbiguousPathException e) {
      throw new IllegalArgumentException("cannot be the path of a request: " + e.getMessage(), e);
    }
    if (read.size() != 1) {
      throw new IllegalArgumentException("may not have the segment " + part);
    }
    return new Segment.Literal(read.getFirst());
  }

  /** Encodes characters that people write literally and that requests send encoded. */
  private static String encoded(String part) {
    StringBuilder encoded = new StringBuilder();
    for (byte b : part.getBytes(StandardCharsets.UTF_8)) {
      if (b < 0 || b == ' ') {
        encoded.append('%').append("%02X".formatted(b & 0xFF));
      } else {
        encoded.append((char) b);
      }
    }
    return encoded.toString();
  }
}
