package dev.weir.notifications;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The parts into which a text is divided for transmission as short messages, by GSM 03.38 and
 * 03.40: 160 septets of the default alphabet, or 70 units of UCS-2 if the text has any other
 * character. Longer texts lose 7 septets or 3 units of each part to the header that joins them. An
 * escape sequence or a surrogate pair is never divided.
 *
 * @param texts the text of each part, in order
 */
public record MessageParts(Encoding encoding, List<String> texts) {
  /** The maximum number of parts: the header has one byte for it. */
  public static final int MAX_PARTS = 255;

  /** How the characters are transmitted. */
  public enum Encoding {
    GSM_7BIT(160, 153),
    UCS_2(70, 67);

    private final int unitsOfSingle;
    private final int unitsOfPart;

    Encoding(int unitsOfSingle, int unitsOfPart) {
      this.unitsOfSingle = unitsOfSingle;
      this.unitsOfPart = unitsOfPart;
    }
  }

  public MessageParts {
    texts = List.copyOf(texts);
  }

  /**
   * Divides a text.
   *
   * @throws IllegalArgumentException if the text is blank or needs more than {@link #MAX_PARTS}
   *     parts
   */
  public static MessageParts of(String text) {
    if (text.isBlank()) {
      throw new IllegalArgumentException("message must not be blank");
    }
    Encoding encoding = GsmAlphabet.contains(text) ? Encoding.GSM_7BIT : Encoding.UCS_2;
    if (units(text, encoding) <= encoding.unitsOfSingle) {
      return new MessageParts(encoding, List.of(text));
    }
    return new MessageParts(encoding, divide(text, encoding));
  }

  /** Returns the number of parts, at least 1. */
  public int count() {
    return texts.size();
  }

  /** Returns a part as it is transmitted: a septet in each byte, or two bytes for each unit. */
  public byte[] content(int part) {
    return switch (encoding) {
      case GSM_7BIT -> GsmAlphabet.encode(texts.get(part));
      case UCS_2 -> texts.get(part).getBytes(StandardCharsets.UTF_16BE);
    };
  }

  private static List<String> divide(String text, Encoding encoding) {
    List<String> parts = new ArrayList<>();
    int from = 0;
    while (from < text.length()) {
      if (parts.size() == MAX_PARTS) {
        throw new IllegalArgumentException(
            "message must have up to %d parts; its %d characters need more"
                .formatted(MAX_PARTS, text.length()));
      }
      int until = endOfPart(text, from, encoding);
      parts.add(text.substring(from, until));
      from = until;
    }
    return parts;
  }

  private static int endOfPart(String text, int from, Encoding encoding) {
    int units = 0;
    int until = from;
    while (until < text.length()) {
      int step = Character.charCount(text.codePointAt(until));
      int cost = step == 2 ? 2 : units(text.charAt(until), encoding);
      if (units + cost > encoding.unitsOfPart) {
        return until;
      }
      units += cost;
      until += step;
    }
    return until;
  }

  private static long units(String text, Encoding encoding) {
    long units = 0;
    for (int i = 0; i < text.length(); i++) {
      units += units(text.charAt(i), encoding);
    }
    return units;
  }

  private static int units(char character, Encoding encoding) {
    return encoding == Encoding.UCS_2 ? 1 : GsmAlphabet.septets(character);
  }
}
