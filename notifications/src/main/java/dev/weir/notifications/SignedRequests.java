package dev.weir.notifications;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Requests between Weir and the receiver of a webhook, signed by a secret that both have. {@code
 * Weir-Signature} has {@code v1=} and the HMAC-SHA256, in hexadecimal, of the time stamp in {@code
 * Weir-Timestamp} (seconds since the epoch), a dot, and the body. A side that refuses old time
 * stamps cannot be fooled by a recorded request for long. Thread-safe.
 */
public final class SignedRequests {
  public static final String TIMESTAMP = "Weir-Timestamp";
  public static final String SIGNATURE = "Weir-Signature";

  /** How far the time stamp of a request may be from the clock. */
  public static final Duration MAX_AGE = Duration.ofMinutes(5);

  private static final String ALGORITHM = "HmacSHA256";

  private final String provider;
  private final byte[] secret;
  private final InstantSource clock;

  /**
   * Creates signatures by a secret.
   *
   * @param provider the name under which deliveries are recorded
   */
  public SignedRequests(String provider, String secret, InstantSource clock) {
    if (secret.isEmpty()) {
      throw new IllegalArgumentException("secret must not be empty");
    }
    this.provider = provider;
    this.secret = secret.getBytes(StandardCharsets.UTF_8);
    this.clock = clock;
  }

  /** Returns the name under which deliveries are recorded. */
  public String provider() {
    return provider;
  }

  /** Returns the time stamp of a request that is sent now. */
  public String timestamp() {
    return Long.toString(clock.instant().getEpochSecond());
  }

  /** Returns the signature of a time stamp and a body. */
  public String signature(String timestamp, byte[] body) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret, ALGORITHM));
      mac.update((timestamp + ".").getBytes(StandardCharsets.UTF_8));
      return "v1=" + HexFormat.of().formatHex(mac.doFinal(body));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }

  /** Whether a request comes from the other side. */
  public enum Verdict {
    VALID,
    /** It was signed by the other side, but too long ago, or its clock is wrong. */
    OLD,
    WRONG
  }

  /** Verifies a request by the values of its two headers. */
  public Verdict verify(String timestamp, String signature, byte[] body) {
    byte[] expected = signature(timestamp, body).getBytes(StandardCharsets.UTF_8);
    // In a time that does not depend on how much of it is right.
    if (!MessageDigest.isEqual(expected, signature.getBytes(StandardCharsets.UTF_8))) {
      return Verdict.WRONG;
    }
    return isRecent(timestamp) ? Verdict.VALID : Verdict.OLD;
  }

  private boolean isRecent(String timestamp) {
    if (!timestamp.matches("[0-9]{1,12}")) {
      return false;
    }
    Instant at = Instant.ofEpochSecond(Long.parseLong(timestamp));
    return Duration.between(at, clock.instant()).abs().compareTo(MAX_AGE) <= 0;
  }
}
