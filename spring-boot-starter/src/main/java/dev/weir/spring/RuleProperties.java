package dev.weir.spring;

import dev.weir.engine.limits.OnStoreFailure;
import dev.weir.engine.rules.Rule;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * A rule as properties have it, with the fields that it has over REST.
 *
 * @param name printable ASCII, different from all others
 * @param pathPattern which paths it covers, such as /api/orders/**; of the whole path, with the
 *     context path
 * @param methods which methods it covers; none for all
 * @param keyBy by what requests are told apart: ip, path, global, header:Name
 * @param algorithm how it counts
 * @param allowedRequests so many in a window
 * @param windowSeconds how long a window is
 * @param aligned whether fixed windows begin at whole multiples of their length
 * @param capacity what a token bucket holds
 * @param refillRate tokens a second
 * @param maxConcurrent so many at the same time
 * @param leaseTtl how long the place of a request stays taken if this service dies
 * @param queueEnabled whether requests beyond the limit may wait
 * @param maxQueueSize so many at most
 * @param delayPerRequestMs how long each of them waits more than the one before it
 * @param priority of the rules that cover a request, those with the highest apply
 * @param mode whether it refuses, or only counts
 * @param active whether it applies at all
 * @param onStoreFailure what holds while Redis is gone
 */
public record RuleProperties(
    @Nullable String name,
    @Nullable String pathPattern,
    @DefaultValue List<String> methods,
    @DefaultValue("ip") List<String> keyBy,
    @DefaultValue("fixed-window") Algorithm algorithm,
    @Nullable Long allowedRequests,
    @Nullable BigDecimal windowSeconds,
    @Nullable Boolean aligned,
    @Nullable Long capacity,
    @Nullable BigDecimal refillRate,
    @Nullable Integer maxConcurrent,
    @Nullable Duration leaseTtl,
    @Nullable Boolean queueEnabled,
    @Nullable Integer maxQueueSize,
    @Nullable Long delayPerRequestMs,
    @DefaultValue("0") int priority,
    @DefaultValue("enforce") Rule.Mode mode,
    @DefaultValue("true") boolean active,
    @DefaultValue("closed") OnStoreFailure onStoreFailure) {

  /** How a rule counts. */
  public enum Algorithm {
    /** So many in a window, which starts anew when it is over. */
    FIXED_WINDOW,
    /**
     * Up to {@code allowedRequests} in a window that slides, approximately: up to nearly twice that
     * in the worst window.
     */
    SLIDING_WINDOW,
    /** A bucket that is refilled steadily. */
    TOKEN_BUCKET,
    /** So many at the same time. */
    CONCURRENCY
  }
}
