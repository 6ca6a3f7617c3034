package dev.weir.server.envoy;

import dev.weir.engine.rules.Request;
import dev.weir.engine.rules.RequestPath;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request as the entries of a descriptor tell of it. */
final class DescribedRequest implements Request {
  static final String PATH = "path";

  private static final String METHOD = "method";
  private static final String ADDRESS = "remote_address";
  private static final String HEADER = "header:";

  /** The method of a descriptor that names none. */
  private static final String USUAL_METHOD = "GET";

  /** Stands for the address where none is told: all of them are one. */
  private static final String NO_ADDRESS = "(none)";

  private final List<RateLimitDescriptor.Entry> entries;
  private final RequestPath path;

  /**
   * @throws dev.weir.engine.rules.AmbiguousPathException if the path could be read in two ways
   */
  DescribedRequest(List<RateLimitDescriptor.Entry> entries, String path) {
    this.entries = entries;
    this.path = RequestPath.ofUnchanged(path);
  }

  @Override
  public String method() {
    String method = value(METHOD);
    return method == null ? USUAL_METHOD : method;
  }

  @Override
  public RequestPath path() {
    return path;
  }

  @Override
  public String clientAddress() {
    String address = value(ADDRESS);
    return address == null || address.isEmpty() ? NO_ADDRESS : address;
  }

  /** Any other entry is a header; the prefix is for those that would mean something else. */
  @Override
  public @Nullable String header(String name) {
    for (RateLimitDescriptor.Entry entry : entries) {
      String key = entry.getKey();
      int from = key.startsWith(HEADER) ? HEADER.length() : 0;
      if (key.length() - from == name.length()
          && key.regionMatches(true, from, name, 0, name.length())
          && !isPartOfTheRequest(key)) {
        return entry.getValue();
      }
    }
    return null;
  }

  private static boolean isPartOfTheRequest(String key) {
    return key.equals(PATH) || key.equals(METHOD) || key.equals(ADDRESS);
  }

  private @Nullable String value(String key) {
    return value(entries, key);
  }

  /** The value of the first entry of that key. */
  static @Nullable String value(List<RateLimitDescriptor.Entry> entries, String key) {
    for (RateLimitDescriptor.Entry entry : entries) {
      if (entry.getKey().equals(key)) {
        return entry.getValue();
      }
    }
    return null;
  }
}
