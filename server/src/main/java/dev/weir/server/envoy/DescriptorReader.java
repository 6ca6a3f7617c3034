package dev.weir.server.envoy;

import dev.weir.internal.LimitNames;
import dev.weir.rules.LimitedRule;
import dev.weir.rules.RuleCheck;
import dev.weir.rules.RuleCounters;
import dev.weir.rules.RuleIndex;
import dev.weir.rules.matching.AmbiguousPathException;
import dev.weir.rules.matching.KeyPart;
import dev.weir.server.metrics.EnvoyMetrics;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the rules for descriptors: by name if an entry names a rule, otherwise those that cover the
 * request described by the entries.
 */
final class DescriptorReader {
  static final int MAX_DESCRIPTORS = 32;

  static final int MAX_ENTRIES = 32;

  private static final Logger log = LoggerFactory.getLogger(DescriptorReader.class);

  private static final String RULE = "rule";

  /** Number of a bool field that the published classes do not have yet. */
  private static final int IS_NEGATIVE_HITS = 4;

  private final RuleIndex index;
  private final EnvoyMetrics metrics;

  DescriptorReader(RuleIndex index, EnvoyMetrics metrics) {
    this.index = index;
    this.metrics = metrics;
  }

  /**
   * Returns the request of each descriptor, in order.
   *
   * @throws IllegalArgumentException if there are no descriptors, or too many descriptors or
   *     entries
   */
  List<DescriptorRequest> read(RateLimitRequest request) {
    int count = request.getDescriptorsCount();
    if (count == 0 || count > MAX_DESCRIPTORS) {
      throw new IllegalArgumentException(
          "descriptors must be 1 to %d, not %d".formatted(MAX_DESCRIPTORS, count));
    }
    long defaultHits = Math.max(1, Integer.toUnsignedLong(request.getHitsAddend()));
    if (count == 1) {
      return List.of(read(request.getDescriptors(0), defaultHits));
    }
    List<DescriptorRequest> requests = new ArrayList<>(count);
    for (RateLimitDescriptor descriptor : request.getDescriptorsList()) {
      requests.add(read(descriptor, defaultHits));
    }
    return requests;
  }

  private DescriptorRequest read(RateLimitDescriptor descriptor, long defaultHits) {
    List<RateLimitDescriptor.Entry> entries = descriptor.getEntriesList();
    if (entries.size() > MAX_ENTRIES) {
      throw new IllegalArgumentException(
          "entries of a descriptor must be at most %d, not %d"
              .formatted(MAX_ENTRIES, entries.size()));
    }
    long hits = descriptor.hasHitsAddend() ? descriptor.getHitsAddend().getValue() : defaultHits;
    // A value above Long.MAX_VALUE exceeds every limit, and so does Long.MAX_VALUE.
    long unsigned = hits < 0 ? Long.MAX_VALUE : hits;
    DescriptorRequest.Kind kind = kind(descriptor, unsigned);
    String name = DescribedRequest.value(entries, RULE);
    if (name != null) {
      return byName(name, entries, kind, unsigned);
    }
    String path = DescribedRequest.value(entries, DescribedRequest.PATH);
    return path != null ? byRequest(path, entries, kind, unsigned) : unknown(descriptor);
  }

  private static DescriptorRequest.Kind kind(RateLimitDescriptor descriptor, long hits) {
    if (hits == 0) {
      return DescriptorRequest.Kind.PEEK;
    }
    return isNegative(descriptor) ? DescriptorRequest.Kind.GIVE_BACK : DescriptorRequest.Kind.TAKE;
  }

  private static boolean isNegative(RateLimitDescriptor descriptor) {
    List<Long> values = descriptor.getUnknownFields().getField(IS_NEGATIVE_HITS).getVarintList();
    // If a field is sent more than once, the last value counts.
    return !values.isEmpty() && values.getLast() != 0;
  }

  private DescriptorRequest unknown(RateLimitDescriptor descriptor) {
    metrics.unmatched();
    log.debug("No rule for the descriptor {}", descriptor);
    return DescriptorRequest.UNKNOWN;
  }

