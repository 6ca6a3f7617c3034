package dev.weir.internal;

import java.util.Optional;

/** Validation of event ids and configuration names. */
public final class SlotNames {
  public static final int MAX_EVENT_ID_LENGTH = 256;
  public static final int MAX_CONFIG_NAME_LENGTH = 100;

  private SlotNames() {}

  /** Returns what is wrong with an event id; empty if it is valid. */
  public static Optional<String> eventIdProblem(String eventId) {
    if (eventId.isBlank()) {
      return Optional.of("must not be empty");
    }
    if (eventId.length() > MAX_EVENT_ID_LENGTH) {
      return Optional.of(
          "must be at most %d characters, not %d".formatted(MAX_EVENT_ID_LENGTH, eventId.length()));
    }
    return eventId.indexOf(0) < 0 && UnicodeText.isValid(eventId)
        ? Optional.empty()
        : Optional.of("must be Unicode text without the character NUL");
  }

  /** Returns what is wrong with the name of a configuration; empty if it is valid. */
  public static Optional<String> configNameProblem(String name) {
    if (name.isEmpty()) {
      return Optional.of("must not be empty");
    }
    if (name.length() > MAX_CONFIG_NAME_LENGTH) {
      return Optional.of(
          "must be at most %d characters, not %d".formatted(MAX_CONFIG_NAME_LENGTH, name.length()));
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
}
