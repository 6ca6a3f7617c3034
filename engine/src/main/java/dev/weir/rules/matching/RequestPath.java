package dev.weir.rules.matching;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The path of a request, in the one form in which both the rules and the upstream read it.
 *
 * <p>Paths that different programs could interpret differently are refused: encoded slashes and
 * semicolons, backslashes, control characters, invalid encodings, characters that are encoded
 * twice, and dot segments with parameters or where they cannot be resolved; all of them also in the
 * parameters of segments, because programs without parameters read those as a part of the path.
 * Equivalent paths are normalized: encoded letters and dot segments, and for rules also empty
 * segments, parameters of segments and a trailing slash.
 *
 * @param text the path to forward, without the query
 * @param segments the decoded segments that rules are matched against
 */
public record RequestPath(String text, List<String> segments) {
  public static final int MAX_LENGTH = 8_192;

  public static final int MAX_SEGMENTS = 256;

  /** The beginning of an absolute target, up to its path. */
  private static final Pattern ADDRESS =
      Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*://[A-Za-z0-9._~:@%!$&'()*+,=\\[\\]-]*");

  private static final String UP = "..";
  private static final String HERE = ".";

  public RequestPath {
    segments = List.copyOf(segments);
  }

  /**
   * Parses the target of a request: a path, with or without a query, or an absolute URI.
   *
   * @throws AmbiguousPathException if it is invalid or ambiguous
   */
  public static RequestPath of(String target) {
    return of(target, true);
  }

  /**
   * Parses the target of a request that reaches its server unchanged. Dot segments are refused as
   * well, because that server may interpret them differently.
   *
   * @throws AmbiguousPathException if it is invalid or ambiguous
   */
  public static RequestPath ofUnchanged(String target) {
    return of(target, false);
  }

  private static RequestPath of(String target, boolean mayResolve) {
    if (target.length() > MAX_LENGTH) {
      throw new AmbiguousPathException("is longer than " + MAX_LENGTH + " characters");
    }
    String path = withoutQuery(withoutAuthority(target));
    if (path.equals("*")) {
      return new RequestPath(path, List.of(path));
    }
    if (!path.startsWith("/")) {
      throw new AmbiguousPathException("must begin with /");
    }
    if (path.indexOf('#') >= 0) {
      // Some programs treat it as the end of the path, others as an ordinary character.
      throw new AmbiguousPathException("has a #");
    }
    if (path.startsWith("//") && !mayResolve) {
      // Some programs read it as the path "/", others as a host.
      throw new AmbiguousPathException("begins with two slashes");
    }
    return resolved(path.substring(1).split("/", -1), mayResolve);
  }

  /** Returns the path as rules see it, for counting by it. */
  public String canonical() {
    return "/" + String.join("/", segments);
  }

  private static RequestPath resolved(String[] raw, boolean mayResolve) {
    if (raw.length > MAX_SEGMENTS) {
      throw new AmbiguousPathException("has more than " + MAX_SEGMENTS + " segments");
    }
    List<String> sent = new ArrayList<>(raw.length);
    List<String> read = new ArrayList<>(raw.length);
    for (int i = 0; i < raw.length; i++) {
      String whole = decoded(raw[i]);
      String segment = raw[i].indexOf(';') < 0 ? whole : decoded(withoutParameters(raw[i]));
      if (segment.isEmpty() && !raw[i].isEmpty()) {
        throw new AmbiguousPathException("has a segment of parameters only");
      }
      if (!isDots(segment)) {
        sent.add(raw[i]);
        read.add(segment);
        continue;
      }
      if (!mayResolve) {
        throw new AmbiguousPathException("has dot segments");
      }
      if (raw[i].indexOf(';') >= 0) {
        throw new AmbiguousPathException("has dots with parameters");
      }
      if (segment.equals(UP) && !sent.isEmpty()) {
        stepUp(sent, read);
      }
      if (i == raw.length - 1) {
        // A path that ends in a dot segment names a folder.
        sent.add("");
      }
    }
    read.removeIf(String::isEmpty);
    return new RequestPath("/" + String.join("/", withoutLeadingEmpty(sent)), read);
  }

