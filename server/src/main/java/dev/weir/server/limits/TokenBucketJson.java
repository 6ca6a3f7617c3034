package dev.weir.server.limits;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.http.fields.Fields;
import dev.weir.http.json.Snippet;
import dev.weir.limits.TokenBucket;
import dev.weir.rules.spec.RefillRate;
import dev.weir.rules.spec.RuleField;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.Optional;

/**
 * Reads and writes a token bucket as the members {@code capacity} and {@code refillRate} of a JSON
 * object, the same as those of a rule.
 */
final class TokenBucketJson {
  static final String CAPACITY = RuleField.CAPACITY.fieldName();
  static final String REFILL_RATE = RuleField.REFILL_RATE.fieldName();

  private TokenBucketJson() {}

  /**
   * Reads both members. Returns empty if one is invalid, and records the violation in the fields.
   */
  static Optional<TokenBucket> read(Fields fields) {
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
          REFILL_RATE, RefillRate.REQUIREMENT + ", not " + Snippet.of(rate.get().toString()));
      return Optional.empty();
    }
  }

  static void writeCapacity(JsonGenerator json, TokenBucket bucket) throws IOException {
    json.writeNumberField(CAPACITY, bucket.capacity());
  }

  static void writeRefillRate(JsonGenerator json, TokenBucket bucket) throws IOException {
    json.writeFieldName(REFILL_RATE);
    json.writeNumber(bucket.perSecond().toPlainString());
  }
}
