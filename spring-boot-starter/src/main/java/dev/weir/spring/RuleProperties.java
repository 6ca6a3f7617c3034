package dev.weir.spring;

import dev.weir.limits.OnStoreFailure;
import dev.weir.rules.spec.RefillRate;
import dev.weir.rules.spec.RuleAlgorithm;
import dev.weir.rules.spec.RuleField;
import dev.weir.rules.spec.RuleSource;
import dev.weir.rules.spec.RuleSpec;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A rule in the properties, with the same fields as in the REST API: {@link RuleField} defines
 * their bounds and defaults.
 *
 * @param name Unique name, 1 to 100 printable ASCII characters.
 * @param pathPattern Paths of the requests that the rule covers, such as /api/orders/**, with the
 *     context path. May be left out if a method has {@link RateLimited} with it.
 * @param methods Methods of the requests that the rule covers. All by default.
 * @param keyBy What requests are counted by: ip, path, global, header:Name, or several of them. ip
 *     by default.
 * @param algorithm How the rule limits. FIXED_WINDOW by default.
 * @param allowedRequests Max requests in a window, of FIXED_WINDOW and SLIDING_WINDOW.
 * @param windowSeconds Length of a window in seconds, of FIXED_WINDOW and SLIDING_WINDOW.
 * @param aligned Whether windows of FIXED_WINDOW begin at multiples of their length. False by
 *     default: they begin with the first request.
 * @param capacity Max tokens of TOKEN_BUCKET.
 * @param refillRate Tokens per second that are added to TOKEN_BUCKET.
 * @param maxConcurrent Max requests at the same time, of CONCURRENCY.
 * @param leaseTtl Time after which the place of a request is free if the service dies, of
 *     CONCURRENCY. 1 minute by default.
 * @param queueEnabled Whether requests beyond the limit may wait. False by default.
 * @param maxQueueSize Max requests that wait at the same time. At least 1 if queueEnabled is true.
 * @param delayPerRequestMs Milliseconds that each waiting request waits longer than the one before.
 *     100 by default.
 * @param priority Of the rules that cover a request, those with the highest priority apply. 0 by
 *     default.
 * @param mode Whether the rule refuses requests, or only counts those that it would refuse. ENFORCE
 *     by default.
 * @param active Whether the rule applies at all. True by default.
 * @param onStoreFailure What the rule does while Redis is unavailable: closed, open or local.
 *     closed by default.
 */
public record RuleProperties(
    @Nullable String name,
    @Nullable String pathPattern,
    @Nullable List<String> methods,
    @Nullable List<String> keyBy,
    @Nullable RuleAlgorithm algorithm,
    @Nullable Long allowedRequests,
    @Nullable BigDecimal windowSeconds,
    @Nullable Boolean aligned,
    @Nullable Long capacity,
    @Nullable BigDecimal refillRate,
    @Nullable Long maxConcurrent,
    @Nullable Duration leaseTtl,
    @Nullable Boolean queueEnabled,
    @Nullable Long maxQueueSize,
    @Nullable Long delayPerRequestMs,
    @Nullable Long priority,
    RuleSpec.@Nullable Mode mode,
    @Nullable Boolean active,
    @Nullable OnStoreFailure onStoreFailure)
    implements RuleSource {

  @Override
  public @Nullable Object value(RuleField field) {
    return switch (field) {
      case NAME -> name;
      case PATH_PATTERN -> pathPattern;
      case METHODS -> methods;
      case KEY_BY -> keyBy;
      case ALGORITHM -> algorithm == null ? null : algorithm.name();
      case ALLOWED_REQUESTS -> number(allowedRequests);
      case WINDOW_SECONDS -> windowSeconds;
      case ALIGNED -> aligned;
      case CAPACITY -> number(capacity);
      case REFILL_RATE -> refillRate == null ? null : new RefillRate.PerSecond(refillRate);
      case MAX_CONCURRENT -> number(maxConcurrent);
      case LEASE_TTL -> leaseTtl;
      case QUEUE_ENABLED -> queueEnabled;
      case MAX_QUEUE_SIZE -> number(maxQueueSize);
      case DELAY_PER_REQUEST_MS -> number(delayPerRequestMs);
      case PRIORITY -> number(priority);
      case MODE -> lower(mode);
      case ACTIVE -> active;
      case ON_STORE_FAILURE -> lower(onStoreFailure);
    };
  }

  private static @Nullable BigDecimal number(@Nullable Long value) {
    return value == null ? null : BigDecimal.valueOf(value);
  }

  private static @Nullable String lower(@Nullable Enum<?> constant) {
    return constant == null ? null : constant.name().toLowerCase(Locale.ROOT);
  }
}
