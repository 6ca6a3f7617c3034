package dev.weir.store.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.limits.Concurrency;
import dev.weir.core.limits.FixedWindow;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.SlidingWindow;
import dev.weir.core.limits.TokenBucket;
import dev.weir.engine.limits.OnStoreFailure;
import dev.weir.engine.rules.Allowance;
import dev.weir.engine.rules.Coverage;
import dev.weir.engine.rules.KeyPart;
import dev.weir.engine.rules.PathPattern;
import dev.weir.engine.rules.Rule;
import dev.weir.engine.rules.RuleChange;
import dev.weir.engine.rules.RuleVersion;
import dev.weir.engine.rules.Rules;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** What everybody who keeps rules must prove. */
public abstract class RulesKit {
  private static final String ME = "me";
  private static final Limit LIMIT = FixedWindow.of(100, Duration.ofMinutes(1));

  private final String name = "r-" + UUID.randomUUID();

  /** Where rules are kept; others may keep theirs there too. */
  protected abstract Rules rules();

  @Test
  void findsARuleAsItWasMade() {
    for (Allowance allowance : allowances()) {
      for (OnStoreFailure failure : failures(allowance)) {
        for (Coverage coverage : coverages()) {
          Rule.Terms terms =
              new Rule.Terms(
                  "r-" + UUID.randomUUID(),
                  coverage,
                  allowance,
                  failure,
                  failure == OnStoreFailure.LOCAL ? -7 : 1_000_000,
                  failure == OnStoreFailure.OPEN ? Rule.Mode.SHADOW : Rule.Mode.ENFORCE,
                  failure == OnStoreFailure.OPEN);
          Rule made = done(rules().create(terms, ME)).rule();

          assertThat(made.terms()).isEqualTo(terms);
          assertThat(made.version()).isEqualTo(1);
          assertThat(made.updatedAt()).isEqualTo(made.createdAt());
          assertThat(rules().find(made.id())).contains(made);
          assertThat(rules().all()).contains(made);
        }
      }
    }
  }

  private static List<Allowance> allowances() {
    return List.of(
        Allowance.Rate.of(LIMIT),
        new Allowance.Rate(
            FixedWindow.of(1, Duration.ofMillis(1)).alignedToEpoch(),
            new Allowance.Waiting(true, 3, 500)),
        new Allowance.Rate(
            SlidingWindow.of(5, Duration.ofDays(1)), new Allowance.Waiting(false, 7, 1)),
        Allowance.Rate.of(TokenBucket.perSecond(10, new BigDecimal("0.3"))),
        new Allowance.Together(Concurrency.of(50, Duration.ofSeconds(30))));
  }

  private static List<OnStoreFailure> failures(Allowance allowance) {
    return allowance instanceof Allowance.Together
        ? List.of(OnStoreFailure.CLOSED, OnStoreFailure.OPEN)
        : List.of(OnStoreFailure.values());
  }

  private static List<Coverage> coverages() {
    return List.of(
        Coverage.BY_NAME,
        Coverage.of(PathPattern.of("/api/{id}/café/**"))
            .methods(Set.of("POST", "GET"))
            .keyBy(
                List.of(
                    new KeyPart.Header("X-Api-Key"),
                    new KeyPart.Path(),
                    new KeyPart.Global(),
                    new KeyPart.Ip())));
  }

  @Test
  void tellsWhoMadeEachVersionTheNewestFirst() {
    Rule made = done(rules().create(terms(name), "one")).rule();
    Rule changed = done(rules().change(made.id(), 1, terms(name + "-2"), "two")).rule();

    assertThat(rules().versions(made.id()))
        .containsExactly(
            new RuleVersion(changed, "two", false), new RuleVersion(made, "one", false));
    assertThat(rules().versions(Long.MAX_VALUE)).isEmpty();
  }

  @Test
  void aChangeIsTheNextVersionAndAnotherNameIsAllowed() {
    Rule made = done(rules().create(terms(name), ME)).rule();

    RuleChange.Done changed = done(rules().change(made.id(), 1, terms(name + "-2"), ME));

    assertThat(changed.before()).contains(made);
    assertThat(changed.rule().version()).isEqualTo(2);
    assertThat(changed.rule().name()).isEqualTo(name + "-2");
    assertThat(changed.rule().createdAt()).isEqualTo(made.createdAt());
    assertThat(rules().find(made.id())).contains(changed.rule());
    assertThat(rules().create(terms(name), ME)).isInstanceOf(RuleChange.Done.class);
  }

  @Test
  void whoKnowsAnOlderVersionChangesNothing() {
    Rule made = done(rules().create(terms(name), ME)).rule();
    Rule current = done(rules().change(made.id(), Rules.ANY_VERSION, terms(name), ME)).rule();

    assertThat(rules().change(made.id(), 1, terms(name + "-2"), ME))
        .isEqualTo(new RuleChange.Stale(current));
    assertThat(rules().remove(made.id(), 1, ME)).isEqualTo(new RuleChange.Stale(current));
    assertThat(rules().find(made.id())).contains(current);
  }

  @Test
  void aNameBelongsToOneRuleUntilThatIsRemoved() {
    Rule made = done(rules().create(terms(name), ME)).rule();
    Rule other = done(rules().create(terms(name + "-2"), ME)).rule();

    assertThat(rules().create(terms(name), ME)).isInstanceOf(RuleChange.NameTaken.class);
    assertThat(rules().change(other.id(), Rules.ANY_VERSION, terms(name), ME))
        .isInstanceOf(RuleChange.NameTaken.class);

    assertThat(done(rules().remove(made.id(), 1, ME)).before()).contains(made);
    Rule again = done(rules().create(terms(name), ME)).rule();
    assertThat(again.id()).isNotEqualTo(made.id());
  }

  @Test
  void whatWasRemovedIsUnknown() {
    Rule made = done(rules().create(terms(name), ME)).rule();
    rules().remove(made.id(), Rules.ANY_VERSION, ME);

    assertThat(rules().find(made.id())).isEmpty();
    assertThat(rules().all()).extracting(Rule::id).doesNotContain(made.id());
    assertThat(rules().remove(made.id(), Rules.ANY_VERSION, ME))
        .isInstanceOf(RuleChange.Unknown.class);
    assertThat(rules().change(made.id(), Rules.ANY_VERSION, terms(name), ME))
        .isInstanceOf(RuleChange.Unknown.class);
    assertThat(rules().change(Long.MAX_VALUE, Rules.ANY_VERSION, terms(name), ME))
        .isInstanceOf(RuleChange.Unknown.class);
  }

  @Test
  void ofManyThatChangeTheSameVersionOneWins() throws Exception {
    Rule made = done(rules().create(terms(name), ME)).rule();
    List<FutureTask<RuleChange>> callers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      callers.add(new FutureTask<>(() -> rules().change(made.id(), 1, terms(name), ME)));
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
      callers.add(new FutureTask<>(() -> rules().create(terms(name), ME)));
    }
    callers.forEach(Thread.ofVirtual()::start);

    for (FutureTask<RuleChange> caller : callers) {
      caller.get();
    }
    assertThat(rules().all()).extracting(Rule::name).containsOnlyOnce(name);
  }

  private static Rule.Terms terms(String name) {
    return Rule.Terms.of(name, Allowance.Rate.of(LIMIT));
  }

  private static RuleChange.Done done(RuleChange change) {
    assertThat(change).isInstanceOf(RuleChange.Done.class);
    return (RuleChange.Done) change;
  }
}
