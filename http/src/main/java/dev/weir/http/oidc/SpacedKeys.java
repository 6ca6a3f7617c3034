package dev.weir.http.oidc;

import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSetCacheRefreshEvaluator;
import com.nimbusds.jose.jwk.source.JWKSetSource;
import com.nimbusds.jose.jwk.source.JWKSetUnavailableException;
import com.nimbusds.jose.jwk.source.RateLimitReachedException;
import com.nimbusds.jose.proc.SecurityContext;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads the keys of an issuer at most once per {@link #SPACING}, however many tokens with an
 * unknown key arrive.
 *
 * <p>A token that arrives too early waits for the next read and is not refused: anyone can send
 * tokens with unknown keys, and must not be able to prevent a new key of the issuer from being
 * found. All waiting tokens share one read, because the cache above reads with one thread. After a
 * failed read no token waits, because an unavailable issuer would otherwise delay every caller.
 */
final class SpacedKeys implements JWKSetSource<SecurityContext> {
  /** Min time between the starts of two reads. */
  static final Duration SPACING = Duration.ofSeconds(1);

  /** Time without another attempt after a failed read. */
  static final Duration AFTER_FAILURE = Duration.ofSeconds(5);

  private final IssuerKeys keys;

  /**
   * Volatile because the cache calls with one thread at a time, but not always with the same one.
   */
  private volatile long notBeforeNanos = System.nanoTime();

  private volatile boolean hasFailed;

  SpacedKeys(IssuerKeys keys) {
    this.keys = keys;
  }

  @Override
  public JWKSet getJWKSet(
      JWKSetCacheRefreshEvaluator evaluator, long nowMillis, @Nullable SecurityContext context)
      throws KeySourceException {
    long earlyNanos = notBeforeNanos - System.nanoTime();
    if (earlyNanos > 0) {
      if (hasFailed) {
        throw new RateLimitReachedException();
      }
      await(earlyNanos);
    }
    hasFailed = true;
    notBeforeNanos = System.nanoTime() + SPACING.toNanos();
    try {
      JWKSet read = keys.getJWKSet(evaluator, nowMillis, context);
      hasFailed = false;
      return read;
    } finally {
      if (hasFailed) {
        notBeforeNanos = System.nanoTime() + AFTER_FAILURE.toNanos();
      }
    }
  }

  private static void await(long nanos) throws JWKSetUnavailableException {
    try {
      TimeUnit.NANOSECONDS.sleep(nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new JWKSetUnavailableException("interrupted", e);
    }
  }

  @Override
  public void close() {
    keys.close();
  }
}
