package dev.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.FixedWindow;
import dev.weir.limits.Policy;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.register.Change;
import dev.weir.register.EntryVersion;
import dev.weir.register.Register;
import dev.weir.rules.spec.Quota;
import dev.weir.rules.spec.RuleSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Rules of a database that was restored, in front of a store that was not. */
final class RestoredRulesTest {
  private static final Duration FIVE_SECONDS = Duration.ofSeconds(5);
  private static final Duration HOUR = Duration.ofHours(1);

  private Instant now = Instant.parse("2026-06-01T12:00:00Z");
  private final InstantSource clock = () -> now;
  private final Restorable rules = new Restorable();
  private final MemoryLimitStore store = new MemoryLimitStore(clock, 100);

  /** Rules in two histories of a database: the second one begins with a backup of the first. */
  private final class Restorable implements Rules {
    private MemoryRules inForce = new MemoryRules(clock);

    @Override
    public Change<Rule> create(RuleSpec spec, String changedBy) {
      return inForce.create(spec, changedBy);
    }

    @Override
    public Change<Rule> change(long id, int version, RuleSpec spec, String changedBy) {
      return inForce.change(id, version, spec, changedBy);
    }

    @Override
    public Change<Rule> remove(long id, int version, String changedBy) {
      return inForce.remove(id, version, changedBy);
    }

    @Override
    public Optional<Rule> find(long id) {
      return inForce.find(id);
    }

    @Override
    public List<EntryVersion<Rule>> versions(long id) {
      return inForce.versions(id);
    }

    @Override
    public List<Rule> all() {
      return inForce.all();
    }
  }

  private final MemoryRules backup = new MemoryRules(clock);

  private RuleIndex node() {
    RuleIndex index = new RuleIndex(rules, new RuleObserver() {});
    index.onLimitChange(store::settle);
    return index;
  }

  private static RuleSpec of(Duration window) {
    return RuleSpec.of("r", Quota.Rate.of(FixedWindow.of(5, window)));
  }

  private void change(Duration window) {
    Rule current = rules.all().getFirst();
    rules.change(current.id(), Register.ANY_VERSION, of(window), "test");
  }

  /** Changes the rule several times after the backup, and uses it up. */
  private RuleIndex useUpByAVersionThatIsLost(Duration backedUp) {
    rules.create(of(backedUp), "test");
    backup.create(of(backedUp), "test");
    RuleIndex node = node();
    for (int i = 0; i < 4; i++) {
      now = now.plusSeconds(1);
      change(i % 2 == 0 ? HOUR : FIVE_SECONDS.multipliedBy(2));
    }
    change(HOUR);
    node.refresh();
    assertThat(store.take(policy(node), "k", 5)).isTrue();
    now = now.plusSeconds(60);
    return node;
  }

  private static Policy policy(RuleIndex node) {
    LimitedRule rule = node.find("r");
    assertThat(rule).isNotNull();
    return ((LimitedRule.Counted) rule.kind()).policy();
  }

  @Test
  void nodeThatKnewTheLostVersionSettlesWhatItCounted() {
    RuleIndex node = useUpByAVersionThatIsLost(FIVE_SECONDS);

    rules.inForce = backup;
    node.refresh();
    assertThat(store.take(policy(node), "k", 1)).as("until the short window ends").isFalse();
    now = now.plusSeconds(6);
    assertThat(store.take(policy(node), "k", 5)).isTrue();
    now = now.plusSeconds(6);
    assertThat(store.take(policy(node()), "k", 5)).as("a node that was restarted").isTrue();
    node.refresh();
    now = now.plusSeconds(6);
    assertThat(store.take(policy(node), "k", 5)).isTrue();
  }

  /** Its number is lower than that of the lost version, its time is later. */
  @Test
  void oneChangeAfterTheRestoreIsLaterThanManyLostOnes() {
    // Longer than the usage is old: otherwise that is older than all that matters to the rule.
    useUpByAVersionThatIsLost(HOUR.dividedBy(4));

    rules.inForce = backup;
    change(HOUR.dividedBy(5));
    RuleIndex restarted = node();
    assertThat(store.take(policy(restarted), "k", 1)).isFalse();
    now = now.plus(HOUR.dividedBy(5));
    assertThat(store.take(policy(restarted), "k", 5)).isTrue();
  }

  @Test
  void ruleThatIsMadeAgainIsLaterThanTheOneThatWasRemoved() {
    RuleIndex cutOff = useUpByAVersionThatIsLost(FIVE_SECONDS);

    rules.remove(rules.all().getFirst().id(), Register.ANY_VERSION, "test");
    rules.create(of(FIVE_SECONDS), "test");
    RuleIndex node = node();
    assertThat(store.take(policy(node), "k", 1)).isFalse();
    now = now.plusSeconds(6);
    assertThat(store.take(policy(node), "k", 5)).isTrue();
    now = now.plusSeconds(6);
    assertThat(store.take(policy(cutOff), "k", 5)).as("counts by the new rule").isTrue();
    now = now.plusSeconds(6);
    assertThat(store.take(policy(node), "k", 5)).isTrue();
  }

  @Test
  void changesWithinASecondOrWhileTheClockIsSetBackAreInOrder() {
    rules.create(of(FIVE_SECONDS), "test");
    RuleIndex node = node();
    int before = policy(node).version();
    for (int i = 0; i < 10; i++) {
      now = now.minus(HOUR);
      change(FIVE_SECONDS);
      int next = policy(node()).version();
      assertThat(next).isGreaterThan(before);
      before = next;
    }
  }

  /** Otherwise a loss of the store would be taken for one from before the rule was made. */
  @Test
  void timeOfAClockThatWasFarAheadDoesNotStay() {
    rules.create(of(FIVE_SECONDS), "test");
    Instant right = now;
    now = right.plus(Duration.ofDays(700));
    change(HOUR);
    RuleIndex node = node();
    int before = policy(node).version();
    now = right.plusSeconds(10);
    change(FIVE_SECONDS);
    assertThat(rules.all().getFirst().updatedAt()).isEqualTo(now);
    node.refresh();
    assertThat(policy(node).version()).isGreaterThan(before);
  }
}
