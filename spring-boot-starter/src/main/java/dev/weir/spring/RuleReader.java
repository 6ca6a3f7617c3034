package dev.weir.spring;

import dev.weir.core.Micros;
import dev.weir.core.limits.Concurrency;
import dev.weir.core.limits.FixedWindow;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.SlidingWindow;
import dev.weir.core.limits.TokenBucket;
import dev.weir.engine.limits.OnStoreFailure;
import dev.weir.engine.rules.Coverage;
import dev.weir.engine.rules.KeyPart;
import dev.weir.engine.rules.PathPattern;
import dev.weir.engine.rules.PolicyText;
import dev.weir.engine.rules.Quota;
import dev.weir.engine.rules.RuleSpec;
import dev.weir.spring.RuleProperties.Algorithm;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Reads a rule from the properties, together with its position, so that errors name the property.
 */
final class RuleReader {
  private static final Duration DEFAULT_LEASE = Duration.ofMinutes(1);
  private static final int LONGEST_NAME = 100;

  private static final Set<Algorithm> WINDOWS =
      Set.of(Algorithm.FIXED_WINDOW, Algorithm.SLIDING_WINDOW);
  private static final Set<Algorithm> COUNTING =
      Set.of(Algorithm.FIXED_WINDOW, Algorithm.SLIDING_WINDOW, Algorithm.TOKEN_BUCKET);

  private final String place;
  private final RuleProperties rule;

  private RuleReader(String place, RuleProperties rule) {
    this.place = place;
    this.rule = rule;
  }

  /**
   * Reads a rule.
   *
   * @param place its position, such as {@code weir.rules[0]}
   * @throws InvalidConfigurationPropertyValueException naming the property that is wrong
   */
  static RuleSpec read(String place, RuleProperties rule) {
    return new RuleReader(place, rule).read();
  }

  private RuleSpec read() {
    RuleSpec spec =
        RuleSpec.of(name(), quota())
            .covering(coverage())
            .mode(rule.mode())
            .active(rule.active());
    spec = tried("priority", rule.priority(), spec::priority);
    if (rule.onStoreFailure() == OnStoreFailure.FALLBACK) {
      throw wrong("on-store-failure", "fallback", "There is no second store here");
    }
    return tried("on-store-failure", rule.onStoreFailure(), spec::onStoreFailure);
  }

  private String name() {
    String name = required("name", rule.name());
    if (name.length() > LONGEST_NAME || !PolicyText.isPrintable(name) || name.isBlank()) {
      throw wrong("name", name, "It must be 1 to " + LONGEST_NAME + " printable signs of ASCII");
    }
    return name;
  }

  /**
   * Returns the coverage. A rule without a path is for methods with {@link RateLimited}; {@link
   * LimitedMethods} checks that.
   */
  private Coverage coverage() {
    if (rule.pathPattern() == null) {
      if (!rule.methods().isEmpty()) {
        throw wrong("methods", rule.methods(), "A rule without path-pattern covers no request");
      }
      return Coverage.BY_NAME;
    }
    PathPattern path = tried("path-pattern", rule.pathPattern(), PathPattern::of);
    for (String method : rule.methods()) {
      if (!method.matches("[A-Z]{1,20}")) {
        throw wrong("methods", method, "It must be a method such as GET");
      }
    }
    List<KeyPart> parts =
        rule.keyBy().stream().map(text -> tried("key-by", text, KeyPart::of)).toList();
    Coverage covered = Coverage.of(path);
    covered = tried("methods", Set.copyOf(rule.methods()), covered::methods);
    return tried("key-by", parts, covered::keyBy);
  }

  private Quota quota() {
    refuseThoseOfOthers();
    return switch (rule.algorithm()) {
      case FIXED_WINDOW -> rate(fixedWindow());
      case SLIDING_WINDOW ->
          rate(
              tried(
                  "allowed-requests",
                  required("allowed-requests", rule.allowedRequests()),
                  allowed -> new SlidingWindow(allowed, windowMicros())));
      case TOKEN_BUCKET -> rate(bucket());
      case CONCURRENCY -> together();
    };
  }

