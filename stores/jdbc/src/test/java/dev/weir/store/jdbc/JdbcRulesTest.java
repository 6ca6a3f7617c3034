package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.limits.FixedWindow;
import dev.weir.engine.limits.Policy;
import dev.weir.engine.rules.Rule;
import dev.weir.engine.rules.RuleBook;
import dev.weir.engine.rules.RuleChange;
import dev.weir.engine.rules.Rules;
import dev.weir.store.tck.RulesKit;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class JdbcRulesTest extends RulesKit {
  private final Database database = Database.get();
  private final JdbcRules rules = new JdbcRules(database.pool(), StoreClock.OF_THE_DATABASE);

  @Override
  protected Rules rules() {
    return rules;
  }

  @Test
  void keepsEveryVersionAndTheRemoval() {
    RuleChange.Done made = (RuleChange.Done) rules.create(terms(1));
    long id = made.rule().id();
    rules.change(id, 1, made.rule().terms());
    rules.remove(id, 2);

    assertThat(
            Database.number(
                database.pool(), "select count(*) from rule_version where rule_id = " + id))
        .isEqualTo(3);
    assertThat(
            Database.number(
                database.pool(),
                "select version from rule_version where is_removed and rule_id = " + id))
        .isEqualTo(3);
  }

  @Test
  void aChangeReachesTheBookOfAnotherNodeAtOnce() throws Exception {
    JdbcRules otherNode = new JdbcRules(database.otherPool(), StoreClock.OF_THE_DATABASE);
    RuleBook<Rule> book = new RuleBook<>(rules, rule -> rule);
    try (ChangeListener listener =
        new ChangeListener(
            database.pool(),
            Map.of(
                Channel.RULE,
                new ChangeListener.Hearer() {
                  @Override
                  public void changed(String name) {
                    book.refresh();
                  }

                  @Override
                  public void allChanged() {
                    book.refresh();
                  }
                }))) {
      assertThat(listener.awaitListening(Duration.ofSeconds(30))).isTrue();
      RuleChange.Done made = (RuleChange.Done) otherNode.create(terms(1));
      // The test's time limit is the bound.
      while (book.find(made.rule().name()) == null) {
        Thread.onSpinWait();
      }
      otherNode.remove(made.rule().id(), 1);
      while (book.find(made.rule().name()) != null) {
        Thread.onSpinWait();
      }
    }
  }

  private static Rule.Terms terms(long limit) {
    return new Rule.Terms(
        Policy.of("r-" + UUID.randomUUID(), FixedWindow.of(limit, Duration.ofSeconds(1))), true);
  }
}
