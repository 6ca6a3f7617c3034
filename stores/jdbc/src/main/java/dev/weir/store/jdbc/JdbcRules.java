package dev.weir.store.jdbc;

import dev.weir.core.Micros;
import dev.weir.engine.rules.Rule;
import dev.weir.engine.rules.RuleChange;
import dev.weir.engine.rules.RuleVersion;
import dev.weir.engine.rules.Rules;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** Rules in PostgreSQL. A change is one transaction, and it tells every node. */
public final class JdbcRules implements Rules {
  private final Transactions transactions;
  private final StoreClock clock;

  public JdbcRules(DataSource database, StoreClock clock) {
    this.transactions = new Transactions(database, () -> {});
    this.clock = clock;
  }

  @Override
  public RuleChange create(Rule.Terms terms, String by) {
    String name = terms.name();
    return transactions.write(
        connection -> {
          if (isTaken(connection, name, 0)) {
            return new RuleChange.NameTaken();
          }
          if (count(connection) >= MOST) {
            return new RuleChange.TooMany();
          }
          // Two that create the same meet at the unique name; the second tries again and finds it.
          long id =
              Sql.first(
                      connection,
                      row -> row.getLong(1),
                      "insert into rule (name, version, is_removed) values (?, 1, false)"
                          + " returning rule_id",
                      name)
                  .orElseThrow();
          Instant now = now(connection);
          Rule rule = new Rule(id, 1, terms, now, now);
          RuleRow.insert(connection, new RuleVersion(rule, by, false));
          Channel.RULE.send(connection, name);
          return new RuleChange.Done(Optional.empty(), rule);
        });
  }

  @Override
  public RuleChange change(long id, int version, Rule.Terms terms, String by) {
    return transactions.write(
        connection -> {
          Optional<Rule> before = lock(connection, id);
          if (before.isEmpty()) {
            return new RuleChange.Unknown();
          }
          if (isStale(before.get(), version)) {
            return new RuleChange.Stale(before.get());
          }
          if (isTaken(connection, terms.name(), id)) {
            return new RuleChange.NameTaken();
          }
          Rule next = next(connection, before.get(), terms);
          write(connection, new RuleVersion(next, by, false));
          return new RuleChange.Done(before, next);
        });
  }

  @Override
  public RuleChange remove(long id, int version, String by) {
    return transactions.write(
        connection -> {
          Optional<Rule> before = lock(connection, id);
          if (before.isEmpty()) {
            return new RuleChange.Unknown();
          }
          if (isStale(before.get(), version)) {
            return new RuleChange.Stale(before.get());
          }
          Rule last = next(connection, before.get(), before.get().terms());
          write(connection, new RuleVersion(last, by, true));
          return new RuleChange.Done(before, before.get());
        });
  }

  @Override
  public Optional<Rule> find(long id) {
    return transactions.read(connection -> find(connection, id));
  }

  @Override
  public List<RuleVersion> versions(long id) {
    return transactions.read(
        connection ->
            Sql.list(connection, RuleRow::readVersion, RuleRow.SELECT_VERSIONS, id, MOST_VERSIONS));
  }

  @Override
  public List<Rule> all() {
    return transactions.read(
        connection -> Sql.list(connection, RuleRow::read, RuleRow.SELECT + "order by r.rule_id"));
  }

  private static Optional<Rule> find(Connection connection, long id) throws SQLException {
    return Sql.first(connection, RuleRow::read, RuleRow.SELECT + "and r.rule_id = ?", id);
  }

  /** A statement of its own after the lock, so that it sees what was committed meanwhile. */
  private static Optional<Rule> lock(Connection connection, long id) throws SQLException {
    Sql.first(connection, row -> true, "select 1 from rule where rule_id = ? for update", id);
    return find(connection, id);
  }

  private static boolean isStale(Rule current, int version) {
    return version != ANY_VERSION && version != current.version();
  }

  private static boolean isTaken(Connection connection, String name, long own) throws SQLException {
    return Sql.first(
            connection,
            row -> true,
            "select 1 from rule where name = ? and not is_removed and rule_id <> ?",
            name,
            own)
        .isPresent();
  }

  private static long count(Connection connection) throws SQLException {
    return Sql.first(
            connection, row -> row.getLong(1), "select count(*) from rule where not is_removed")
        .orElseThrow();
  }

  private Rule next(Connection connection, Rule before, Rule.Terms terms) throws SQLException {
    return new Rule(before.id(), before.version() + 1, terms, before.createdAt(), now(connection));
  }

  private static void write(Connection connection, RuleVersion version) throws SQLException {
    RuleRow.insert(connection, version);
    Rule rule = version.rule();
    Sql.update(
        connection,
        "update rule set name = ?, version = ?, is_removed = ? where rule_id = ?",
        rule.name(),
        rule.version(),
        version.isRemoval(),
        rule.id());
    Channel.RULE.send(connection, rule.name());
  }

  private Instant now(Connection connection) throws SQLException {
    return Micros.instant(Sql.now(connection, clock));
  }
}
