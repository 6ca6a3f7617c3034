package dev.weir.payments.workflows;

import dev.weir.payments.FeedRecord;
import dev.weir.payments.Payment;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;

/**
 * A digest of the records of a feed, to tell whether a feed that is sent again is the same one. It
 * is of what they say, so a feed that was compressed, or whose columns have another order, is still
 * the same. Not thread-safe.
 */
final class FeedDigest {
  private final MessageDigest digest;
  private final StringBuilder text = new StringBuilder();

  FeedDigest() {
    try {
      this.digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java runtime has SHA-256", e);
    }
  }

  /** Adds a record, as it is in the feed. */
  void add(FeedRecord record) {
    text.setLength(0);
    text.append(record.line()).append('\n');
    switch (record) {
      case FeedRecord.Accepted accepted -> add(accepted.payment());
      // Not the reason: another version of Weir may word it differently.
      case FeedRecord.Rejected rejected -> add(rejected.record());
    }
    digest.update(text.toString().getBytes(StandardCharsets.UTF_8));
  }

  private void add(Payment payment) {
    add(payment.paymentId());
    add(payment.amount().stripTrailingZeros().toPlainString());
    add(payment.currency());
    add(payment.debtorAccount());
    add(payment.creditorAccount());
    add(payment.requestedTime().map(Instant::toString).orElse(""));
    add(payment.reference());
    add(payment.configName());
  }

  /** The length tells where a field ends. */
  private void add(String field) {
    text.append(field.length()).append(':').append(field);
  }

  /** Returns the digest of all records that were added. Nothing can be added after that. */
  String value() {
    return HexFormat.of().formatHex(digest.digest());
  }
}
