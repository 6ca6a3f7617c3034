package dev.weir.server.rules;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.core.Micros;
import dev.weir.core.limits.Concurrency;
import dev.weir.core.limits.FixedWindow;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.SlidingWindow;
import dev.weir.core.limits.TokenBucket;
import dev.weir.engine.limits.OnStoreFailure;
import dev.weir.engine.rules.Coverage;
import dev.weir.engine.rules.PolicyText;
import dev.weir.engine.rules.Quota;
import dev.weir.engine.rules.Rule;
import dev.weir.engine.rules.RuleSpec;
import dev.weir.server.http.Fields;
import dev.weir.server.http.Json;
import dev.weir.server.http.ProblemException;
import dev.weir.server.http.Snippet;
import dev.weir.server.http.TokenBucketJson;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;

/** Reads and writes rules as JSON. */
final class RuleJson {
  static final int LONGEST_NAME = 100;

  /** The prefix of the names of policies that are not rules. */
  private static final String RESERVED = "weir:";

  private static final BigDecimal SHORTEST_SECONDS =
      BigDecimal.valueOf(Limit.MIN_DURATION_MICROS, 6).stripTrailingZeros();
  private static final BigDecimal LONGEST_SECONDS =
      BigDecimal.valueOf(Limit.MAX_DURATION_MICROS / Micros.PER_SECOND);

  /**
   * Long enough for the majority of requests; if Weir sees that a request takes longer, it renews
   * the lease.
   */
  private static final Duration DEFAULT_LEASE = Duration.ofMinutes(1);

  /** A placeholder for a limit that is invalid. */
  private static final Limit NONE = new FixedWindow(1, 1_000, FixedWindow.Start.EPOCH);

  private RuleJson() {}

  private enum Algorithm {
    FIXED_WINDOW,
    SLIDING_WINDOW,
    TOKEN_BUCKET,
    CONCURRENCY
  }

  /**
   * Reads the spec of a rule.
   *
   * @throws ProblemException if they are invalid, naming every invalid field
   */
  static RuleSpec read(Object document) {
    Fields fields = Fields.of(document);
    String name = fields.required("name", fields.text("name")).orElse("");
    if (!fields.isWrong("name")) {
      nameProblem(name).ifPresent(problem -> fields.wrong("name", problem));
    }
    Algorithm algorithm =
        fields.choice("algorithm", Algorithm.values(), Enum::name).orElse(Algorithm.FIXED_WINDOW);
    // The fields depend on the algorithm.
    Quota quota =
        fields.isWrong("algorithm")
            ? skip(fields)
            : switch (algorithm) {
              case FIXED_WINDOW -> new Quota.Rate(fixedWindow(fields), waiting(fields));
              case SLIDING_WINDOW -> new Quota.Rate(slidingWindow(fields), waiting(fields));
              case TOKEN_BUCKET -> new Quota.Rate(bucket(fields), waiting(fields));
              case CONCURRENCY -> together(fields);
            };
    Coverage coverage = CoverageJson.read(fields);
    int priority =
        fields
            .whole("priority", -RuleSpec.MAX_PRIORITY, RuleSpec.MAX_PRIORITY)
            .orElse(0L)
            .intValue();
    Rule.Mode mode = fields.choice("mode", Rule.Mode.values()).orElse(Rule.Mode.ENFORCE);
    boolean active = fields.flag("active").orElse(true);
    OnStoreFailure failure = failure(fields, algorithm);
    fields.refuseOthers();
    fields.throwIfWrong();
    return new RuleSpec(name, coverage, quota, failure, priority, mode, active);
  }

  /** Reads the behavior on a store failure. A lease has no share per node and no fallback store. */
  private static OnStoreFailure failure(Fields fields, Algorithm algorithm) {
    OnStoreFailure[] choices =
        algorithm == Algorithm.CONCURRENCY
            ? new OnStoreFailure[] {OnStoreFailure.CLOSED, OnStoreFailure.OPEN}
            : OnStoreFailure.values();
    return fields.choice("onStoreFailure", choices).orElse(OnStoreFailure.CLOSED);
  }

  /** Reads the settings of a queue. Absent fields have their defaults. */
  static Quota.Waiting waiting(Fields fields) {
    return waiting(fields, Quota.Waiting.NONE);
  }

  /** Reads the settings of a queue. Absent fields keep their previous values. */
  static Quota.Waiting waiting(Fields fields, Quota.Waiting before) {
    boolean isEnabled = fields.flag("queueEnabled").orElse(before.isEnabled());
    int maxSize =
        fields
            .whole("maxQueueSize", 0, Quota.Waiting.MAX_WAITING)
            .map(Long::intValue)
            .orElse(before.maxSize());
    if (isEnabled && maxSize == 0 && !fields.isWrong("maxQueueSize")) {
      fields.wrong("maxQueueSize", "must be at least 1 where queueEnabled is true");
    }
    return new Quota.Waiting(
        isEnabled,
        maxSize,
        fields
            .whole("delayPerRequestMs", 1, Quota.Waiting.MAX_DELAY_MILLIS)
            .orElse(before.delayMillis()));
  }

  private static Quota together(Fields fields) {
    int max =
        fields
            .required("maxConcurrent", fields.whole("maxConcurrent", 1, Concurrency.MAX_PLACES))
            .orElse(1L)
            .intValue();
    Duration ttl = fields.duration("leaseTtl").orElse(DEFAULT_LEASE);
    try {
      return new Quota.Together(Concurrency.of(max, ttl));
    } catch (IllegalArgumentException e) {
      fields.wrong("leaseTtl", Snippet.of(String.valueOf(e.getMessage())));
      return new Quota.Together(Concurrency.of(max, DEFAULT_LEASE));
    }
  }

