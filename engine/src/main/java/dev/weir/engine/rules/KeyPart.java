package dev.weir.engine.rules;

import dev.weir.engine.limits.LimitNames;
import java.util.List;

/** Something by which requests are told apart when they are counted. */
public sealed interface KeyPart {
  /** Where the request comes from: an address of IPv4, or the first 64 bits of one of IPv6. */
  record Ip() implements KeyPart {}

  /** What a header says; all that do not have it are one. */
  record Header(String name) implements KeyPart {
    private static final int LONGEST = 100;

    public Header {
      if (!name.matches("[!#$%&'*+.^_`|~0-9A-Za-z-]{1," + LONGEST + "}")) {
        throw new IllegalArgumentException("header must be the name of a header, not " + name);
      }
    }
  }

  /** The path, each by itself. */
  record Path() implements KeyPart {}

  /** Nothing: all are one. */
  record Global() implements KeyPart {}

  /** What stands for a header that is not there, and for all that are one. */
  String NONE = "(none)";

  String ALL = "(all)";

  /**
   * Reads {@code ip}, {@code path}, {@code global} or {@code header:Name}.
   *
   * @throws IllegalArgumentException if it is something else
   */
  static KeyPart of(String text) {
    String header = "header:";
    return switch (text) {
      case "ip" -> new Ip();
      case "path" -> new Path();
      case "global" -> new Global();
      default -> {
        if (!text.regionMatches(true, 0, header, 0, header.length())) {
          throw new IllegalArgumentException(
              "must be ip, path, global or header:Name, not " + text);
        }
        yield new Header(text.substring(header.length()));
      }
    };
  }

  /** As it is read by {@link #of}. */
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
        yield value == null || value.isBlank() ? NONE : value.strip();
      }
      case Path path -> request.path().canonical();
      case Global global -> ALL;
    };
  }

  /** The key of a request: the values, so joined that different ones stay different. */
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

  /** What no store could keep as it is becomes its digest. */
  private static String bounded(String key) {
    return LimitNames.problem(key).isEmpty() ? key : LimitNames.digest(key);
  }
}
