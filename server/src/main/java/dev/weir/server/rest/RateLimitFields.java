package dev.weir.server.rest;

import dev.weir.core.Micros;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.MutableHttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The header fields of limited answers: those of the IETF's draft, and the older ones that people
 * still read, which speak of the policy that has least left.
 */
final class RateLimitFields {
  private static final String POLICY = "RateLimit-Policy";
  private static final String STATE = "RateLimit";
  private static final String OLD_LIMIT = "X-RateLimit-Limit";
  private static final String OLD_REMAINING = "X-RateLimit-Remaining";
  private static final String OLD_RESET = "X-RateLimit-Reset";

  private RateLimitFields() {}

  /**
   * What is told of one policy.
   *
   * @param key whose counts these are
   * @param resetMicros how long until more is left, if that is known
   * @param refused whether it is one of those that refused
   */
  record Told(
      PolicyText policy, String key, long remaining, OptionalLong resetMicros, boolean refused) {
    private String state() {
      String state = policy.name() + ";r=" + remaining;
      return resetMicros.isPresent() ? state + ";t=" + seconds(resetMicros.getAsLong()) : state;
    }

    /** With the key as its partition, where several are told of the same policy. */
    private String stateOfKey() {
      byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
      return state() + ";pk=:" + Base64.getEncoder().encodeToString(bytes) + ":";
    }
  }

  static void add(MutableHttpHeaders headers, Told told) {
    add(headers, told, told.policy().terms(), told.state());
  }

  static void add(MutableHttpHeaders headers, List<Told> all) {
    Set<String> policies =
        all.stream()
            .map(told -> told.policy().terms())
            .collect(Collectors.toCollection(java.util.LinkedHashSet::new));
    boolean repeated = policies.size() < all.size();
    String states =
        all.stream()
            .map(told -> repeated ? told.stateOfKey() : told.state())
            .collect(Collectors.joining(", "));
    add(headers, tightest(all), String.join(", ", policies), states);
  }

  /** The first that refused, else the one with least left. */
  private static Told tightest(List<Told> all) {
    Told tightest = all.getFirst();
    for (Told told : all) {
      if (told.refused() != tightest.refused()
          ? told.refused()
          : told.remaining() < tightest.remaining()) {
        tightest = told;
      }
    }
    return tightest;
  }

  private static void add(MutableHttpHeaders headers, Told old, String policies, String states) {
    headers.add(POLICY, policies);
    headers.add(STATE, states);
    headers.add(OLD_LIMIT, old.policy().most());
    headers.add(OLD_REMAINING, Long.toString(old.remaining()));
    if (old.resetMicros().isPresent()) {
      headers.add(OLD_RESET, Long.toString(seconds(old.resetMicros().getAsLong())));
    }
  }

  /** Of a refusal. Rounded as the times above, so that it is never earlier than them. */
  static void addRetryAfter(MutableHttpHeaders headers, long micros) {
    headers.add(HttpHeaders.RETRY_AFTER, Long.toString(seconds(micros)));
  }

  /** Whole seconds: whoever waits for so long has waited long enough. */
  static long seconds(long micros) {
    return Math.ceilDiv(micros, Micros.PER_SECOND);
  }
}
