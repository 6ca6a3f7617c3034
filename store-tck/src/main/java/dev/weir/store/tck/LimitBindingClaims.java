package dev.weir.store.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.limits.Decision;
import dev.weir.core.limits.Limit;
import dev.weir.engine.limits.Answer;
import dev.weir.engine.limits.Ask;
import dev.weir.engine.limits.Demand;
import dev.weir.engine.limits.Policy;
import dev.weir.engine.limits.Refund;
import dev.weir.engine.limits.RequestBinding;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A request id belongs to one request, and remembers what became of all of it. */
interface LimitBindingClaims<L extends Limit> extends LimitClaims<L> {
  Duration REMEMBERED = Duration.ofSeconds(7);
  Decision.Delayed WAIT = new Decision.Delayed(0, 20, 1_500_000, 3);
  int AT_ONCE = 24;

  @Test
  default void idOfAnotherDemandIsRefusedAndTakesNothing() {
    forEachKind(
        10,
        limit -> {
          LimitScene<L> scene = limitScene();
          Policy<L> p = scene.policy("p", limit);
          Policy<L> q = scene.policy("q", limit);
          List<Ask<L>> asks = List.of(new Ask<>(p, "k", 2), new Ask<>(q, "k", 3));
          Demand<L> demand = scene.repeatable("id", REMEMBERED, asks);
          Answer first = scene.node.decide(demand);
          List<List<Ask<L>>> others =
              List.of(
                  List.of(new Ask<>(q, "k", 3), new Ask<>(p, "k", 2)),
                  List.of(new Ask<>(p, "k", 2), new Ask<>(q, "k", 2)),
                  List.of(new Ask<>(p, "l", 2), new Ask<>(q, "l", 3)),
                  List.of(new Ask<>(p, "k", 2)),
                  List.of(new Ask<>(q, "k", 3)),
                  List.of(new Ask<>(p, "k", 2), new Ask<>(q, "k", 3), new Ask<>(p, "l", 1)));
          for (List<Ask<L>> other : others) {
            Demand<L> reused = scene.repeatable("id", REMEMBERED, other);
            Answer answer = scene.otherNode.decide(reused);
            assertThat(answer).isEqualTo(Answer.reused(scene.clock.instant()));
            assertThat(answer.isAllowed()).isFalse();
            assertThat(scene.node.recall(reused)).contains(answer);
            assertThat(scene.node.refund(reused, first.decidedAt())).isEqualTo(Refund.REUSED);
          }
          assertThat(scene.remaining(p, "k")).isEqualTo(8);
          assertThat(scene.remaining(q, "k")).isEqualTo(7);
          assertThat(scene.remaining(p, "l")).isEqualTo(10);
          assertThat(scene.remaining(q, "l")).isEqualTo(10);
          assertThat(scene.node.decide(demand).isReplayed()).isTrue();
        });
  }

  @Test
  default void refusedDemandLeavesItsIdToOthers() {
    forEachKind(
        2,
        limit -> {
          LimitScene<L> scene = limitScene();
          Policy<L> policy = scene.policy("p", limit);
          scene.decide(policy, "k", 2);
          Demand<L> refused =
              scene.repeatable("id", REMEMBERED, List.of(new Ask<>(policy, "k", 1)));
          assertThat(scene.node.decide(refused).isReused()).isFalse();
          Demand<L> other = scene.repeatable("id", REMEMBERED, List.of(new Ask<>(policy, "l", 1)));
          assertThat(scene.otherNode.decide(other).isAllowed()).isTrue();
          assertThat(scene.node.decide(refused).isReused()).isTrue();
        });
  }

