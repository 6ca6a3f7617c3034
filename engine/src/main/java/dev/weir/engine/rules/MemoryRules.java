package dev.weir.engine.rules;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Rules in memory, for one process: they are gone at its end, and what a rule was is gone with the
 * rule.
 */
public final class MemoryRules implements Rules {
  private final InstantSource clock;
  private final TreeMap<Long, Rule> rules = new TreeMap<>();
  private final Map<Long, Deque<RuleVersion>> versions = new HashMap<>();
  private long lastId;

  public MemoryRules(InstantSource clock) {
    this.clock = clock;
  }

  @Override
  public synchronized RuleChange create(Rule.Terms terms, String by) {
    if (rules.size() >= MOST) {
      return new RuleChange.TooMany();
    }
    if (isTaken(terms, 0)) {
      return new RuleChange.NameTaken();
    }
    Instant now = clock.instant();
    Rule rule = new Rule(++lastId, 1, terms, now, now);
    keep(rule, by);
    return new RuleChange.Done(Optional.empty(), rule);
  }

  @Override
  public synchronized RuleChange change(long id, int version, Rule.Terms terms, String by) {
    Rule before = rules.get(id);
    if (before == null) {
      return new RuleChange.Unknown();
    }
    if (version != ANY_VERSION && version != before.version()) {
      return new RuleChange.Stale(before);
    }
    if (isTaken(terms, id)) {
      return new RuleChange.NameTaken();
    }
    Rule next = new Rule(id, before.version() + 1, terms, before.createdAt(), clock.instant());
    keep(next, by);
    return new RuleChange.Done(Optional.of(before), next);
  }

  @Override
  public synchronized RuleChange remove(long id, int version, String by) {
    Rule before = rules.get(id);
    if (before == null) {
      return new RuleChange.Unknown();
    }
    if (version != ANY_VERSION && version != before.version()) {
      return new RuleChange.Stale(before);
    }
    rules.remove(id);
    versions.remove(id);
    return new RuleChange.Done(Optional.of(before), before);
  }

  @Override
  public synchronized Optional<Rule> find(long id) {
    return Optional.ofNullable(rules.get(id));
  }

  @Override
  public synchronized List<RuleVersion> versions(long id) {
    return List.copyOf(versions.getOrDefault(id, new ArrayDeque<>()));
  }

  @Override
  public synchronized List<Rule> all() {
    return List.copyOf(rules.values());
  }

  private void keep(Rule rule, String by) {
    rules.put(rule.id(), rule);
    Deque<RuleVersion> kept = versions.computeIfAbsent(rule.id(), absent -> new ArrayDeque<>());
    kept.addFirst(new RuleVersion(rule, by, false));
    if (kept.size() > MOST_VERSIONS) {
      kept.removeLast();
    }
  }

  private boolean isTaken(Rule.Terms terms, long own) {
    return rules.values().stream()
        .anyMatch(rule -> rule.id() != own && rule.name().equals(terms.name()));
  }
}
