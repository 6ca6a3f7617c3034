package dev.weir.store.redis;

import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.Policy;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import java.nio.charset.StandardCharsets;

/**
 * The names of keys in Redis.
 *
 * <pre>
 * weir:f:api:{user:101}        a usage: kind (f, s, t), policy, the caller's key as hash tag
 * weir:t:api::user:{org7}:101  the same if the caller's key contains a hash tag
 * weir:l:{resource}            leases; weir:p:{resource} has the places of leases with several
 * weir:r:id                    the record of a request id; on a Cluster weir:r:{tag}:id, and
 *                              weir:b:{hash}:id for the request that the id is bound to
 * weir:m                       the marker; on a Cluster weir:m:{tag} for each slot
 * </pre>
 *
 * The tag determines the slot of a key on a Cluster. Names are unique: in a policy's name {@code %
 * : { }} are escaped, so it ends at the next colon; the character after that shows whether the tag
 * is the caller's.
 */
final class KeyNames {
  private final String prefix;

  KeyNames(String prefix) {
    this.prefix = prefix;
  }

  String usage(Policy policy, String key) {
    return prefix + ":" + kind(policy.limit()) + ":" + escaped(policy.name()) + ":" + tagged(key);
  }

  /** Returns the pattern of the names of all usages of a policy, for SCAN. */
  String usages(Policy policy) {
    String first = prefix + ":" + kind(policy.limit()) + ":" + escaped(policy.name()) + ":";
    return first.replaceAll("[\\\\*?\\[\\]^-]", "\\\\$0") + "*";
  }

  String leases(String resource) {
    return prefix + ":l:" + tagged(resource);
  }

  String places(String resource) {
    return prefix + ":p:" + tagged(resource);
  }

  String record(String requestId) {
    return prefix + ":r:" + requestId;
  }

  /** Returns the name of a record in the slot of a tag. */
  String record(String tag, String requestId) {
    return prefix + ":r:{" + tag + "}:" + requestId;
  }

  String marker() {
    return prefix + ":m";
  }

  /** Returns the name of the marker in the slot of a tag. */
  String marker(String tag) {
    return prefix + ":m:{" + tag + "}";
  }

  /**
   * Returns the name of a request id's binding on a Cluster, in a slot derived from the id only.
   */
  String binding(String requestId) {
    return prefix + ":b:{" + Integer.toHexString(requestId.hashCode()) + "}:" + requestId;
  }

  /** Returns the hash tag that Redis finds in a name of this class. */
  static String tagOf(String name) {
    int open = name.indexOf('{');
    return name.substring(open + 1, name.indexOf('}', open));
  }

  static byte[] bytes(String name) {
    return name.getBytes(StandardCharsets.UTF_8);
  }

  private static char kind(Limit limit) {
    return switch (limit) {
      case FixedWindow fixed -> 'f';
      case SlidingWindow sliding -> 's';
      case TokenBucket bucket -> 't';
    };
  }

  private static String tagged(String key) {
    int open = key.indexOf('{');
    if (open < 0 && !key.startsWith("}")) {
      return "{" + key + "}";
    }
    int close = open < 0 ? -1 : key.indexOf('}', open);
    if (close > open + 1) {
      return ":" + key;
    }
    // Braces, but no tag. Directly after our own brace, one of them would make our tag empty.
    return ";{;" + key + "}";
  }

  private static String escaped(String policy) {
    return policy.replace("%", "%25").replace(":", "%3a").replace("{", "%7b").replace("}", "%7d");
  }
}
