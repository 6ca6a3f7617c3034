package dev.weir.store.jdbc.rules.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.register.Change;
import dev.weir.rules.Rule;
import dev.weir.rules.Rules;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.OracleDatabase;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.tck.rules.RulesKit;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

final class OracleRulesTest extends RulesKit {
  private final DataSource pool = OracleDatabase.get().pool();
  private final JdbcRules rules = new JdbcRules(Dialect.ORACLE, pool, StoreClock.DATABASE);

  @Override
  protected Rules register() {
    return rules;
  }

  @Test
  void keepsFieldsThatOnlyALaterVersionKnows() {
    Rule made = ((Change.Done<Rule>) rules.create(titled("/" + UUID.randomUUID()), "me")).entry();
    Database.execute(
        pool, "update rule_version set more = 'later=a%26b' where rule_id = " + made.id());

    rules.change(made.id(), 1, made.spec(), "you");

    assertThat(
            Database.number(
                pool,
                "select count(*) from rule_version where more = 'later=a%26b' and rule_id = "
                    + made.id()))
        .isEqualTo(2);
  }
}
