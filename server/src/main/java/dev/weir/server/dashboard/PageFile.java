package dev.weir.server.dashboard;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;

/** A file of the page, in memory, plain and compressed. Immutable. */
final class PageFile {
  private static final String VENDOR = "vendor/";

  /** Names that neither leave the folder nor have a second spelling. */
  private static final Pattern NAME =
      Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}(/[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}){0,5}");

  /** Only files with these endings are served. */
  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "mjs", "text/javascript; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "json", "application/json",
          "svg", "image/svg+xml",
          "png", "image/png",
          "ico", "image/x-icon",
          "woff2", "font/woff2",
          "txt", "text/plain; charset=utf-8");

  private static final int TAG_BYTES = 12;

  private final String type;
  private final byte[] plain;
  private final byte[] compressed;
  private final String tag;
  private final boolean isImmutable;

  private PageFile(String name, String type, byte[] plain) {
    this.type = type;
    this.plain = plain;
    this.compressed = gzip(plain);
    this.tag = tag(plain);
    this.isImmutable = name.startsWith(VENDOR);
  }

  /**
   * Reads a file; empty if there is none, or its name or type is not permitted.
   *
   * @param resource where it is on the class path
   */
  static Optional<PageFile> read(String name, String resource) {
    String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
    if (type == null || !NAME.matcher(name).matches()) {
      return Optional.empty();
    }
    try (InputStream in = PageFile.class.getResourceAsStream("/" + resource)) {
      return in == null
          ? Optional.empty()
          : Optional.of(new PageFile(name, type, in.readAllBytes()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String type() {
    return type;
  }

  byte[] bytes(boolean isCompressed) {
    return isCompressed ? compressed : plain;
  }

  /** Returns true if the compressed form is smaller. */
  boolean isWorthCompressing() {
    return compressed.length < plain.length;
  }

  /** Returns the entity tag, which differs between the two forms. */
  String entityTag(boolean isCompressed) {
    return "\"" + tag + (isCompressed ? "-gzip" : "") + "\"";
  }

  /** Returns true if its name has a version, so that its content never changes. */
  boolean isImmutable() {
    return isImmutable;
  }

  private static byte[] gzip(byte[] bytes) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory cannot fail", e);
    }
    return out.toByteArray();
  }

  private static String tag(byte[] bytes) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return Base64.getUrlEncoder()
          .withoutPadding()
          .encodeToString(Arrays.copyOf(digest, TAG_BYTES));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