  private DescriptorRequest byName(
      String name,
      List<RateLimitDescriptor.Entry> entries,
      DescriptorRequest.Kind kind,
      long hits) {
    LimitedRule rule = index.find(name);
    if (rule == null) {
      metrics.unmatched();
      log.debug("A descriptor names the rule \"{}\", which does not exist", name);
      return DescriptorRequest.UNKNOWN;
    }
    if (!isSupported(rule)) {
      return DescriptorRequest.UNKNOWN;
    }
    return of(kind, List.of(rule), hits, new Keys(entries));
  }

  private DescriptorRequest byRequest(
      String path,
      List<RateLimitDescriptor.Entry> entries,
      DescriptorRequest.Kind kind,
      long hits) {
    DescribedRequest request;
    try {
      request = new DescribedRequest(entries, path);
    } catch (AmbiguousPathException e) {
      // Allowing it would bypass every rule.
      log.debug("A descriptor's path {}", e.getMessage());
      return new DescriptorRequest(
          kind == DescriptorRequest.Kind.GIVE_BACK
              ? DescriptorRequest.Kind.GIVE_BACK
              : DescriptorRequest.Kind.REFUSE,
          List.of());
    }
    RuleIndex.Covering covering = index.covering(request);
    if (covering.isEmpty()) {
      return DescriptorRequest.UNKNOWN;
    }
    List<LimitedRule> rules = new ArrayList<>(covering.inForce());
    rules.addAll(covering.inShadow());
    rules.removeIf(rule -> !isSupported(rule));
    return of(kind, rules, hits, rule -> rule.spec().coverage().key(request));
  }

  /**
   * Returns true if the rule is active and counts requests. A rule with leases cannot be used:
   * Envoy reports when a request begins, but not when it ends.
   */
  private static boolean isSupported(LimitedRule rule) {
    return rule.isActive() && rule.kind() instanceof LimitedRule.Counted;
  }

  /** Returns the key that a rule counts by. */
  @FunctionalInterface
  private interface KeyOf {
    String key(LimitedRule rule);
  }

  private static DescriptorRequest of(
      DescriptorRequest.Kind kind, List<LimitedRule> rules, long hits, KeyOf keys) {
    List<RuleCheck> checks = new ArrayList<>(rules.size());
    DescriptorRequest.Kind possible = kind;
    for (LimitedRule rule : rules) {
      boolean isTooMuch = hits > rule.maxCost();
      if (isTooMuch && kind == DescriptorRequest.Kind.TAKE) {
        if (rule.isShadow()) {
          new RuleCheck(rule, keys.key(rule), rule.maxCost())
              .count(RuleCounters.Kind.SHADOW_REFUSED);
          continue;
        }
        possible = DescriptorRequest.Kind.REFUSE;
      }
      checks.add(
          new RuleCheck(rule, keys.key(rule), isTooMuch ? rule.maxCost() : Math.max(1, hits)));
    }
    return new DescriptorRequest(possible, checks);
  }

  /**
   * Builds the key of a descriptor that names its rule from the other entries. Different entries
   * yield different keys.
   */
  private record Keys(List<RateLimitDescriptor.Entry> entries) implements KeyOf {
    @Override
    public String key(LimitedRule rule) {
      StringBuilder key = new StringBuilder();
      boolean isNamed = false;
      for (RateLimitDescriptor.Entry entry : entries) {
        if (!isNamed && entry.getKey().equals(RULE)) {
          isNamed = true;
          continue;
        }
        if (!key.isEmpty()) {
          key.append('|');
        }
        append(key, entry.getKey(), true);
        key.append('=');
        append(key, entry.getValue(), false);
      }
      if (key.isEmpty()) {
        return KeyPart.ALL;
      }
      String whole = key.toString();
      return LimitNames.problem(whole).isEmpty() ? whole : LimitNames.digest(whole);
    }

    private static void append(StringBuilder key, String text, boolean isName) {
      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        if (c == '\\' || c == '|' || (isName && c == '=')) {
          key.append('\\');
        }
        key.append(c);
      }
    }
  }
}
