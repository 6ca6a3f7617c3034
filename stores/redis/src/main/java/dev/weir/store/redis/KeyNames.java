package dev.weir.store.redis;

import dev.weir.core.limits.FixedWindow;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.SlidingWindow;
import dev.weir.core.limits.TokenBucket;
import dev.weir.engine.limits.Policy;
import java.nio.charset.StandardCharsets;

/**
 * How keys are called in Redis.
 *
 * <pre>
 * weir:f:api:{user:101}        a usage: kind (f, s, t), policy, the caller's key as hash tag
 * weir:t:api::user:{org7}:101  the same where the caller's key brings a hash tag of its own
 * weir:l:{resource}            leases, and weir:p:{resource} the places of those with several
 * weir:r:id                    the record of a request id; on a Cluster weir:r:{tag}:id, and
 *                              weir:b:{hash}:id for what the id is bound to
 * weir:m                       the marker; on a Cluster weir:m:{tag} for each slot
 * </pre>
 *
 * The tag decides in which slot of a Cluster a key lies. No two things have the same name: in a
 * policy's name {@code % : { }} are escaped, so it ends at the next colon; what follows it tells
 * whether the tag is the caller's.
 */
final class KeyNames {
  private final String prefix;

  KeyNames(String prefix) {
    this.prefix = prefix;
  }

  String usage(Policy policy, String key) {
    return prefix + ":" + kind(policy.limit()) + ":" + escaped(policy.name()) + ":" + tagged(key);
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

  /** A record that lies in the slot of a tag. */
  String record(String tag, String requestId) {
    return prefix + ":r:{" + tag + "}:" + requestId;
  }

  String marker() {
    return prefix + ":m";
  }

  /** The marker of the slot of a tag. */
  String marker(String tag) {
    return prefix + ":m:{" + tag + "}";
  }

  /** What a request id is bound to, on a Cluster: in a slot that only the id decides. */
  String binding(String requestId) {
    return prefix + ":b:{" + Integer.toHexString(requestId.hashCode()) + "}:" + requestId;
  }

  /** What Redis takes for the tag of a key that was named here. */
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
    // Braces, but no tag. Right behind our own brace, one of them would make our tag empty.
    return ";{;" + key + "}";
  }

  private static String escaped(String policy) {
    return policy.replace("%", "%25").replace(":", "%3a").replace("{", "%7b").replace("}", "%7d");
  }
}
