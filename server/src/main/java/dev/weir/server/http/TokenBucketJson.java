package dev.weir.server.http;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.core.limits.TokenBucket;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.Optional;

/**
 * Reads and writes a token bucket as the members {@code capacity} and {@code refillRate} of a JSON
 * object.
 */
public final class TokenBucketJson {
  public static final String CAPACITY = "capacity";
  public static final String REFILL_RATE = "refillRate";

  private TokenBucketJson() {}

  /**
   * Reads both members. Returns empty if one is invalid, and records the violation in the fields.
   */
  public static Optional<TokenBucket> read(Fields fields) {
    long capacity =
        fields.required(CAPACITY, fields.whole(CAPACITY, 1, TokenBucket.MAX_CAPACITY)).orElse(1L);
    Optional<BigDecimal> rate = fields.required(REFILL_RATE, fields.number(REFILL_RATE));
    if (rate.isEmpty()) {
      return Optional.empty();
    }
    try {
      TokenBucket bucket = TokenBucket.perSecond(capacity, rate.get());
      return fields.isWrong(CAPACITY) ? Optional.empty() : Optional.of(bucket);
    } catch (IllegalArgumentException e) {
      fields.wrong(
          REFILL_RATE,
          "must be a number above 0 and at most %d, and not too slow to be counted, not %s"
              .formatted(TokenBucket.MAX_CAPACITY, Snippet.of(rate.get().toString())));
      return Optional.empty();
    }
  }

  public static void writeCapacity(JsonGenerator json, TokenBucket bucket) throws IOException {
    json.writeNumberField(CAPACITY, bucket.capacity());
  }

  public static void writeRefillRate(JsonGenerator json, TokenBucket bucket) throws IOException {
    json.writeFieldName(REFILL_RATE);
    json.writeNumber(bucket.perSecond().toPlainString());
  }
}
