package dev.weir.payments.workflows;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the statuses of a payment API mean. A single status goes before a class such as {@code 4xx}.
 * Immutable.
 */
public final class StatusMeanings {
  /** What a status says about a payment. */
  public enum Meaning {
    /** Made, unless the body says otherwise. */
    PAID,
    /** An earlier call with the same key is being handled: ask again. */
    IN_PROGRESS,
    /** Refused for good. */
    REFUSED,
    /** Not made by this call; call again. */
    RETRY,
    /** Perhaps made; call again. */
    UNKNOWN;

    private String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  private static final Pattern ENTRY = Pattern.compile("([2-5])([0-9]{2}|xx)=([a-z-]+)");
  private static final Map<String, Meaning> WORDS =
      Stream.of(Meaning.values()).collect(Collectors.toMap(Meaning::word, meaning -> meaning));

  /**
   * The meanings of an API that says nothing else. A wrong address or an expired credential (401,
   * 403, 404) must not refuse every payment, so only statuses about the payment itself do. 303 can
   * say that a payment is made, and a proxy answers 503 also if it has lost the connection after
   * the call was sent, so both leave open whether it is.
   */
  public static final StatusMeanings DEFAULT =
      new StatusMeanings(Map.of())
          .with(
              "200=paid, 201=paid, 2xx=unknown, 3xx=unknown, 400=refused, 402=refused, 408=retry,"
                  + " 409=in-progress, 410=refused, 413=refused, 415=refused, 422=refused,"
                  + " 425=retry, 429=retry, 4xx=retry, 5xx=unknown");

  /** Meanings by status, and by {@code 2xx} to {@code 5xx}. */
  private final Map<String, Meaning> meanings;

  private StatusMeanings(Map<String, Meaning> meanings) {
    this.meanings = Map.copyOf(meanings);
  }

  /**
   * Returns these meanings with some replaced.
   *
   * @param entries such as {@code 409=refused, 5xx=retry}; empty for none
   * @throws IllegalArgumentException if it is something else
   */
  public StatusMeanings with(String entries) {
    Map<String, Meaning> all = new HashMap<>(meanings);
    for (String entry : entries.isBlank() ? new String[0] : entries.split(",", -1)) {
      Matcher parts = ENTRY.matcher(entry.strip());
      if (!parts.matches() || !WORDS.containsKey(parts.group(3))) {
        throw new IllegalArgumentException(
            ("must be a list of entries such as 409=in-progress or 5xx=unknown, each with one of"
                    + " %s; not \"%s\"")
                .formatted(
                    WORDS.keySet().stream().sorted().collect(Collectors.joining(", ")),
                    entry.strip()));
      }
      all.put(parts.group(1) + parts.group(2), WORDS.get(parts.group(3)));
    }
    return new StatusMeanings(all);
  }

  Meaning of(int status) {
    Meaning ofClass = meanings.getOrDefault(status / 100 + "xx", Meaning.UNKNOWN);
    return meanings.getOrDefault(Integer.toString(status), ofClass);
  }
}
