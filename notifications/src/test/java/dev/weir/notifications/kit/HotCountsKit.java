package dev.weir.notifications.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.limits.Decision;
import dev.weir.limits.FixedWindow;
import dev.weir.notifications.kit.HotTrace.Step;
import dev.weir.notifications.messages.HotCounts;
import dev.weir.notifications.messages.HotCounts.Checked;
import dev.weir.notifications.messages.HotCounts.Passed;
import dev.weir.notifications.messages.HotCounts.Refusal;
import dev.weir.notifications.messages.HotCounts.Wanted;
import dev.weir.notifications.messages.UserLimit.Algorithm;
import dev.weir.notifications.messages.UserLimit.CostBy;
import dev.weir.notifications.messages.UserState;
import dev.weir.store.tck.internal.Crowd;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/**
 * The compatibility kit of filters in front of the database: a filter refuses only what the
 * database would refuse, with the same decision, and never for long without asking it.
 */
public interface HotCountsKit {
  /** Returns a filter that uses only this clock. One may serve all claims. */
  HotCounts hotCountsBy(InstantSource clock);

  private HotScene hotScene() {
    return HotScene.of(this::hotCountsBy);
  }

  @Property(
      tries = 150,
      seed = "20260619",
      edgeCases = EdgeCasesMode.NONE,
      shrinking = ShrinkingMode.BOUNDED)
  default void refusesOnlyWhatTheDatabaseRefuses(
      @ForAll(supplier = HotTraces.class) HotTrace trace) {
    HotScene scene = hotScene();
    for (Step step : trace.steps()) {
      switch (step) {
        case Step.Configure configure ->
            scene.configure(configure.rateLimit(), configure.algorithm(), configure.costBy());
        case Step.Send send -> scene.send(send.parts());
        case Step.Withdraw withdraw -> scene.withdraw();
        case Step.Lose lose -> scene.hot.forget(scene.user);
        case Step.MoveClock move -> scene.clock.move(Micros.duration(move.micros()));
      }
    }
  }

  @Property(tries = 50, seed = "20260620", edgeCases = EdgeCasesMode.MIXIN)
  default void usedUpLimitIsRefusedWithoutTheDatabase(
      @ForAll @IntRange(min = 1, max = 6) int limit) {
    HotScene scene = hotScene();
    scene.limit(limit);
    for (int i = 0; i < limit; i++) {
      assertThat(scene.passes()).isTrue();
      scene.hot.learn(List.of(HotScene.state(scene.decide(1))));
    }

    for (int i = 0; i < 10; i++) {
      assertThat(scene.check())
          .isEqualTo(
              new Refusal(
                  FixedWindow.of(limit, Duration.ofMinutes(1)),
                  new Decision.Refused(0, 60_000_000, 60_000_000)));
    }
  }

  @Test
  default void unknownUserPasses() {
    assertThat(hotScene().passes()).isTrue();
  }

  @Property(
      tries = 30,
      seed = "20260621",
      edgeCases = EdgeCasesMode.NONE,
      shrinking = ShrinkingMode.OFF)
  default void oneOfManyCallersPassesForTheLastPlace(
      @ForAll @IntRange(min = 2, max = 32) int callers) {
    HotScene scene = hotScene();
    scene.limit(3);
    scene.send(1);
    scene.send(1);

    assertThat(
            Crowd.concurrently(callers, caller -> scene.passes()).stream().filter(passed -> passed))
        .hasSize(1);
  }

  @Test
  default void oneOfManyCallersConfirmsAFullEntry() {
    HotScene scene = hotScene();
    full(scene);
    scene.clock.move(Duration.ofMillis(HotCounts.MAX_TRUST_MILLIS - 1));
    assertThat(scene.passes()).isFalse();
    scene.clock.move(Duration.ofMillis(1));

    assertThat(Crowd.concurrently(24, caller -> scene.passes()).stream().filter(passed -> passed))
        .hasSize(1);
    // If the one that passed never comes back, the next does so later.
    scene.clock.move(Duration.ofMillis(HotCounts.MAX_TRUST_MILLIS));
    assertThat(scene.passes()).isTrue();
  }