  private static Optional<String> nameProblem(String name) {
    if (name.isBlank()) {
      return Optional.of("must not be empty");
    }
    if (name.length() > LONGEST_NAME) {
      return Optional.of(
          "must be at most %d characters, not %d".formatted(LONGEST_NAME, name.length()));
    }
    if (!PolicyText.isPrintable(name) || !name.strip().equals(name)) {
      return Optional.of("must be printable ASCII, without a space at its ends");
    }
    return name.startsWith(RESERVED)
        ? Optional.of("must not begin with " + RESERVED)
        : Optional.empty();
  }

  private static Quota skip(Fields fields) {
    fields.number("allowedRequests");
    fields.number("windowSeconds");
    fields.flag("aligned");
    fields.number(TokenBucketJson.CAPACITY);
    fields.number(TokenBucketJson.REFILL_RATE);
    fields.number("maxConcurrent");
    fields.text("leaseTtl");
    waiting(fields);
    return Quota.Rate.of(NONE);
  }

  private static Limit fixedWindow(Fields fields) {
    long most = most(fields, "allowedRequests", FixedWindow.MAX_LIMIT);
    long windowMicros = windowMicros(fields);
    boolean aligned = fields.flag("aligned").orElse(false);
    return new FixedWindow(
        most, windowMicros, aligned ? FixedWindow.Start.EPOCH : FixedWindow.Start.FIRST_USE);
  }

  private static Limit slidingWindow(Fields fields) {
    return new SlidingWindow(
        most(fields, "allowedRequests", SlidingWindow.MAX_LIMIT), windowMicros(fields));
  }

  private static Limit bucket(Fields fields) {
    return TokenBucketJson.read(fields).map(Limit.class::cast).orElse(NONE);
  }

  private static long most(Fields fields, String name, long largest) {
    return fields.required(name, fields.whole(name, 1, largest)).orElse(1L);
  }

  private static long windowMicros(Fields fields) {
    String name = "windowSeconds";
    Optional<BigDecimal> seconds = fields.required(name, fields.number(name));
    if (seconds.isEmpty()) {
      return Limit.MIN_DURATION_MICROS;
    }
    BigDecimal given = seconds.get();
    // Compare first: a number with a huge exponent must not be expanded.
    if (given.compareTo(SHORTEST_SECONDS) >= 0 && given.compareTo(LONGEST_SECONDS) <= 0) {
      try {
        return given.movePointRight(6).longValueExact();
      } catch (ArithmeticException e) {
        fields.wrong(name, "must be whole microseconds");
        return Limit.MIN_DURATION_MICROS;
      }
    }
    fields.wrong(
        name,
        "must be from %s to %s, not %s"
            .formatted(
                SHORTEST_SECONDS.toPlainString(),
                LONGEST_SECONDS.toPlainString(),
                Snippet.of(given.toString())));
    return Limit.MIN_DURATION_MICROS;
  }

  /** Writes a stored rule into an open object. */
  static void writeMembers(JsonGenerator json, Rule rule) throws IOException {
    RuleSpec spec = rule.spec();
    json.writeNumberField("id", rule.id());
    json.writeStringField("name", spec.name());
    CoverageJson.write(json, spec.coverage());
    switch (spec.quota()) {
      case Quota.Rate rate -> {
        write(json, rate.limit());
        json.writeBooleanField("queueEnabled", rate.waiting().isEnabled());
        json.writeNumberField("maxQueueSize", rate.waiting().maxSize());
        json.writeNumberField("delayPerRequestMs", rate.waiting().delayMillis());
      }
      case Quota.Together together -> {
        json.writeStringField("algorithm", Algorithm.CONCURRENCY.name());
        json.writeNumberField("maxConcurrent", together.concurrency().max());
        json.writeStringField(
            "leaseTtl", Micros.duration(together.concurrency().ttlMicros()).toString());
      }
    }
    json.writeNumberField("priority", spec.priority());
    json.writeStringField("mode", Fields.lower(spec.mode()));
    json.writeBooleanField("active", spec.isActive());
    json.writeStringField("onStoreFailure", Fields.lower(spec.onStoreFailure()));
    json.writeNumberField("version", rule.version());
    json.writeStringField("createdAt", rule.createdAt().toString());
    json.writeStringField("updatedAt", rule.updatedAt().toString());
  }

  private static void write(JsonGenerator json, Limit limit) throws IOException {
    switch (limit) {
      case FixedWindow window -> {
        json.writeStringField("algorithm", Algorithm.FIXED_WINDOW.name());
        json.writeNumberField("allowedRequests", window.limit());
        Json.writeSeconds(json, "windowSeconds", window.windowMicros());
        json.writeBooleanField("aligned", window.start() == FixedWindow.Start.EPOCH);
      }
      case SlidingWindow window -> {
        json.writeStringField("algorithm", Algorithm.SLIDING_WINDOW.name());
        json.writeNumberField("allowedRequests", window.limit());
        Json.writeSeconds(json, "windowSeconds", window.windowMicros());
      }
      case TokenBucket bucket -> {
        json.writeStringField("algorithm", Algorithm.TOKEN_BUCKET.name());
        TokenBucketJson.writeCapacity(json, bucket);
        TokenBucketJson.writeRefillRate(json, bucket);
      }
    }
  }
}
