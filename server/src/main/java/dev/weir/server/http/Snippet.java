package dev.weir.server.http;

import java.nio.charset.StandardCharsets;

/** What somebody sent, as far as it is fit to be repeated in an answer. */
public final class Snippet {
  private static final int LONGEST = 60;

  private Snippet() {}

  public static String of(String text) {
    String begin = text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
    // Half a surrogate pair, sent as such or cut off here, is no character: it becomes a '?'.
    return new String(begin.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }
}
