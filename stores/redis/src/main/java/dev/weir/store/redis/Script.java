package dev.weir.store.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A Lua script and the digest by which Redis caches it.
 *
 * @param digest SHA-1 in hexadecimal, as {@code EVALSHA} expects it
 */
public record Script(String text, String digest) {
  static final Script LIMITS = withMarker("limits.lua");
  static final Script LEASES = withMarker("leases.lua");
  static final Script MARK = withMarker("mark.lua");
  static final Script LOOK = withMarker("look.lua");

  /** Reads a script, preceded by the functions of all scripts that notice lost data. */
  private static Script withMarker(String name) {
    return of(read("marker.lua") + read(name));
  }

  public static Script of(String text) {
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
