package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.limits.FixedWindow;
import dev.weir.engine.rules.Allowance;
import dev.weir.engine.rules.Rule;
import dev.weir.engine.rules.RuleBook;
import dev.weir.engine.rules.RuleChange;
import dev.weir.engine.rules.RuleObserver;
import dev.weir.engine.rules.RuleVersion;
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
    RuleChange.Done made = (RuleChange.Done) rules.create(terms(1), "me");
    long id = made.rule().id();
    rules.change(id, 1, made.rule().terms(), "you");
    rules.remove(id, 2, "them");

    assertThat(rules.find(id)).isEmpty();
    assertThat(rules.versions(id))
        .extracting(RuleVersion::changedBy)
        .containsExactly("them", "you", "me");
    assertThat(rules.versions(id))
        .extracting(RuleVersion::isRemoval)
        .containsExactly(true, false, false);
  }

  @Test
  void aChangeReachesTheBookOfAnotherNodeAtOnce() throws Exception {
    JdbcRules otherNode = new JdbcRules(database.otherPool(), StoreClock.OF_THE_DATABASE);
    RuleBook book = new RuleBook(rules, RuleObserver.NONE);
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
      RuleChange.Done made = (RuleChange.Done) otherNode.create(terms(1), "me");
      // The test's time limit is the bound.
      while (book.find(made.rule().name()) == null) {
        Thread.onSpinWait();
      }
      otherNode.remove(made.rule().id(), 1, "me");
      while (book.find(made.rule().name()) != null) {
        Thread.onSpinWait();
      }
    }
  }

  private static Rule.Terms terms(long limit) {
    return Rule.Terms.of(
        "r-" + UUID.randomUUID(), Allowance.Rate.of(FixedWindow.of(limit, Duration.ofSeconds(1))));
  }
}
