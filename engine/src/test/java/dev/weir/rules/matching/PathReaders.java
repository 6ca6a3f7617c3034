package dev.weir.rules.matching;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Ways in which programs behind Weir read the path of a request. */
enum PathReaders {
  /** Java's URI, as com.sun.net.httpserver uses it: an address after two slashes is a host. */
  JAVA_URI(true) {
    @Override
    String path(String target) throws URISyntaxException {
      return new URI(target).getPath();
    }
  },

  /** Tomcat and Jetty: cut off parameters, decode, resolve. */
  SERVLET(false) {
    @Override
    String path(String target) {
      return decoded(beforeQuery(target).replaceAll(";[^/]*", ""));
    }
  },

  /** Go and nginx: decode everything, then resolve. */
  DECODED_FIRST(true) {
    @Override
    String path(String target) {
      return decoded(beforeQuery(target));
    }
  },

  /** Tomcat behind an nginx that resolves paths, which decodes them too. */
  SERVLET_BEHIND_NGINX(false) {
    @Override
    String path(String target) {
      return decoded(beforeQuery(target)).replaceAll(";[^/]*", "");
    }
  },

  /** Programs behind another proxy that decodes. */
  DECODED_TWICE(true) {
    @Override
    String path(String target) {
      return decoded(decoded(beforeQuery(target)));
    }
  },

  /**
   * Browsers' URLs, as in Node: backslashes are slashes, an address after two slashes is a host.
   */
  WHATWG(true) {
    @Override
    String path(String target) {
      String path = beforeQuery(target).replace('\\', '/');
      return decoded(path.startsWith("//") ? path.replaceFirst("//+[^/]*", "") : path);
    }
  };

  private final boolean withParameters;

  PathReaders(boolean withParameters) {
    this.withParameters = withParameters;
  }

  /** Returns true if it takes the parameters of a segment for a part of it. */
  boolean withParameters() {
    return withParameters;
  }

  /** Returns the path before dot segments are resolved. */
  abstract String path(String target) throws URISyntaxException;

  /** Returns the segments that it reads; empty if it refuses the target. */
  Optional<List<String>> read(String target) {
    List<String> segments = new ArrayList<>();
    try {
      for (String segment : path(target).split("/", -1)) {
        if (segment.equals("..")) {
          if (!segments.isEmpty()) {
            segments.removeLast();
          }
        } else if (!segment.isEmpty() && !segment.equals(".")) {
          segments.add(segment);
        }
      }
    } catch (URISyntaxException e) {
      return Optional.empty();
    }
    return Optional.of(segments);
  }

  private static String beforeQuery(String target) {
    return Stream.of(target.split("[?#]", 2)).findFirst().orElse("");
  }

  /** Decodes once what can be decoded. */
  static String decoded(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    byte[] decoded = new byte[bytes.length];
    int length = 0;
    for (int i = 0; i < bytes.length; i++) {
      int high = i + 2 < bytes.length ? Character.digit(bytes[i + 1], 16) : -1;
      int low = i + 2 < bytes.length ? Character.digit(bytes[i + 2], 16) : -1;
      boolean isEncoded = bytes[i] == '%' && high >= 0 && low >= 0;
      decoded[length++] = isEncoded ? (byte) (high * 16 + low) : bytes[i];
      i += isEncoded ? 2 : 0;
    }
    return new String(decoded, 0, length, StandardCharsets.UTF_8);
  }
}
