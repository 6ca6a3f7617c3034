package dev.weir.engine.rules;

import java.util.List;
import java.util.Optional;

/** The port to where rules are kept: versions, append-only. Thread-safe. */
public interface Rules {
  /** So many rules, at most, are kept: every node holds all of them. */
  int MOST = 10_000;

  /** In place of a version: whichever it is. */
  int ANY_VERSION = 0;

  /** So many versions of a rule, the newest, are told of. */
  int MOST_VERSIONS = 1_000;

  /**
   * Makes a rule.
   *
   * @param by who does so, for the record
   */
  RuleChange create(Rule.Terms terms, String by);

  /**
   * Makes these terms the next version of a rule.
   *
   * @param version what the caller takes for the version in force, or {@link #ANY_VERSION}
   */
  RuleChange change(long id, int version, Rule.Terms terms, String by);

  /** Removes a rule; its versions are kept. */
  RuleChange remove(long id, int version, String by);

  Optional<Rule> find(long id);

  /** How a rule came to be what it is, the newest version first; empty if it is not known. */
  List<RuleVersion> versions(long id);

  /** All rules, by id. */
  List<Rule> all();
}
