package dev.weir.rules.matching;

import dev.weir.address.internal.ClientAddress;
import dev.weir.internal.LimitNames;
import java.util.List;

/** A property of requests by which they are distinguished for counting. */
public sealed interface KeyPart {
  /** The client address: an IPv4 address, or the first 64 bits of an IPv6 address. */
  record Ip() implements KeyPart {}

  /** The value of a header; all requests without it share a key. */
  record Header(String name) implements KeyPart {
    private static final int MAX_LENGTH = 100;

    public Header {
      if (!name.matches("[!#$%&'*+.^_`|~0-9A-Za-z-]{1," + MAX_LENGTH + "}")) {
        throw new IllegalArgumentException("header must be a valid header name, not " + name);
      }
    }
  }

  /** The path; each is counted separately. */
  record Path() implements KeyPart {}

  /** Nothing: all requests share a key. */
  record Global() implements KeyPart {}

  /** What the text of a part must be. */
  String FORMAT = "must be ip, path, global or header:Name";

  /** The key of requests without the header. {@link #escaped} keeps others from sending it. */
  String NONE = "(none)";

  /** The key that all requests share. */
  String ALL = "(all)";

  /**
   * Parses {@code ip}, {@code path}, {@code global} or {@code header:Name}.
   *
   * @throws IllegalArgumentException for any other text
   */
  static KeyPart of(String text) {
    String header = "header:";
    return switch (text) {
      case "ip" -> new Ip();
      case "path" -> new Path();
      case "global" -> new Global();
      default -> {
        if (!text.regionMatches(true, 0, header, 0, header.length())) {
          throw new IllegalArgumentException(FORMAT + ", not " + text);
        }
        yield new Header(text.substring(header.length()));
      }
    };
  }

  /** Returns this part in the format that {@link #of} parses. */
  default String text() {
    return switch (this) {
      case Ip ip -> "ip";
      case Header header -> "header:" + header.name();
      case Path path -> "path";
      case Global global -> "global";
    };
  }

  private String value(Request request) {
    return switch (this) {
      case Ip ip -> ClientAddress.counted(request.clientAddress());
      case Header header -> {
        String value = request.header(header.name());
        yield value == null || value.isBlank() ? NONE : escaped(value.strip());
      }
      case Path path -> request.path().canonical();
      case Global global -> ALL;
    };
  }

  /**
   * Returns a value that a caller has sent, with a backslash in front if it would otherwise be
   * {@link #NONE}: so no value shares the key of requests without one. Different values stay
   * different.
   */
  static String escaped(String value) {
    int begin = 0;
    while (begin < value.length() && value.charAt(begin) == '\\') {
      begin++;
    }
    return value.length() - begin == NONE.length() && value.startsWith(NONE, begin)
        ? "\\" + value
        : value;
  }

  /**
   * Returns the key of a request: the values of the parts, joined so that different values yield
   * different keys.
   */
  static String key(List<KeyPart> parts, Request request) {
    if (parts.size() == 1) {
      return bounded(parts.getFirst().value(request));
    }
    StringBuilder key = new StringBuilder();
    for (KeyPart part : parts) {
      if (!key.isEmpty()) {
        key.append('|');
      }
      key.append(part.value(request).replace("\\", "\\\\").replace("|", "\\|"));
    }
    return bounded(key.toString());
  }

  /** Returns the key, or its digest if stores could not keep the key as it is. */
  private static String bounded(String key) {
    return LimitNames.problem(key).isEmpty() ? key : LimitNames.digest(key);
  }
}
