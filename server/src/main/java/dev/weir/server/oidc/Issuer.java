package dev.weir.server.oidc;

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
import java.text.ParseException;
import java.time.Duration;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An OpenID Connect issuer, by whose tokens callers show who they are. It is asked for its keys
 * when a token needs one, never for a token. Safe for use by many threads.
 */
public final class Issuer {
  private static final Logger log = LoggerFactory.getLogger(Issuer.class);

  private static final Duration CLOCK_SKEW = Duration.ofMinutes(1);
  private static final Duration KEYS_KEPT = Duration.ofMinutes(5);

  /** How long known keys serve while the issuer is gone; as long, a withdrawn one may do harm. */
  private static final Duration KEYS_KEPT_IN_OUTAGE = Duration.ofHours(1);

  /** Within which the issuer is asked twice at most, however many strange tokens come. */
  private static final Duration BETWEEN_QUESTIONS = Duration.ofSeconds(10);

  private static final Set<JWSAlgorithm> ALGORITHMS =
      Set.of(JWSAlgorithm.RS256, JWSAlgorithm.ES256);

  private final String adminRole;
  private final IssuerKeys keys;
  private final DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();

  /**
   * Asks nobody anything yet.
   *
   * @param address as it stands in tokens, letter by letter
   * @param audience for whom tokens have to be
   * @param adminRole whose bearers are administrators
   */
  public Issuer(String address, String audience, String adminRole) {
    this.adminRole = adminRole;
    this.keys = new IssuerKeys(address);
    processor.setJWSTypeVerifier(
        new DefaultJOSEObjectTypeVerifier<>(
            JOSEObjectType.JWT, new JOSEObjectType("at+jwt"), null));
    processor.setJWSKeySelector(new JWSVerificationKeySelector<>(ALGORITHMS, cached(keys)));
    DefaultJWTClaimsVerifier<SecurityContext> claims =
        new DefaultJWTClaimsVerifier<>(
            audience, new JWTClaimsSet.Builder().issuer(address).build(), Set.of("exp"));
    claims.setMaxClockSkew((int) CLOCK_SKEW.toSeconds());
    processor.setJWTClaimsSetVerifier(claims);
  }

  private static JWKSource<SecurityContext> cached(IssuerKeys keys) {
    return JWKSourceBuilder.create(keys)
        .cache(KEYS_KEPT.toMillis(), IssuerKeys.PATIENCE.plusSeconds(1).toMillis())
        .refreshAheadCache(false)
        .rateLimited(BETWEEN_QUESTIONS.toMillis())
        .outageTolerant(KEYS_KEPT_IN_OUTAGE.toMillis())
        .build();
  }

  /** Judges a token. Waits for the issuer, for seconds at most, if its keys have to be read. */
  public Verdict judge(String token) {
    try {
      JWTClaimsSet claims = processor.process(token, null);
      String subject = claims.getSubject();
      return new Verdict.Vouched(
          subject == null ? "" : subject, Roles.of(claims).contains(adminRole));
    } catch (RateLimitReachedException e) {
      // Signed by none of the known keys, unless none is known.
      return keys.wereReadWithin(KEYS_KEPT_IN_OUTAGE)
          ? new Verdict.Invalid()
          : new Verdict.Unknown();
    } catch (KeySourceException e) {
      log.warn("The issuer's keys cannot be read: {}", e.getMessage());
      return new Verdict.Unknown();
    } catch (ParseException | BadJOSEException | JOSEException e) {
      log.debug("A token is refused: {}", e.getMessage());
      return new Verdict.Invalid();
    }
  }
}
