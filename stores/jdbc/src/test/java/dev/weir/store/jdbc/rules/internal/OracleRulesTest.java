package dev.weir.store.jdbc.rules.internal;

import dev.weir.rules.Rules;
import dev.weir.store.jdbc.OracleDatabase;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.tck.rules.RulesKit;

final class OracleRulesTest extends RulesKit {
  private final JdbcRules rules =
      new JdbcRules(Dialect.ORACLE, OracleDatabase.get().pool(), StoreClock.DATABASE);

  @Override
  protected Rules register() {
    return rules;
  }
}
