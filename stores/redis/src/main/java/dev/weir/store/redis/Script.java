package dev.weir.store.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A script, by its text and by the digest under which Redis remembers it.
 *
 * @param digest SHA-1 in hex, as Redis wants it
 */
record Script(String text, String digest) {
  static final Script LIMITS = read("limits.lua");
  static final Script LEASES = read("leases.lua");

  private static Script read(String name) {
    try (InputStream in = Script.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException(name + " is missing from the jar");
      }
      byte[] bytes = in.readAllBytes();
      byte[] digest = MessageDigest.getInstance("SHA-1").digest(bytes);
      return new Script(
          new String(bytes, StandardCharsets.UTF_8), HexFormat.of().formatHex(digest));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