  /** The clocks of the database and of this store were ahead by the same. */
  @Test
  default void clockThatWasFarAheadDelaysNoMessageForLong() {
    for (Algorithm algorithm : Algorithm.values()) {
      HotScene scene = hotScene();
      scene.configure(2, algorithm, CostBy.MESSAGE);
      scene.clock.move(Duration.ofHours(2));
      scene.send(1);
      scene.send(1);
      scene.clock.move(Duration.ofHours(-2));

      scene.send(1);
      assertThat(scene.check())
          .isInstanceOfSatisfying(
              Refusal.class,
              refusal ->
                  assertThat(refusal.decision().retryAfterMicros()).isBetween(1L, 120_000_000L));

      scene.clock.move(Duration.ofMinutes(2));
      scene.send(1);
      assertThat(scene.state().currentCount()).isBetween(1L, 2L);
    }
  }

  /** A node dies after it has asked the filter and before it has asked the database. */
  @Test
  default void entryThatCountsTooMuchCorrectsItself() {
    HotScene scene = hotScene();
    scene.limit(2);
    scene.send(1);
    assertThat(scene.passes()).isTrue();
    assertThat(scene.passes()).isFalse();
    scene.clock.move(Duration.ofMillis(HotCounts.MAX_TRUST_MILLIS));

    assertThat(scene.passes()).isTrue();
    scene.hot.learn(List.of(scene.state()));

    assertThat(scene.passes()).isTrue();
    assertThat(scene.passes()).isFalse();
  }

  /** The database has refused what was counted here: nothing has changed there. */
  @Test
  default void sameRevisionCorrectsTheCount() {
    HotScene scene = hotScene();
    scene.limit(2);
    scene.send(1);
    scene.hot.learn(List.of(scene.state()));
    assertThat(scene.passes()).isTrue();

    scene.hot.learn(List.of(scene.state()));

    assertThat(scene.passes()).isTrue();
    assertThat(scene.passes()).isFalse();
  }

  @Test
  default void earlierStateIsIgnored() {
    HotScene scene = hotScene();
    UserState empty = scene.limit(1);
    UserState used = HotScene.state(scene.decide(1));
    scene.hot.learn(List.of(used, empty));
    assertThat(scene.passes()).isFalse();

    scene.hot.learn(List.of(empty));

    assertThat(scene.passes()).isFalse();
  }

  @Test
  default void fullStateOfAnEarlierVersionNeverWins() {
    HotScene scene = hotScene();
    scene.limit(1);
    UserState used = HotScene.state(scene.decide(1));
    scene.limit(1);

    scene.hot.learn(List.of(used));

    assertThat(scene.passes()).isTrue();
  }

  /** The limit was changed while the filter could not be reached. */
  @Test
  default void entryOfAnEarlierVersionIsDropped() {
    HotScene scene = hotScene();
    UserState used = full(scene);

    assertThat(scene.check(1, used.version())).isInstanceOf(Refusal.class);
    assertThat(scene.check(1, used.version() + 1)).isEqualTo(Passed.UNKNOWN);
    assertThat(scene.check(1, 0)).isEqualTo(Passed.UNKNOWN);
  }

  /** The database has lost its last commits. */
  @Test
  default void confirmedEntryFollowsTheDatabaseEvenBackwards() {
    HotScene scene = hotScene();
    UserState empty = scene.limit(1);
    scene.send(1);
    scene.hot.learn(List.of(scene.state()));
    scene.clock.move(Duration.ofMillis(HotCounts.MAX_TRUST_MILLIS));
    assertThat(scene.passes()).isTrue();

    scene.hot.learn(List.of(empty));

    assertThat(scene.passes()).isTrue();
  }

  @Test
  default void forgottenUserPasses() {
    HotScene scene = hotScene();
    full(scene);

    scene.hot.forget(scene.user);

    assertThat(scene.passes()).isTrue();
  }

  @Test
  default void entryEndsWithItsWindow() {
    HotScene scene = hotScene();
    full(scene);
    // Keeps the entry confirmed, so that only the end of the window lets a message pass.
    for (int second = 0; second < 59; second++) {
      scene.clock.move(Duration.ofSeconds(1));
      scene.hot.learn(List.of(scene.state()));
      assertThat(scene.passes()).isFalse();
    }
    scene.clock.move(Duration.ofSeconds(1));

    assertThat(scene.passes()).isTrue();
  }

