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
  static final Script LIMITS = of("limits.lua");
  static final Script LEASES = of("leases.lua");
  static final Script MARK = of("mark.lua");
  static final Script LOOK = of("look.lua");

  /** All begin with what they share. */
  private static Script of(String name) {
    String text = read("marker.lua") + read(name);
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
      return new Script(text, HexFormat.of().formatHex(digest));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String read(String name) {
    try (InputStream in = Script.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException(name + " is missing from the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
