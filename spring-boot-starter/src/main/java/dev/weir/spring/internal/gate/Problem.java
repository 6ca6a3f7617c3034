package dev.weir.spring.internal.gate;

import dev.weir.StoreException;
import dev.weir.rules.TooManyRulesException;
import dev.weir.rules.Verdict;
import dev.weir.rules.matching.AmbiguousPathException;
import dev.weir.rules.matching.internal.RepeatedHeaderException;
import dev.weir.rules.text.RateLimitFields;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Why a request was refused, in the format of RFC 9457. Written by hand: a service need not have a
 * JSON library, and filters run before the components that use one.
 */
public record Problem(int status, String json) {
  public static final String MEDIA_TYPE = "application/problem+json";

  /** In lower case. */
  private static final Set<String> FIELDS_OF_CONTENT =
      Set.of(
          "accept-ranges",
          "age",
          "cache-control",
          "content-digest",
          "content-disposition",
          "content-encoding",
          "content-language",
          "content-length",
          "content-location",
          "content-md5",
          "content-range",
          "content-type",
          "digest",
          "etag",
          "expires",
          "last-modified",
          "repr-digest");

  private static final String QUOTA_EXCEEDED =
      "https://iana.org/assignments/http-problem-types#quota-exceeded";
  private static final String OWN = "urn:weir:problem:";

  /**
   * Returns the problem of a request that rules refuse: they are exceeded, or it is not known
   * whether they are because their store is unavailable.
   */
  static Problem of(Verdict.Refused refused) {
    return refused.isUndecided()
        ? undecided(StoreException.Outcome.of(refused.isOutcomeUnknown()))
        : quotaExceeded(refused);
  }

  private static Problem quotaExceeded(Verdict.Refused refused) {
    String names = list(refused.violated());
    String detail =
        "Limit exceeded: %s. Try again in %d s."
            .formatted(
                refused.violated().stream()
                    .map(name -> '"' + name + '"')
                    .collect(Collectors.joining(", ")),
                RateLimitFields.seconds(refused.retryAfterMicros()));
    return of(429, QUOTA_EXCEEDED, "Too Many Requests", detail, ",\"violated-policies\":" + names);
  }

  /** Returns the problem of a request with an ambiguous path. */
  public static Problem invalidPath(AmbiguousPathException e) {
    return of(400, OWN + "invalid-path", "Bad Request", String.valueOf(e.getMessage()), "");
  }

  /** Returns the problem of a request with two values for a header that it is counted by. */
  static Problem repeatedHeader(RepeatedHeaderException e) {
    return of(400, OWN + "repeated-header", "Bad Request", String.valueOf(e.getMessage()), "");
  }

  /** Returns the problem of a request that more rules cover than can be decided together. */
  static Problem tooManyRules(TooManyRulesException e) {
    return of(
        503,
        OWN + "too-many-rules",
        "Service Unavailable",
        e.getMessage() + ". Nothing was counted.",
        "");
  }

  /**
   * Returns the problem of a request that cannot be decided.
   *
   * @param outcome whether it may have been counted, because only the response is missing
   */
  static Problem undecided(StoreException.Outcome outcome) {
    return of(
        503,
        OWN + "store-unavailable",
        "Service Unavailable",
        "It cannot be decided now whether this may pass. %s; try again."
            .formatted(
                switch (outcome) {
                  case NONE -> "Nothing was done";
                  case UNKNOWN -> "Whether it was counted is unknown";
                }),
        ",\"outcome\":" + quoted(outcome.name().toLowerCase(Locale.ROOT)));
  }

  /**
   * Returns true if a header field describes the content of a response or how long it may be
   * cached, so that it does not apply to a problem in its place.
   */
  public static boolean isFieldOfContent(String name) {
    return FIELDS_OF_CONTENT.contains(name.toLowerCase(Locale.ROOT));
  }

  public byte[] bytes() {
    return json.getBytes(StandardCharsets.UTF_8);
  }

  private static Problem of(int status, String type, String title, String detail, String more) {
    String json =
        "{\"type\":%s,\"title\":%s,\"status\":%d,\"detail\":%s%s}"
            .formatted(quoted(type), quoted(title), status, quoted(detail), more);
    return new Problem(status, json);
  }

  private static String list(List<String> texts) {
    return texts.stream().map(Problem::quoted).collect(Collectors.joining(",", "[", "]"));
  }

  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ') {
        quoted.append("\\u%04x".formatted((int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
