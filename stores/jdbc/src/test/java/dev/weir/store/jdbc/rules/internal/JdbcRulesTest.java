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
