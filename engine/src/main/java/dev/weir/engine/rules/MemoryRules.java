package dev.weir.engine.rules;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Rules in memory, for one process: they are gone at its end, and old versions are not kept. */
public final class MemoryRules implements Rules {
  private final InstantSource clock;
  private final TreeMap<Long, Rule> rules = new TreeMap<>();
  private long lastId;

  public MemoryRules(InstantSource clock) {
    this.clock = clock;
  }

  @Override
  public synchronized RuleChange create(Rule.Terms terms) {
    if (rules.size() >= MOST) {
      return new RuleChange.TooMany();
    }
    if (isTaken(terms, 0)) {
      return new RuleChange.NameTaken();
    }
    Instant now = clock.instant();
    Rule rule = new Rule(++lastId, 1, terms, now, now);
    rules.put(rule.id(), rule);
    return new RuleChange.Done(Optional.empty(), rule);
  }

  @Override
  public synchronized RuleChange change(long id, int version, Rule.Terms terms) {
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
    rules.put(id, next);
    return new RuleChange.Done(Optional.of(before), next);
  }

  @Override
  public synchronized RuleChange remove(long id, int version) {
    Rule before = rules.get(id);
    if (before == null) {
      return new RuleChange.Unknown();
    }
    if (version != ANY_VERSION && version != before.version()) {
      return new RuleChange.Stale(before);
    }
    rules.remove(id);
    return new RuleChange.Done(Optional.of(before), before);
  }

  @Override
  public synchronized Optional<Rule> find(long id) {
    return Optional.ofNullable(rules.get(id));
  }

  @Override
  public synchronized List<Rule> all() {
    return List.copyOf(rules.values());
  }

  private boolean isTaken(Rule.Terms terms, long own) {
    return rules.values().stream()
        .anyMatch(rule -> rule.id() != own && rule.name().equals(terms.name()));
  }
}