  @Test
  default void messageThatCostsMoreThanRemainsIsRefused() {
    HotScene scene = hotScene();
    scene.configure(5, Algorithm.FIXED_WINDOW, CostBy.PARTS);
    scene.send(3);

    assertThat(remaining(scene.check(3, 0))).isEqualTo(2);
    assertThat(scene.check(6, 0)).isEqualTo(Passed.UNKNOWN);
    assertThat(scene.check(2, 0)).isEqualTo(Passed.COUNTED);
    assertThat(remaining(scene.check(1, 0))).isEqualTo(0);
  }

  @Test
  default void usersOfOneCallAreCheckedSeparately() {
    HotScene one = hotScene();
    HotScene other = hotScene();
    full(one);
    other.limit(2);

    List<Checked> checked =
        one.hot.check(
            List.of(
                new Wanted(other.user, 1, 0),
                new Wanted(one.user, 1, 0),
                new Wanted(other.user, 1, 0),
                new Wanted(other.user, 1, 0)));

    assertThat(checked.stream().map(each -> each instanceof Refusal).toList())
        .isEqualTo(List.of(false, true, false, true));
    assertThat(one.hot.check(List.of())).isEmpty();
  }

  /** More users than a store may put into one command. */
  @Test
  default void resultsOfManyUsersBelongToTheirMessages() {
    List<HotScene> scenes = new ArrayList<>();
    List<Wanted> wanted = new ArrayList<>();
    List<Boolean> isRefused = new ArrayList<>();
    for (int i = 0; i < 150; i++) {
      HotScene scene = hotScene();
      boolean isFull = i % 3 == 0;
      if (isFull) {
        full(scene);
      } else {
        scene.limit(2);
      }
      scenes.add(scene);
      wanted.add(new Wanted(scene.user, 1, 0));
      isRefused.add(isFull);
    }

    List<Checked> checked = scenes.getFirst().hot.check(wanted);

    assertThat(checked.stream().map(each -> each instanceof Refusal).toList()).isEqualTo(isRefused);
  }

  /** The messages of a list are decided like messages one after the other. */
  @Test
  default void messagesOfOneCallAreCheckedInOrder() {
    HotScene scene = hotScene();
    scene.configure(6, Algorithm.FIXED_WINDOW, CostBy.PARTS);
    scene.send(1);

    List<Checked> checked =
        scene.hot.check(
            List.of(
                new Wanted(scene.user, 3, 0),
                new Wanted(scene.user, 3, 0),
                new Wanted(scene.user, 7, 0),
                new Wanted(scene.user, 2, 0),
                new Wanted(scene.user, 1, 0)));

    assertThat(remaining(checked.get(1))).isEqualTo(2);
    assertThat(remaining(checked.get(4))).isEqualTo(0);
    assertThat(List.of(checked.get(0), checked.get(2), checked.get(3)))
        .isEqualTo(List.of(Passed.COUNTED, Passed.UNKNOWN, Passed.COUNTED));
  }

  @Test
  default void oneMessageOfACallConfirmsAFullEntry() {
    HotScene scene = hotScene();
    full(scene);
    scene.clock.move(Duration.ofMillis(HotCounts.MAX_TRUST_MILLIS));

    List<Checked> checked = scene.hot.check(Collections.nCopies(3, new Wanted(scene.user, 1, 0)));

    assertThat(checked.stream().map(each -> each instanceof Refusal).toList())
        .isEqualTo(List.of(false, true, true));
  }

  @Test
  default void firstMessageOfAWindowIsLearned() {
    HotScene scene = hotScene();
    assertThat(scene.check()).isEqualTo(Passed.UNKNOWN);
    scene.limit(5);
    assertThat(scene.check()).isEqualTo(Passed.UNKNOWN);
    scene.hot.learn(List.of(HotScene.state(scene.decide(1))));
    assertThat(scene.check()).isEqualTo(Passed.COUNTED);
  }

  /** Its units come back as time passes, which only the database knows. */
  @Test
  default void everyMessageOfASlidingWindowIsLearned() {
    HotScene scene = hotScene();
    scene.configure(5, Algorithm.SLIDING_WINDOW, CostBy.MESSAGE);
    scene.send(1);
    assertThat(scene.check()).isEqualTo(Passed.UNKNOWN);
  }

  private static long remaining(Checked checked) {
    assertThat(checked).isInstanceOf(Refusal.class);
    return ((Refusal) checked).decision().remaining();
  }

  private static UserState full(HotScene scene) {
    scene.limit(1);
    scene.send(1);
    return scene.state();
  }
}
