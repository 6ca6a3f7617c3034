package dev.weir.engine.rules;

import dev.weir.core.Micros;
import dev.weir.core.limits.Decision;
import dev.weir.core.limits.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/**
 * The header fields of limited answers: those of the IETF's draft, and the older ones that people
 * still read, which speak of the policy that has least left.
 */
public final class RateLimitFields {
  private static final String POLICY = "RateLimit-Policy";
  private static final String STATE = "RateLimit";
  private static final String OLD_LIMIT = "X-RateLimit-Limit";
  private static final String OLD_REMAINING = "X-RateLimit-Remaining";
  private static final String OLD_RESET = "X-RateLimit-Reset";
  private static final String RETRY_AFTER = "Retry-After";
  private static final String QUEUED = "X-RateLimit-Queued";
  private static final String DELAY = "X-RateLimit-Delay-Ms";
  private static final long MICROS_OF_A_MILLI = 1_000;

  private RateLimitFields() {}

  /**
   * What is told of one policy.
   *
   * @param key whose counts these are
   * @param resetMicros how long until more is left, if that is known
   * @param refused whether it is one of those that refused
   */
  public record Told(
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

  /** All fields of an answer; none if no rule was asked. */
  public static void add(BiConsumer<String, String> headers, Verdict verdict) {
    List<RuleResult> said = verdict.said();
    if (said.isEmpty()) {
      return;
    }
    if (said.size() == 1) {
      add(headers, told(said.getFirst()));
    } else {
      add(headers, said.stream().map(RateLimitFields::told).toList());
    }
    switch (verdict) {
      case Verdict.Passed passed -> {}
      case Verdict.Reused reused -> {}
      case Verdict.Queued queued -> {
        headers.accept(QUEUED, "true");
        headers.accept(DELAY, Long.toString(Math.ceilDiv(queued.delayMicros(), MICROS_OF_A_MILLI)));
      }
      case Verdict.Refused refused -> addRetryAfter(headers, refused.retryAfterMicros());
    }
  }

  private static Told told(RuleResult said) {
    Outcome outcome = said.outcome();
    return new Told(
        said.rule().text(),
        said.check().key(),
        outcome.remaining(),
        said.rule().means() instanceof LimitedRule.Leased
            ? OptionalLong.empty()
            : OptionalLong.of(outcome.resetMicros()),
        outcome instanceof Decision.Refused);
  }

  public static void add(BiConsumer<String, String> headers, Told told) {
    add(headers, told, told.policy().terms(), told.state());
  }

  public static void add(BiConsumer<String, String> headers, List<Told> all) {
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

  private static void add(
      BiConsumer<String, String> headers, Told old, String policies, String states) {
    headers.accept(POLICY, policies);
    headers.accept(STATE, states);
    headers.accept(OLD_LIMIT, old.policy().most());
    headers.accept(OLD_REMAINING, Long.toString(old.remaining()));
    if (old.resetMicros().isPresent()) {
      headers.accept(OLD_RESET, Long.toString(seconds(old.resetMicros().getAsLong())));
    }
  }

  /** Of a refusal. Rounded as the times above, so that it is never earlier than them. */
  public static void addRetryAfter(BiConsumer<String, String> headers, long micros) {
    headers.accept(RETRY_AFTER, Long.toString(seconds(micros)));
  }

  /** Whole seconds: whoever waits for so long has waited long enough. */
  public static long seconds(long micros) {
    return Math.ceilDiv(micros, Micros.PER_SECOND);
  }
}
