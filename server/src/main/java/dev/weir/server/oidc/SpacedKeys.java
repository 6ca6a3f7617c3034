package dev.weir.server.oidc;

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
 * Keys of an issuer, read at most once per {@link #SPACING}, however many tokens with an unknown
 * key arrive.
 *
 * <p>A token that comes too early waits for the next reading, and is not refused: anyone can send
 * tokens with unknown keys, and must not be able to keep a new key of the issuer from being found.
 * All tokens that wait share one reading, because the cache above reads with one thread. After a
 * failed reading none waits, or an issuer that is gone would hold up every caller.
 */
final class SpacedKeys implements JWKSetSource<SecurityContext> {
  /** Between the starts of two readings. */
  static final Duration SPACING = Duration.ofSeconds(1);

  /** For which no reading is tried after one that failed. */
  static final Duration AFTER_FAILURE = Duration.ofSeconds(5);

  private final IssuerKeys keys;

  /** The cache calls with one thread at a time, but not always with the same one. */
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
