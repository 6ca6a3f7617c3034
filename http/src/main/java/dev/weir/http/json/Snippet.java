package dev.weir.http.json;

import java.nio.charset.StandardCharsets;

/** An excerpt of received text that is safe to repeat in a response. */
public final class Snippet {
  private static final int MAX_LENGTH = 60;

  private Snippet() {}

  public static String of(String text) {
    String begin = text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH) + "…";
    // An unpaired surrogate, received as such or cut off here, is not a character: it becomes a
    // '?'.
    return new String(begin.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }
}
