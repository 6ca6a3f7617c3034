package dev.weir.store.jdbc.rules.internal;

import dev.weir.register.EntryVersion;
import dev.weir.rules.Rule;
import dev.weir.rules.Rules;
import dev.weir.rules.spec.RuleSpec;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Channel;
import dev.weir.store.jdbc.internal.Dialect;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Rules in the database. */
public final class JdbcRules extends JdbcRegister<RuleSpec, Rule> implements Rules {
  /** Rules in PostgreSQL. */
  public JdbcRules(DataSource database, StoreClock clock) {
    this(Dialect.POSTGRESQL, database, clock);
  }

  public JdbcRules(Dialect dialect, DataSource database, StoreClock clock) {
    super(dialect, database, clock, new Tables("rule", "name", Channel.RULE), Rule::new);
  }

  @Override
  RuleSpec spec(ResultSet row) throws SQLException {
    return RuleRow.spec(dialect(), row);
  }

  @Override
  void insert(Connection connection, EntryVersion<Rule> version) throws SQLException {
    RuleRow.insert(dialect(), connection, version);
  }
}