  /** Removes what some programs would read as the beginning of a host: {@code //host/path}. */
  private static List<String> withoutLeadingEmpty(List<String> sent) {
    int first = 0;
    while (first < sent.size() - 1 && sent.get(first).isEmpty()) {
      first++;
    }
    return sent.subList(first, sent.size());
  }

  /**
   * Resolves a {@code ..} segment. Programs disagree about whether an empty segment counts as one,
   * so stepping up from one is refused.
   */
  private static void stepUp(List<String> sent, List<String> read) {
    sent.removeLast();
    if (read.removeLast().isEmpty()) {
      throw new AmbiguousPathException("steps up from an empty segment");
    }
  }

  private static boolean isDots(String segment) {
    return segment.equals(HERE) || segment.equals(UP);
  }

  private static String withoutAuthority(String target) {
    if (target.startsWith("/")) {
      return target;
    }
    Matcher address = ADDRESS.matcher(target);
    if (!address.lookingAt()) {
      return target;
    }
    String path = target.substring(address.end());
    if (!path.isEmpty() && "/?#".indexOf(path.charAt(0)) < 0) {
      // Some programs treat a backslash as the end of the host.
      throw new AmbiguousPathException("has a character that is not allowed in a host");
    }
    return path.startsWith("/") ? path : "/" + path;
  }

  private static String withoutQuery(String target) {
    return target.substring(0, indexOfAny(target, 0, "?"));
  }

  private static String withoutParameters(String segment) {
    int parameters = segment.indexOf(';');
    return parameters < 0 ? segment : segment.substring(0, parameters);
  }

  private static int indexOfAny(String text, int from, String characters) {
    for (int i = from; i < text.length(); i++) {
      if (characters.indexOf(text.charAt(i)) >= 0) {
        return i;
      }
    }
    return text.length();
  }

  private static String decoded(String segment) {
    if (isPlain(segment)) {
      return segment;
    }
    ByteBuffer bytes = ByteBuffer.allocate(segment.length());
    for (int i = 0; i < segment.length(); i++) {
      char c = segment.charAt(i);
      int b = c;
      if (c == '%') {
        b = i + 2 < segment.length() ? hex(segment.charAt(i + 1), segment.charAt(i + 2)) : -1;
        i += 2;
        if (b == '/') {
          throw new AmbiguousPathException("has an encoded slash");
        }
        if (b == ';') {
          // nginx may decode it, and then the next server takes what follows for parameters.
          throw new AmbiguousPathException("has an encoded semicolon");
        }
      }
      if (b < ' ' || b == 0x7F || b == '\\' || b > 0xFF || (c != '%' && (b >= 0x7F || b == ' '))) {
        throw new AmbiguousPathException("has a character that is not allowed in a path");
      }
      bytes.put((byte) b);
    }
    try {
      String decoded = StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
      refuseEncodedTwice(decoded);
      return decoded;
    } catch (CharacterCodingException e) {
      throw new AmbiguousPathException("is not UTF-8");
    }
  }

  /** Refuses what a program that decodes again would read as other characters. */
  private static void refuseEncodedTwice(String decoded) {
    for (int i = decoded.indexOf('%'); i >= 0; i = decoded.indexOf('%', i + 1)) {
      if (i + 2 < decoded.length() && hex(decoded.charAt(i + 1), decoded.charAt(i + 2)) >= 0) {
        throw new AmbiguousPathException("has characters that are encoded twice");
      }
    }
  }

  private static boolean isPlain(String segment) {
    for (int i = 0; i < segment.length(); i++) {
      char c = segment.charAt(i);
      if (c <= ' ' || c >= 0x7F || c == '%' || c == '\\') {
        return false;
      }
    }
    return true;
  }

  private static int hex(char high, char low) {
    int h = Character.digit(high, 16);
    int l = Character.digit(low, 16);
    return h < 0 || l < 0 || high > 'f' || low > 'f' ? -1 : h * 16 + l;
  }
}
