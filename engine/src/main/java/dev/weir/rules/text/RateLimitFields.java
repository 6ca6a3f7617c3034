package dev.weir.rules.text;

import dev.weir.internal.Micros;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/**
 * The header fields of limited responses: those of the IETF draft, and the older {@code
 * X-RateLimit} ones that clients still read, which describe the policy with the fewest units left.
 */
public final class RateLimitFields {
  private static final String POLICY = "RateLimit-Policy";
  private static final String STATE = "RateLimit";
  private static final String OLD_LIMIT = "X-RateLimit-Limit";
  private static final String OLD_REMAINING = "X-RateLimit-Remaining";
  private static final String OLD_RESET = "X-RateLimit-Reset";
  private static final String RETRY_AFTER = "Retry-After";

  /** The maximum length of a field that lists policies, unless it lists a single one. */
  private static final int MAX_LIST = 1_000;

  private RateLimitFields() {}

  /**
   * The state of one policy.
   *
   * @param key the key of the counts
   * @param resetMicros the time until more units are left, if known
   * @param refused true if this policy refused the request
   */
  public record PolicyState(
      PolicyText policy, String key, long remaining, OptionalLong resetMicros, boolean refused) {
    private String state() {
      String state = policy.name() + ";r=" + remaining;
      return resetMicros.isPresent() ? state + ";t=" + seconds(resetMicros.getAsLong()) : state;
    }

    /**
     * Returns the state with the key as its partition, for fields that contain the same policy
     * several times.
     */
    private String stateOfKey() {
      byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
      return state() + ";pk=:" + Base64.getEncoder().encodeToString(bytes) + ":";
    }
  }

  /** Adds the fields of the state of one policy. */
  public static void add(BiConsumer<String, String> headers, PolicyState state) {
    add(headers, state, state.policy().item(), state.state());
  }

  /**
   * Adds the fields of several policies; of very many only those with the fewest units left,
   * because proxies bound the size of a response's head.
   */
  public static void add(BiConsumer<String, String> headers, List<PolicyState> all) {
    Lists lists = Lists.of(all);
    if (!lists.fit()) {
      List<PolicyState> tightestFirst = new ArrayList<>(all);
      tightestFirst.sort(
          Comparator.comparing((PolicyState state) -> !state.refused())
              .thenComparingLong(PolicyState::remaining));
      int count = all.size();
      while (!lists.fit() && count > 1) {
        count = count / 2;
        lists = Lists.of(tightestFirst.subList(0, count));
      }
    }
    add(headers, tightest(all), lists.policies(), lists.states());
  }

  /** The two fields that list policies. */
  private record Lists(String policies, String states) {
    static Lists of(List<PolicyState> all) {
      Set<String> policies =
          all.stream()
              .map(state -> state.policy().item())
              .collect(Collectors.toCollection(LinkedHashSet::new));
      boolean repeated = policies.size() < all.size();
      String states =
          all.stream()
              .map(state -> repeated ? state.stateOfKey() : state.state())
              .collect(Collectors.joining(", "));
      return new Lists(String.join(", ", policies), states);
    }

    boolean fit() {
      return policies.length() <= MAX_LIST && states.length() <= MAX_LIST;
    }
  }

  /** Returns the first policy that refused, otherwise the one with the fewest units left. */
  private static PolicyState tightest(List<PolicyState> all) {
    PolicyState tightest = all.getFirst();
    for (PolicyState state : all) {
      if (state.refused() != tightest.refused()
          ? state.refused()
          : state.remaining() < tightest.remaining()) {
        tightest = state;
      }
    }
    return tightest;
  }

  private static void add(
      BiConsumer<String, String> headers, PolicyState old, String policies, String states) {
    headers.accept(POLICY, policies);
    headers.accept(STATE, states);
    headers.accept(OLD_LIMIT, old.policy().quota());
    headers.accept(OLD_REMAINING, Long.toString(old.remaining()));
    if (old.resetMicros().isPresent()) {
      headers.accept(OLD_RESET, Long.toString(seconds(old.resetMicros().getAsLong())));
    }
  }

  /**
   * Adds the field of a refusal. Rounded like the other times, so that it is never earlier than
   * them.
   */
  public static void addRetryAfter(BiConsumer<String, String> headers, long micros) {
    headers.accept(RETRY_AFTER, Long.toString(seconds(micros)));
  }

  /** Returns whole seconds, rounded up so that waiting that long is sufficient. */
  public static long seconds(long micros) {
    return Math.ceilDiv(micros, Micros.PER_SECOND);
  }
}