  @Test
  default void whatIsWaitedForIsRememberedAndTakesNothing() {
    forEachKind(
        10,
        limit -> {
          LimitScene<L> scene = limitScene();
          Policy<L> p = scene.policy("p", limit);
          Policy<L> q = scene.policy("q", limit);
          Demand<L> demand =
              waiting(
                  scene.repeatable(
                      "id", REMEMBERED, List.of(new Ask<>(p, "k", 2), new Ask<>(q, "k", 3))),
                  Map.of(0, WAIT));
          Answer first = scene.node.decide(demand);
          assertThat(first.isAllowed()).isTrue();
          assertThat(first.decisions().getFirst()).isEqualTo(WAIT);
          assertThat(first.decisions().getLast()).isInstanceOf(Decision.Allowed.class);
          assertThat(scene.remaining(p, "k")).isEqualTo(10);
          assertThat(scene.remaining(q, "k")).isEqualTo(7);

          // Whoever repeats it does not know what was waited for.
          Demand<L> repeated = waiting(demand, Map.of());
          scene.moveMicros(1_000_000);
          assertThat(scene.otherNode.decide(repeated))
              .isEqualTo(first.replayed(scene.clock.instant(), RequestBinding.NO_NOTE));
          scene.decide(p, "k", 4);
          assertThat(scene.otherNode.refund(repeated, scene.clock.instant()))
              .isEqualTo(Refund.GIVEN_BACK);
          assertThat(scene.remaining(p, "k")).isEqualTo(6);
          assertThat(scene.remaining(q, "k")).isEqualTo(10);
        });
  }

  @Test
  default void demandThatOnlyWaitsIsRemembered() {
    forEachKind(
        1,
        limit -> {
          LimitScene<L> scene = limitScene();
          Policy<L> policy = scene.policy("p", limit);
          Demand<L> plain = scene.repeatable("id", REMEMBERED, List.of(new Ask<>(policy, "k", 1)));
          scene.decide(policy, "k", 1);
          Answer first = scene.node.decide(waiting(plain, Map.of(0, WAIT)));
          assertThat(first.decisions()).containsExactly(WAIT);
          assertThat(scene.otherNode.decide(plain))
              .isEqualTo(first.replayed(scene.clock.instant(), RequestBinding.NO_NOTE));
          assertThat(scene.node.refund(plain, first.decidedAt())).isEqualTo(Refund.GIVEN_BACK);
          assertThat(scene.remaining(policy, "k")).isZero();
        });
  }

  @Test
  default void demandWithoutAsksIsRememberedWithItsNote() {
    LimitScene<L> scene = limitScene();
    UUID note = UUID.randomUUID();
    Demand<L> demand = bare(scene, note);
    assertThat(scene.node.recall(demand)).isEmpty();
    Answer first = scene.node.decide(demand);
    assertThat(first.isAllowed()).isTrue();
    assertThat(first.isReplayed()).isFalse();
    scene.moveMicros(3);
    Answer again = first.replayed(scene.clock.instant(), note);
    Demand<L> repeated = bare(scene, UUID.randomUUID());
    assertThat(scene.otherNode.decide(repeated)).isEqualTo(again);
    assertThat(scene.otherNode.recall(repeated)).contains(again);
    assertThat(scene.otherNode.refund(repeated, first.decidedAt())).isEqualTo(Refund.GIVEN_BACK);
    assertThat(scene.node.recall(repeated)).isEmpty();
  }

  @Test
  default void recallTakesAndRemembersNothing() {
    forEachKind(
        10,
        limit -> {
          LimitScene<L> scene = limitScene();
          Policy<L> policy = scene.policy("p", limit);
          Demand<L> demand = scene.repeatable("id", REMEMBERED, List.of(new Ask<>(policy, "k", 1)));
          assertThat(scene.node.recall(demand)).isEmpty();
          assertThat(scene.remaining(policy, "k")).isEqualTo(10);
          Answer first = scene.node.decide(demand);
          assertThat(first.isReplayed()).isFalse();
          assertThat(scene.otherNode.recall(demand))
              .contains(first.replayed(scene.clock.instant(), RequestBinding.NO_NOTE));
          scene.clock.move(REMEMBERED);
          assertThat(scene.otherNode.recall(demand)).isEmpty();
        });
  }

