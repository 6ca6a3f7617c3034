package dev.weir.http.endpoints;

import dev.weir.register.Register;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The versions of an entry that a caller accepts, from the header {@code If-Match} (RFC 9110,
 * 13.1.1): any, or one of a list of entity tags, with strong comparison.
 */
public final class IfMatch {
  /** A version that no entry has. */
  private static final int NONE = -1;

  /** An entity tag and the comma or end after it. Empty members of a list are allowed. */
  private static final Pattern MEMBER =
      Pattern.compile("\\G[ \\t,]*(W/)?\"([\\x21\\x23-\\x7e\\x80-\\xff]*)\"[ \\t]*(?=,|$)");

  private final boolean isGiven;
  private final boolean isAny;
  private final Set<String> tags;

  private IfMatch(boolean isGiven, boolean isAny, Set<String> tags) {
    this.isGiven = isGiven;
    this.isAny = isAny;
    this.tags = tags;
  }

  /**
   * Returns the versions that the request accepts. A malformed list matches nothing, so nothing is
   * overwritten.
   */
  public static IfMatch of(HttpRequest<?> request) {
    // A list may be split across several headers of the same name.
    String list = String.join(",", request.getHeaders().getAll(HttpHeaders.IF_MATCH)).strip();
    boolean isGiven = !request.getHeaders().getAll(HttpHeaders.IF_MATCH).isEmpty();
    if (!isGiven || list.equals("*")) {
      return new IfMatch(isGiven, true, Set.of());
    }
    Set<String> tags = new TreeSet<>();
    Matcher member = MEMBER.matcher(list);
    int end = 0;
    while (member.find()) {
      end = member.end();
      // A weak tag never matches.
      if (member.group(1) == null) {
        tags.add(member.group(2));
      }
    }
    boolean isWhole = list.substring(end).chars().allMatch(c -> c == ',' || c == ' ' || c == '\t');
    return new IfMatch(true, false, isWhole ? tags : Set.of());
  }

  /** Returns true if the caller accepts any version, or that there is none yet. */
  public boolean isAnyOrNone() {
    return !isGiven;
  }

  /** Returns true if the caller accepts any version. */
  public boolean isAny() {
    return isAny;
  }

  /**
   * Returns the version that may be changed, for {@link Register#change}.
   *
   * @param current supplies the tag of the current version; called only if the caller names some
   */
  public int version(Supplier<EntityTag> current) {
    if (isAny) {
      return Register.ANY_VERSION;
    }
    if (tags.isEmpty()) {
      return NONE;
    }
    EntityTag now = current.get();
    return tags.contains(now.value()) ? now.version() : NONE;
  }
}
