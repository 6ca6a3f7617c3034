package dev.weir.payments.simulator;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The first 128 bits of SHA-256. It stands for a payment id or a payment, so that remembering one
 * takes the same space whatever its length.
 */
record Digest(long high, long low) {

  static Digest of(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8));
  }

  static Digest of(byte[] bytes) {
    try {
      ByteBuffer digest = ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(bytes));
      return new Digest(digest.getLong(), digest.getLong());
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java platform has SHA-256", impossible);
    }
  }

  /**
   * Reads the digits of {@link #digits}.
   *
   * @throws IllegalArgumentException if they are none
   */
  static Digest ofDigits(String digits) {
    if (digits.length() != 32) {
      throw new IllegalArgumentException("a digest has 32 digits, not " + digits.length());
    }
    return new Digest(
        HexFormat.fromHexDigitsToLong(digits, 0, 16),
        HexFormat.fromHexDigitsToLong(digits, 16, 32));
  }

  String digits() {
    return HexFormat.of().toHexDigits(high) + HexFormat.of().toHexDigits(low);
  }
}
