package dev.weir.server.envoy;

import dev.weir.rules.matching.KeyPart;
import dev.weir.rules.matching.Request;
import dev.weir.rules.matching.RequestPath;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request described by the entries of a descriptor. */
final class DescribedRequest implements Request {
  static final String PATH = "path";

  private static final String METHOD = "method";
  private static final String ADDRESS = "remote_address";
  private static final String HEADER = "header:";

  /** The method of a descriptor that has no method entry. */
  private static final String DEFAULT_METHOD = "GET";

  /** The client address of descriptors that have none; all of them share it. */
  private static final String NO_ADDRESS = KeyPart.NONE;

  private final List<RateLimitDescriptor.Entry> entries;
  private final RequestPath path;

  /**
   * Creates a request from entries and a path.
   *
   * @throws dev.weir.rules.matching.AmbiguousPathException if the path can be read in two ways
   */
  DescribedRequest(List<RateLimitDescriptor.Entry> entries, String path) {
    this.entries = entries;
    this.path = RequestPath.ofUnchanged(path);
  }

  @Override
  public String method() {
    String method = value(METHOD);
    return method == null ? DEFAULT_METHOD : method;
  }

  @Override
  public RequestPath path() {
    return path;
  }

  @Override
  public String clientAddress() {
    String address = value(ADDRESS);
    return address == null || address.isEmpty() ? NO_ADDRESS : KeyPart.escaped(address);
  }

  /**
   * Returns the value of a header. Every entry other than path, method and address is a header; the
   * prefix is for header names that would otherwise have another meaning.
   */
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

  /** Returns the value of the first entry with this key, or null. */
  static @Nullable String value(List<RateLimitDescriptor.Entry> entries, String key) {
    for (RateLimitDescriptor.Entry entry : entries) {
      if (entry.getKey().equals(key)) {
        return entry.getValue();
      }
    }
    return null;
  }
}