  private Quota rate(Limit limit) {
    Quota.Waiting none = Quota.Waiting.NONE;
    boolean isEnabled = rule.queueEnabled() == null ? none.isEnabled() : rule.queueEnabled();
    int size = rule.maxQueueSize() == null ? none.maxSize() : rule.maxQueueSize();
    long delay = rule.delayPerRequestMs() == null ? none.delayMillis() : rule.delayPerRequestMs();
    if (isEnabled && size == 0) {
      throw wrong("max-queue-size", size, "Nobody could wait; it must be at least 1");
    }
    Quota.Waiting sized =
        tried(
            "max-queue-size", size, most -> new Quota.Waiting(isEnabled, most, none.delayMillis()));
    return new Quota.Rate(
        limit,
        tried(
            "delay-per-request-ms",
            delay,
            millis -> new Quota.Waiting(isEnabled, sized.maxSize(), millis)));
  }

  private Limit fixedWindow() {
    FixedWindow.Start start =
        Boolean.TRUE.equals(rule.aligned()) ? FixedWindow.Start.EPOCH : FixedWindow.Start.FIRST_USE;
    return tried(
        "allowed-requests",
        required("allowed-requests", rule.allowedRequests()),
        allowed -> new FixedWindow(allowed, windowMicros(), start));
  }

  private Limit bucket() {
    long capacity = required("capacity", rule.capacity());
    tried("capacity", capacity, most -> TokenBucket.perSecond(most, BigDecimal.ONE));
    return tried(
        "refill-rate",
        required("refill-rate", rule.refillRate()),
        rate -> TokenBucket.perSecond(capacity, rate));
  }

  private Quota together() {
    int most = required("max-concurrent", rule.maxConcurrent());
    tried("max-concurrent", most, max -> Concurrency.of(max, DEFAULT_LEASE));
    Duration lease = rule.leaseTtl() == null ? DEFAULT_LEASE : rule.leaseTtl();
    return tried("lease-ttl", lease, ttl -> new Quota.Together(Concurrency.of(most, ttl)));
  }

  private long windowMicros() {
    BigDecimal seconds = required("window-seconds", rule.windowSeconds());
    long longest = Limit.MAX_DURATION_MICROS / Micros.PER_SECOND;
    // Compared first, because a number with a huge exponent must not be expanded.
    if (seconds.compareTo(BigDecimal.valueOf(longest)) <= 0 && seconds.scale() <= 6) {
      long micros = seconds.movePointRight(6).longValue();
      if (micros >= Limit.MIN_DURATION_MICROS) {
        return micros;
      }
    }
    throw wrong(
        "window-seconds",
        seconds,
        "It must be from %s to %d, in whole microseconds"
            .formatted(
                BigDecimal.valueOf(Limit.MIN_DURATION_MICROS, 6)
                    .stripTrailingZeros()
                    .toPlainString(),
                longest));
  }

  /** Rejects fields of other algorithms, which would have no effect. */
  private void refuseThoseOfOthers() {
    only("allowed-requests", rule.allowedRequests(), WINDOWS);
    only("window-seconds", rule.windowSeconds(), WINDOWS);
    only("aligned", rule.aligned(), Set.of(Algorithm.FIXED_WINDOW));
    only("capacity", rule.capacity(), Set.of(Algorithm.TOKEN_BUCKET));
    only("refill-rate", rule.refillRate(), Set.of(Algorithm.TOKEN_BUCKET));
    only("max-concurrent", rule.maxConcurrent(), Set.of(Algorithm.CONCURRENCY));
    only("lease-ttl", rule.leaseTtl(), Set.of(Algorithm.CONCURRENCY));
    only("queue-enabled", rule.queueEnabled(), COUNTING);
    only("max-queue-size", rule.maxQueueSize(), COUNTING);
    only("delay-per-request-ms", rule.delayPerRequestMs(), COUNTING);
  }

  private void only(String field, @Nullable Object value, Set<Algorithm> algorithms) {
    if (value != null && !algorithms.contains(rule.algorithm())) {
      throw wrong(field, value, "A rule with " + rule.algorithm() + " has no such thing");
    }
  }

  private <T> T required(String field, @Nullable T value) {
    if (value == null) {
      throw wrong(field, "(none)", "It is needed");
    }
    return value;
  }

  private <T, R> R tried(String field, T value, Function<T, R> reading) {
    try {
      return reading.apply(value);
    } catch (InvalidConfigurationPropertyValueException e) {
      throw e;
    } catch (IllegalArgumentException e) {
      throw wrong(field, value, String.valueOf(e.getMessage()));
    }
  }

  private InvalidConfigurationPropertyValueException wrong(
      String field, Object value, String reason) {
    return new InvalidConfigurationPropertyValueException(place + "." + field, value, reason + ".");
  }
}
