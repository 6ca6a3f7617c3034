package dev.weir.store.jdbc.rules.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.register.Change;
import dev.weir.register.EntryVersion;
import dev.weir.rules.Rule;
import dev.weir.rules.RuleIndex;
import dev.weir.rules.RuleObserver;
import dev.weir.rules.Rules;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.ChangeListener;
import dev.weir.store.jdbc.internal.Channel;
import dev.weir.store.tck.internal.Await;
import dev.weir.store.tck.rules.RulesKit;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class JdbcRulesTest extends RulesKit {
  private final Database database = Database.get();
  private final JdbcRules rules = new JdbcRules(database.pool(), StoreClock.DATABASE);

  @Override
  protected Rules register() {
    return rules;
  }

  @Test
  void keepsEveryVersionAndTheRemoval() {
    Rule made = made(rules);
    rules.change(made.id(), 1, made.spec(), "you");
    rules.remove(made.id(), 2, "them");

    assertThat(rules.find(made.id())).isEmpty();
    assertThat(rules.versions(made.id()))
        .extracting(EntryVersion::changedBy)
        .containsExactly("them", "you", "me");
    assertThat(rules.versions(made.id()))
        .extracting(EntryVersion::isRemoval)
        .containsExactly(true, false, false);
  }

  /** As a node of this version does while others, of a later one, know another field. */
  @Test
  void keepsFieldsThatOnlyALaterVersionKnows() {
    Rule made = made(rules);
    Database.execute(
        database.pool(),
        "update rule_version set more = 'later=a%26b' where rule_id = " + made.id());

    Rule changed = ((Change.Done<Rule>) rules.change(made.id(), 1, made.spec(), "you")).entry();
    assertThat(rules.find(made.id())).contains(changed);
    rules.remove(made.id(), 2, "them");

    assertThat(
            Database.number(
                database.pool(),
                "select count(*) from rule_version where more = 'later=a%26b' and rule_id = "
                    + made.id()))
        .isEqualTo(3);
  }

  /** As a node of the version before does, which does not know the column. */
  @Test
  void readsARowWithoutTheFieldsThatHaveNoColumn() {
    Rule made = made(rules);
    Database.execute(
        database.pool(), "update rule_version set more = null where rule_id = " + made.id());

    assertThat(rules.find(made.id())).contains(made);
  }

  @Test
  void aChangeReachesTheBookOfAnotherNodeAtOnce() throws Exception {
    JdbcRules otherNode = new JdbcRules(database.otherPool(), StoreClock.DATABASE);
    RuleIndex index = new RuleIndex(rules, RuleObserver.NONE);
    try (ChangeListener listener = database.listener(Channel.RULE, index::refresh)) {
      assertThat(listener.awaitListening(Database.MAX_WAIT)).isTrue();
      Rule made = made(otherNode);
      Await.until(() -> index.find(made.name()) != null);
      otherNode.remove(made.id(), 1, "me");
      Await.until(() -> index.find(made.name()) == null);
    }
  }

  private Rule made(Rules where) {
    return ((Change.Done<Rule>) where.create(titled("/" + UUID.randomUUID()), "me")).entry();
  }
}
