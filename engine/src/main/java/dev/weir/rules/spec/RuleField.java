package dev.weir.rules.spec;

import static dev.weir.rules.spec.RuleAlgorithm.CONCURRENCY;
import static dev.weir.rules.spec.RuleAlgorithm.FIXED_WINDOW;
import static dev.weir.rules.spec.RuleAlgorithm.SLIDING_WINDOW;
import static dev.weir.rules.spec.RuleAlgorithm.TOKEN_BUCKET;

import dev.weir.internal.Micros;
import dev.weir.limits.Concurrency;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.OnStoreFailure;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import dev.weir.rules.matching.KeyPart;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a rule, in the order in which they are written: their names, types, bounds and
 * defaults, and the algorithms they belong to.
 *
 * <p>This is the only definition. REST, the properties of the Spring starter and the database only
 * translate their notation from and to the values of these fields, see {@link RuleSource}.
 */
@SuppressWarnings("ImmutableEnumChecker") // It cannot see that the parts are immutable.
public enum RuleField {
  NAME("name", required(), new FieldType.Text(RuleName::problem)),

  PATH_PATTERN("pathPattern", optional(), new FieldType.Text(Coverage::pathProblem)),

  METHODS(
      "methods",
      byDefault(List.of()),
      new FieldType.Texts(0, Coverage.MAX_METHODS, Coverage::methodsProblem)),

  KEY_BY(
      "keyBy",
      byDefault(List.of(new KeyPart.Ip().text())),
      new FieldType.Texts(1, Coverage.MAX_KEY_PARTS, Coverage::keyByProblem)),

  ALGORITHM(
      "algorithm",
      byDefault(FIXED_WINDOW.name()),
      FieldType.Choice.inUpperCase(RuleAlgorithm.values())),

  ALLOWED_REQUESTS(
      "allowedRequests",
      required(),
      new FieldType.Whole(1, FixedWindow.MAX_LIMIT),
      FIXED_WINDOW,
      SLIDING_WINDOW),

  WINDOW_SECONDS(
      "windowSeconds",
      required(),
      new FieldType.Seconds(Limit.MIN_DURATION_MICROS, Limit.MAX_DURATION_MICROS),
      FIXED_WINDOW,
      SLIDING_WINDOW),

  ALIGNED("aligned", byDefault(false), new FieldType.Flag(), FIXED_WINDOW),

  CAPACITY("capacity", required(), new FieldType.Whole(1, TokenBucket.MAX_CAPACITY), TOKEN_BUCKET),

  REFILL_RATE("refillRate", required(), new FieldType.Rate(), TOKEN_BUCKET),

  MAX_CONCURRENT(
      "maxConcurrent", required(), new FieldType.Whole(1, Concurrency.MAX_PLACES), CONCURRENCY),

  /**
   * The default is long enough for the majority of requests; if Weir sees that a request takes
   * longer, it renews the lease.
   */
  LEASE_TTL(
      "leaseTtl",
      byDefault(Duration.ofMinutes(1)),
      new FieldType.Period(Quota.Concurrent.MIN_LEASE, Micros.duration(Limit.MAX_DURATION_MICROS)),
      CONCURRENCY),

  QUEUE_ENABLED(
      "queueEnabled",
      byDefault(false),
      new FieldType.Flag(),
      FIXED_WINDOW,
      SLIDING_WINDOW,
      TOKEN_BUCKET),

  MAX_QUEUE_SIZE(
      "maxQueueSize",
      byDefault(BigDecimal.ZERO),
      new FieldType.Whole(0, Quota.QueueSettings.MAX_SIZE),
      FIXED_WINDOW,
      SLIDING_WINDOW,
      TOKEN_BUCKET),

  DELAY_PER_REQUEST_MS(
      "delayPerRequestMs",
      byDefault(BigDecimal.valueOf(100)),
      new FieldType.Whole(1, Quota.QueueSettings.MAX_DELAY_MILLIS),
      FIXED_WINDOW,
      SLIDING_WINDOW,
      TOKEN_BUCKET),

  PRIORITY(
      "priority",
      byDefault(BigDecimal.ZERO),
      new FieldType.Whole(-RuleSpec.MAX_PRIORITY, RuleSpec.MAX_PRIORITY)),

  MODE(
      "mode",
      byDefault(FieldType.Choice.lower(RuleSpec.Mode.ENFORCE)),
      FieldType.Choice.inLowerCase(RuleSpec.Mode.values())),

  ACTIVE("active", byDefault(true), new FieldType.Flag()),

  ON_STORE_FAILURE(
      "onStoreFailure",
      byDefault(FieldType.Choice.lower(OnStoreFailure.CLOSED)),
      FieldType.Choice.inLowerCase(OnStoreFailure.values()));

  /** Whether a field may be absent, and what it is then. */
  private sealed interface Presence {
    record Required() implements Presence {}

    record Optional() implements Presence {}

    record Default(Object value) implements Presence {}
  }

  private final String fieldName;
  private final Presence presence;
  private final FieldType type;
  private final Set<RuleAlgorithm> algorithms;

  RuleField(String fieldName, Presence presence, FieldType type) {
    this(fieldName, presence, type, RuleAlgorithm.values());
  }

  RuleField(String fieldName, Presence presence, FieldType type, RuleAlgorithm... algorithms) {
    this.fieldName = fieldName;
    this.presence = presence;
    this.type = type;
    this.algorithms = Collections.unmodifiableSet(EnumSet.of(algorithms[0], algorithms));
  }

  private static Presence required() {
    return new Presence.Required();
  }

  private static Presence optional() {
    return new Presence.Optional();
  }

  private static Presence byDefault(Object value) {
    return new Presence.Default(value);
  }

  /** Returns the name of the field in JSON. */
  public String fieldName() {
    return fieldName;
  }

  public FieldType type() {
    return type;
  }

  /** Returns the type in rules with an algorithm, whose bounds may be narrower. */
  public FieldType type(RuleAlgorithm algorithm) {
    if (this == ALLOWED_REQUESTS && algorithm == SLIDING_WINDOW) {
      return new FieldType.Whole(1, SlidingWindow.MAX_LIMIT);
    }
    // A lease has no share per node and no second store.
    return this == ON_STORE_FAILURE && algorithm == CONCURRENCY
        ? FieldType.Choice.inLowerCase(OnStoreFailure.CLOSED, OnStoreFailure.OPEN)
        : type;
  }

  /** Returns true if rules with this algorithm have the field. */
  public boolean appliesTo(RuleAlgorithm algorithm) {
    return algorithms.contains(algorithm);
  }

  /** Returns true if rules with any algorithm have the field. */
  boolean isCommon() {
    return algorithms.size() == RuleAlgorithm.values().length;
  }

  /** Returns true if a rule that the field belongs to must have it. */
  public boolean isRequired() {
    return presence instanceof Presence.Required;
  }

  /** Returns the value of an absent field, or null if it has none. */
  public @Nullable Object defaultValue() {
    return presence instanceof Presence.Default given ? given.value() : null;
  }

  /**
   * Checks a value.
   *
   * @throws IllegalArgumentException if it is invalid, naming the field
   */
  void require(Object value) {
    require(value, type);
  }

  /** Does the same as {@link #require(Object)} for a rule with an algorithm. */
  void require(Object value, RuleAlgorithm algorithm) {
    require(value, type(algorithm));
  }

  private void require(Object value, FieldType narrowed) {
    narrowed
        .problem(value)
        .ifPresent(
            problem -> {
              throw new IllegalArgumentException(fieldName + " " + problem.message());
            });
  }
}
