package dev.weir.store.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.limits.FixedWindow;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.SlidingWindow;
import dev.weir.core.limits.TokenBucket;
import dev.weir.engine.limits.OnStoreFailure;
import dev.weir.engine.limits.Policy;
import dev.weir.engine.rules.Rule;
import dev.weir.engine.rules.RuleChange;
import dev.weir.engine.rules.Rules;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** What everybody who keeps rules must prove. */
public abstract class RulesKit {
  private static final Limit LIMIT = FixedWindow.of(100, Duration.ofMinutes(1));

  private final String name = "r-" + UUID.randomUUID();

  /** Where rules are kept; others may keep theirs there too. */
  protected abstract Rules rules();

  @Test
  void findsARuleAsItWasMade() {
    List<Limit> limits =
        List.of(
            LIMIT,
            FixedWindow.of(1, Duration.ofMillis(1)).alignedToEpoch(),
            SlidingWindow.of(5, Duration.ofDays(1)),
            TokenBucket.perSecond(10, new BigDecimal("0.3")));
    for (Limit limit : limits) {
      for (OnStoreFailure failure : OnStoreFailure.values()) {
        Rule.Terms terms =
            new Rule.Terms(
                new Policy<>(name + limit + failure, limit, failure),
                failure == OnStoreFailure.OPEN);
        Rule made = done(rules().create(terms)).rule();

        assertThat(made.terms()).isEqualTo(terms);
        assertThat(made.version()).isEqualTo(1);
        assertThat(made.updatedAt()).isEqualTo(made.createdAt());
        assertThat(rules().find(made.id())).contains(made);
        assertThat(rules().all()).contains(made);
      }
    }
  }

  @Test
  void aChangeIsTheNextVersionAndAnotherNameIsAllowed() {
    Rule made = done(rules().create(terms(name))).rule();

    RuleChange.Done changed = done(rules().change(made.id(), 1, terms(name + "-2")));

    assertThat(changed.before()).contains(made);
    assertThat(changed.rule().version()).isEqualTo(2);
    assertThat(changed.rule().name()).isEqualTo(name + "-2");
    assertThat(changed.rule().createdAt()).isEqualTo(made.createdAt());
    assertThat(rules().find(made.id())).contains(changed.rule());
    assertThat(rules().create(terms(name))).isInstanceOf(RuleChange.Done.class);
  }

  @Test
  void whoKnowsAnOlderVersionChangesNothing() {
    Rule made = done(rules().create(terms(name))).rule();
    Rule current = done(rules().change(made.id(), Rules.ANY_VERSION, terms(name))).rule();

    assertThat(rules().change(made.id(), 1, terms(name + "-2")))
        .isEqualTo(new RuleChange.Stale(current));
    assertThat(rules().remove(made.id(), 1)).isEqualTo(new RuleChange.Stale(current));
    assertThat(rules().find(made.id())).contains(current);
  }

  @Test
  void aNameBelongsToOneRuleUntilThatIsRemoved() {
    Rule made = done(rules().create(terms(name))).rule();
    Rule other = done(rules().create(terms(name + "-2"))).rule();

    assertThat(rules().create(terms(name))).isInstanceOf(RuleChange.NameTaken.class);
    assertThat(rules().change(other.id(), Rules.ANY_VERSION, terms(name)))
        .isInstanceOf(RuleChange.NameTaken.class);

    assertThat(done(rules().remove(made.id(), 1)).before()).contains(made);
    Rule again = done(rules().create(terms(name))).rule();
    assertThat(again.id()).isNotEqualTo(made.id());
  }

  @Test
  void whatWasRemovedIsUnknown() {
    Rule made = done(rules().create(terms(name))).rule();
    rules().remove(made.id(), Rules.ANY_VERSION);

    assertThat(rules().find(made.id())).isEmpty();
    assertThat(rules().all()).extracting(Rule::id).doesNotContain(made.id());
    assertThat(rules().remove(made.id(), Rules.ANY_VERSION)).isInstanceOf(RuleChange.Unknown.class);
    assertThat(rules().change(made.id(), Rules.ANY_VERSION, terms(name)))
        .isInstanceOf(RuleChange.Unknown.class);
    assertThat(rules().change(Long.MAX_VALUE, Rules.ANY_VERSION, terms(name)))
        .isInstanceOf(RuleChange.Unknown.class);
  }

  @Test
  void ofManyThatChangeTheSameVersionOneWins() throws Exception {
    Rule made = done(rules().create(terms(name))).rule();
    List<FutureTask<RuleChange>> callers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      callers.add(new FutureTask<>(() -> rules().change(made.id(), 1, terms(name))));
    }
    callers.forEach(Thread.ofVirtual()::start);

    int won = 0;
    for (FutureTask<RuleChange> caller : callers) {
      won += caller.get() instanceof RuleChange.Done ? 1 : 0;
    }
    assertThat(won).isEqualTo(1);
    assertThat(rules().find(made.id()).orElseThrow().version()).isEqualTo(2);
  }

  @Test
  void ofManyThatMakeTheSameNameOneWins() throws Exception {
    List<FutureTask<RuleChange>> callers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      callers.add(new FutureTask<>(() -> rules().create(terms(name))));
    }
    callers.forEach(Thread.ofVirtual()::start);

    for (FutureTask<RuleChange> caller : callers) {
      caller.get();
    }
    assertThat(rules().all()).extracting(Rule::name).containsOnlyOnce(name);
  }

  private static Rule.Terms terms(String name) {
    return new Rule.Terms(Policy.of(name, LIMIT), true);
  }

  private static RuleChange.Done done(RuleChange change) {
    assertThat(change).isInstanceOf(RuleChange.Done.class);
    return (RuleChange.Done) change;
  }
}
