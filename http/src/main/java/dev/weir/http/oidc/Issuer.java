package dev.weir.http.oidc;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.jwk.source.RateLimitReachedException;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An OpenID Connect issuer whose tokens authenticate callers. The issuer is contacted for its keys
 * when a token needs one, never to check a token. Thread-safe.
 */
public final class Issuer {
  private static final Logger log = LoggerFactory.getLogger(Issuer.class);

  private static final Duration CLOCK_SKEW = Duration.ofMinutes(1);
  private static final Duration KEYS_KEPT = Duration.ofMinutes(5);

  /**
   * How long known keys are used while the issuer is unavailable; a withdrawn key remains valid for
   * as long.
   */
  private static final Duration KEYS_KEPT_IN_OUTAGE = Duration.ofHours(1);

  private static final Duration WARNING_SPACING = Duration.ofSeconds(1);

  private static final Set<JWSAlgorithm> ALGORITHMS =
      Set.of(JWSAlgorithm.RS256, JWSAlgorithm.ES256);

  private final RoleClaim roleClaim;
  private final String adminRole;
  private final IssuerKeys keys;
  private final AtomicLong nextWarningNanos = new AtomicLong(System.nanoTime());
  private final DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();

  /**
   * Creates an issuer without contacting it.
   *
   * @param address the issuer exactly as it appears in tokens
   * @param audience the required audience of tokens
   * @param roleClaim the claim that contains the roles
   * @param adminRole the role of administrators
   * @param maxWait max time to read the keys of the issuer
   */
  public Issuer(
      String address, String audience, RoleClaim roleClaim, String adminRole, Duration maxWait) {
    this.roleClaim = roleClaim;
    this.adminRole = adminRole;
    this.keys = new IssuerKeys(address, maxWait);
    processor.setJWSTypeVerifier(
        new DefaultJOSEObjectTypeVerifier<>(
            JOSEObjectType.JWT,
            new JOSEObjectType("at+jwt"),
            new JOSEObjectType("application/at+jwt"),
            null));
    processor.setJWSKeySelector(
        new JWSVerificationKeySelector<>(ALGORITHMS, cached(keys, maxWait)));
    DefaultJWTClaimsVerifier<SecurityContext> claims =
        new DefaultJWTClaimsVerifier<>(
            audience, new JWTClaimsSet.Builder().issuer(address).build(), Set.of("exp"));
    claims.setMaxClockSkew((int) CLOCK_SKEW.toSeconds());
    processor.setJWTClaimsSetVerifier(claims);
  }

  private static JWKSource<SecurityContext> cached(IssuerKeys keys, Duration maxWait) {
    // Max time that a token waits for a key request that another token has started.
    Duration maxReading = SpacedKeys.SPACING.plus(maxWait).plusSeconds(1);
    return JWKSourceBuilder.create(new SpacedKeys(keys))
        .cache(KEYS_KEPT.toMillis(), maxReading.toMillis())
        .refreshAheadCache(false)
        .rateLimited(false)
        .outageTolerant(KEYS_KEPT_IN_OUTAGE.toMillis())
        .build();
  }

  /** Verifies a token. Waits for the issuer, up to {@code maxWait}, if its keys have to be read. */
  public Verdict judge(String token) {
    try {
      JWTClaimsSet claims = processor.process(token, null);
      String subject = claims.getSubject() == null ? "" : claims.getSubject();
      if (!isStorable(subject)) {
        log.debug("A token is refused: its subject contains NUL or is not Unicode text");
        return new Verdict.Invalid();
      }
      return new Verdict.Vouched(subject, roleClaim.roles(claims).contains(adminRole));
    } catch (RateLimitReachedException e) {
      // The issuer is unavailable. No known key has signed the token, unless no key is known.
      return keys.wereReadWithin(KEYS_KEPT_IN_OUTAGE)
          ? new Verdict.Invalid()
          : new Verdict.Unknown();
    } catch (KeySourceException e) {
      // Also if too many tokens wait for a key request, which anyone can cause.
      boolean areKeysKnown = keys.wereReadWithin(KEYS_KEPT_IN_OUTAGE);
      warn(e);
      return areKeysKnown ? new Verdict.Invalid() : new Verdict.Unknown();
    } catch (ParseException | BadJOSEException | JOSEException e) {
      log.debug("A token is refused: {}", e.getMessage());
      return new Verdict.Invalid();
    } catch (NullPointerException | ClassCastException | IllegalArgumentException e) {
      // The parser expects objects where the parts of a token may be any JSON.
      log.debug("A token is refused: its parts are not those of a token", e);
      return new Verdict.Invalid();
    }
  }

  /** Logs up to once per {@link #WARNING_SPACING}, because every token can cause it. */
  private void warn(KeySourceException failure) {
    long now = System.nanoTime();
    long next = nextWarningNanos.get();
    if (now - next >= 0 && nextWarningNanos.compareAndSet(next, now + WARNING_SPACING.toNanos())) {
      log.warn("The issuer's keys cannot be read: {}", failure.getMessage());
    }
  }

  /**
   * Returns true if the subject can be stored. It is stored with the changes that it makes, and no
   * database stores NUL or half a character.
   */
  private static boolean isStorable(String subject) {
    return subject.indexOf('\0') < 0 && StandardCharsets.UTF_8.newEncoder().canEncode(subject);
  }
}
