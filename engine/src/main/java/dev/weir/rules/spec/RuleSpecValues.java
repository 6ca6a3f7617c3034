package dev.weir.rules.spec;

import static java.util.Objects.requireNonNull;

import dev.weir.internal.Micros;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import dev.weir.rules.matching.KeyPart;
import java.math.BigDecimal;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Puts the values of the fields of a spec together: what {@link RuleSpecReader} reads back. */
final class RuleSpecValues {
  private final Map<RuleField, Object> values = new EnumMap<>(RuleField.class);

  private RuleSpecValues() {}

  /**
   * Returns the values of a rule, each in one form.
   *
   * @param given valid values, of which those of the coverage and the quota are replaced
   */
  static Map<RuleField, Object> of(Map<RuleField, Object> given, Coverage coverage, Quota quota) {
    RuleSpecValues all = new RuleSpecValues();
    given.forEach((field, value) -> all.values.put(field, field.type().inOneForm(value)));
    all.add(coverage);
    all.add(quota);
    all.addDefaults();
    return Collections.unmodifiableMap(all.values);
  }

  private void addDefaults() {
    // The quota has just added it.
    RuleAlgorithm algorithm =
        RuleAlgorithm.valueOf((String) requireNonNull(values.get(RuleField.ALGORITHM)));
    for (RuleField field : RuleField.values()) {
      Object byDefault = field.defaultValue();
      if (byDefault != null && field.appliesTo(algorithm)) {
        values.putIfAbsent(field, byDefault);
      }
    }
  }

  private void add(Coverage coverage) {
    values.remove(RuleField.PATH_PATTERN);
    coverage.path().ifPresent(path -> values.put(RuleField.PATH_PATTERN, path.text()));
    values.put(RuleField.METHODS, List.copyOf(coverage.methods()));
    values.put(RuleField.KEY_BY, coverage.keyBy().stream().map(KeyPart::text).toList());
  }

  private void add(Quota quota) {
    switch (quota) {
      case Quota.Rate rate -> {
        add(rate.limit());
        values.put(RuleField.QUEUE_ENABLED, rate.queueSettings().isEnabled());
        addWhole(RuleField.MAX_QUEUE_SIZE, rate.queueSettings().maxSize());
        addWhole(RuleField.DELAY_PER_REQUEST_MS, rate.queueSettings().delayMillis());
      }
      case Quota.Concurrent concurrent -> {
        add(RuleAlgorithm.CONCURRENCY);
        addWhole(RuleField.MAX_CONCURRENT, concurrent.concurrency().max());
        values.put(RuleField.LEASE_TTL, Micros.duration(concurrent.concurrency().ttlMicros()));
      }
    }
  }

  private void add(Limit limit) {
    switch (limit) {
      case FixedWindow window -> {
        add(RuleAlgorithm.FIXED_WINDOW);
        addWhole(RuleField.ALLOWED_REQUESTS, window.limit());
        addSeconds(window.windowMicros());
        values.put(RuleField.ALIGNED, window.start() == FixedWindow.Start.EPOCH);
      }
      case SlidingWindow window -> {
        add(RuleAlgorithm.SLIDING_WINDOW);
        addWhole(RuleField.ALLOWED_REQUESTS, window.limit());
        addSeconds(window.windowMicros());
      }
      case TokenBucket bucket -> {
        add(RuleAlgorithm.TOKEN_BUCKET);
        addWhole(RuleField.CAPACITY, bucket.capacity());
        values.put(
            RuleField.REFILL_RATE,
            new RefillRate.Exact(bucket.refillTokens(), bucket.refillMicros()));
      }
    }
  }

  private void add(RuleAlgorithm algorithm) {
    values.put(RuleField.ALGORITHM, algorithm.name());
  }

  private void addWhole(RuleField field, long value) {
    values.put(field, BigDecimal.valueOf(value));
  }

  private void addSeconds(long micros) {
    values.put(RuleField.WINDOW_SECONDS, FieldType.Seconds.of(micros));
  }
}
