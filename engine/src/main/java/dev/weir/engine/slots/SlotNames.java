package dev.weir.engine.slots;

import java.util.Optional;

/** What may be the id of an event and the name of a configuration. */
public final class SlotNames {
  public static final int LONGEST_EVENT_ID = 256;
  public static final int LONGEST_CONFIG_NAME = 100;

  private SlotNames() {}

  /** What is wrong with an event id, if anything. */
  public static Optional<String> eventIdProblem(String eventId) {
    if (eventId.isBlank()) {
      return Optional.of("must not be empty");
    }
    if (eventId.length() > LONGEST_EVENT_ID) {
      return Optional.of(
          "must be at most %d characters, not %d".formatted(LONGEST_EVENT_ID, eventId.length()));
    }
    return isStorable(eventId)
        ? Optional.empty()
        : Optional.of("must be Unicode text without the character NUL");
  }

  /** What is wrong with the name of a configuration, if anything. */
  public static Optional<String> configNameProblem(String name) {
    if (name.isEmpty()) {
      return Optional.of("must not be empty");
    }
    if (name.length() > LONGEST_CONFIG_NAME) {
      return Optional.of(
          "must be at most %d characters, not %d".formatted(LONGEST_CONFIG_NAME, name.length()));
    }
    return isName(name)
        ? Optional.empty()
        : Optional.of("must be letters, digits, '.', '_', ':' and '-', a letter or digit first");
  }

  private static boolean isName(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean letterOrDigit =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (!letterOrDigit && (i == 0 || "._:-".indexOf(c) < 0)) {
        return false;
      }
    }
    return true;
  }

  /** No database keeps NUL, and half a surrogate pair is no character. */
  private static boolean isStorable(String text) {
    for (int i = 0; i < text.length(); i++) {
      char unit = text.charAt(i);
      if (unit == 0 || Character.isLowSurrogate(unit)) {
        return false;
      }
      if (Character.isHighSurrogate(unit)) {
        i++;
        if (i == text.length() || !Character.isLowSurrogate(text.charAt(i))) {
          return false;
        }
      }
    }
    return true;
  }
}
