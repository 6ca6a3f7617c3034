package dev.weir.limits;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;

/**
 * Identifies a request by its content: 128 bits of SHA-256 over names, keys and costs, in order.
 * Two requests with the same digest are the same request.
 *
 * <p>Only what the caller sends is included: a rule that an administrator changes in the meantime
 * does not make it a different request.
 */
public record RequestDigest(long high, long low) {
  /** The digest of a request without an id, which is never compared. */
  static final RequestDigest NONE = new RequestDigest(0, 0);

  /** One item of a request. */
  public record Part(String name, String key, long cost) {}

  public static RequestDigest of(List<Part> parts) {
    MessageDigest sha256 = sha256();
    for (Part part : parts) {
      // Lengths come first, so that no two lists of parts are the same bytes.
      int chars = part.name().length() + part.key().length();
      ByteBuffer bytes = ByteBuffer.allocate(2 * Integer.BYTES + Long.BYTES + 2 * chars);
      bytes.putInt(part.name().length()).putInt(part.key().length()).putLong(part.cost());
      bytes.asCharBuffer().put(part.name()).put(part.key());
      sha256.update(bytes.array());
    }
    ByteBuffer digest = ByteBuffer.wrap(sha256.digest());
    return new RequestDigest(digest.getLong(), digest.getLong());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