  /** What was granted is given back as of then, whatever whoever gives it back says. */
  @Test
  default void refundGoesByTheTimeOfTheGrant() {
    forEachKind(
        10,
        limit -> {
          LimitScene<L> scene = limitScene();
          Policy<L> policy = scene.policy("p", limit);
          Demand<L> demand =
              scene.repeatable("id", Demand.LONGEST_TTL, List.of(new Ask<>(policy, "k", 4)));
          scene.node.decide(demand);
          scene.clock.move(MINUTE.multipliedBy(3));
          scene.decide(policy, "k", 5);
          assertThat(scene.node.refund(demand, scene.clock.instant())).isEqualTo(Refund.GIVEN_BACK);
          assertThat(scene.remaining(policy, "k")).isEqualTo(5);
        });
  }

  @Test
  default void ofDifferentDemandsWithOneIdAtOnceOneIsGranted() {
    forEachKind(
        AT_ONCE,
        limit -> {
          LimitScene<L> scene = limitScene();
          Policy<L> policy = scene.policy("p", limit);
          List<Answer> answers =
              Crowd.atOnce(
                  AT_ONCE,
                  caller ->
                      scene
                          .node(caller)
                          .decide(
                              scene.repeatable(
                                  "id",
                                  REMEMBERED,
                                  List.of(
                                      new Ask<>(policy, "k" + caller % 3, 1 + caller / 3 % 2)))));
          assertThat(answers.stream().filter(answer -> answer.isAllowed() && !answer.isReplayed()))
              .hasSize(1);
          assertThat(answers.stream().filter(Answer::isReused)).isNotEmpty();
          long taken =
              IntStream.range(0, 3)
                  .mapToLong(key -> limit.most() - scene.remaining(policy, "k" + key))
                  .sum();
          assertThat(taken).isBetween(1L, 2L);
        });
  }

  /** Whatever order they come in, what is taken at the end is what the id remembers. */
  @Test
  default void takingAndGivingBackOneIdAtOnceAddsUp() {
    forEachKind(
        10,
        limit -> {
          LimitScene<L> scene = limitScene();
          Policy<L> p = scene.policy("p", limit);
          Policy<L> q = scene.policy("q", limit);
          Demand<L> plain =
              scene.repeatable(
                  "id", REMEMBERED, List.of(new Ask<>(p, "k", 1), new Ask<>(q, "k", 2)));
          Instant now = scene.clock.instant();
          List<Boolean> done =
              Crowd.atOnce(
                  AT_ONCE,
                  caller ->
                      switch (caller / 2 % 4) {
                        case 0 -> scene.node(caller).decide(plain).isAllowed();
                        case 1 ->
                            scene.node(caller).decide(waiting(plain, Map.of(1, WAIT))).isAllowed();
                        case 2 -> scene.node(caller).refund(plain, now) != Refund.REUSED;
                        default -> scene.node(caller).peek(plain).isAllowed();
                      });
          assertThat(done).containsOnly(true);
          List<Decision> left =
              scene.node.recall(plain).map(Answer::decisions).orElse(List.<Decision>of());
          assertThat(scene.remaining(p, "k")).isEqualTo(left.isEmpty() ? 10 : 9);
          assertThat(scene.remaining(q, "k"))
              .isEqualTo(left.isEmpty() || left.getLast() instanceof Decision.Delayed ? 10 : 8);
        });
  }

  private Demand<L> bare(LimitScene<L> scene, UUID note) {
    Policy<L> policy = scene.policy("p", aMinuteOf(1, kinds().getFirst()));
    RequestBinding request =
        scene.repeatable("id", REMEMBERED, List.of(new Ask<>(policy, "k", 1))).request();
    return new Demand<>(
        List.of(),
        Map.of(),
        new RequestBinding(request.id(), request.ttl(), request.digest(), note));
  }

  private static <L extends Limit> Demand<L> waiting(
      Demand<L> demand, Map<Integer, Decision.Delayed> waits) {
    return new Demand<>(demand.asks(), waits, demand.request());
  }
}
