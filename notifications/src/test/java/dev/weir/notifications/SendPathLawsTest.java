package dev.weir.notifications;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.notifications.ScriptedPublisher.Behaviour;
import dev.weir.notifications.messages.SendResult;
import dev.weir.store.tck.internal.Crowd;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

/** What holds for every course of requests and failures of the broker. */
final class SendPathLawsTest {
  private static final int USERS = 3;

  /** A step of a course. */
  sealed interface Step {
    /**
     * A request.
     *
     * @param key 0 for none
     */
    record Send(long userId, int key, Behaviour broker) implements Step {}

    /** The broker works, and what is old enough is published again. */
    record Republish(Behaviour broker) implements Step {}

    record Wait(Duration time) implements Step {}
  }

  /**
   * Whatever the broker does: no user is above the limit, and when it is over, the messages on the
   * topic are those that are counted, none that was answered is missing, and an idempotency key has
   * one message.
   */
  @Property(tries = 300)
  void whatIsCountedIsWhatIsOnTheTopic(
      @ForAll("courses") List<Step> course, @ForAll @LongRange(min = 1, max = 4) long limit) {
    ScriptedPublisher broker = new ScriptedPublisher();
    Set<UUID> answered = new HashSet<>();
    Map<String, UUID> byKey = new HashMap<>();
    try (SendScene scene = new SendScene(broker)) {
      for (long user = 0; user < USERS; user++) {
        scene.limit(user, limit);
      }
      for (Step step : course) {
        switch (step) {
          case Step.Send send -> {
            Optional<UUID> sent = send(scene, broker, send);
            sent.ifPresent(answered::add);
            if (send.key() > 0 && sent.isPresent()) {
              String key = send.userId() + "/" + send.key();
              assertThat(byKey.computeIfAbsent(key, any -> sent.get())).isEqualTo(sent.get());
            }
            assertThat(scene.count(send.userId())).isLessThanOrEqualTo(limit);
          }
          case Step.Republish republish -> {
            broker.behave(republish.broker());
            crashing(scene.republisher);
          }
          case Step.Wait wait -> scene.stores.clock.move(wait.time());
        }
      }
      broker.behave(Behaviour.TAKES);
      recover(scene);
      assertThat(scene.stores.outbox()).isEmpty();
      assertThat(broker.ids()).isEqualTo(scene.stores.counted()).containsAll(answered);
    }
  }

  private static Optional<UUID> send(SendScene scene, ScriptedPublisher broker, Step.Send send) {
    broker.behave(send.broker());
    Set<UUID> countedBefore = scene.stores.counted();
    boolean wasDown = scene.health.isDown();
    Optional<SendResult.Answer> outcome =
        ScriptedPublisher.unlessCrashed(
            () ->
                send.key() == 0
                    ? scene.send(send.userId(), "hello")
                    : scene.send(send.userId(), "hello", "key-" + send.key()));
    if (outcome.isEmpty()) {
      return Optional.empty();
    }
    return switch (outcome.get()) {
      case SendResult.Sent sent -> {
        assertThat(broker.ids()).contains(sent.message().id());
        yield Optional.of(sent.message().id());
      }
      case SendResult.BrokerUnknown unknown -> {
        assertThat(scene.stores.counted()).contains(unknown.messageId());
        yield Optional.empty();
      }
      case SendResult.BrokerRefused refused -> {
        assertThat(wasDown || send.broker() == Behaviour.REFUSES || isRejected(send)).isTrue();
        assertThat(scene.stores.counted()).isEqualTo(countedBefore);
        yield Optional.empty();
      }
      case SendResult.Limited limited -> {
        assertThat(scene.stores.counted()).isEqualTo(countedBefore);
        yield Optional.empty();
      }
      case SendResult.LimitedEarly other -> throw new AssertionError(other);
      case SendResult.Deferred other -> throw new AssertionError(other);
      case SendResult.TooManyDeferred other -> throw new AssertionError(other);
      case SendResult.Failed other -> throw new AssertionError(other);
      case SendResult.UnknownUser other -> throw new AssertionError(other);
      case SendResult.KeyReused other -> throw new AssertionError(other);
      case SendResult.TooExpensive other -> throw new AssertionError(other);
      case SendResult.Closed other -> throw new AssertionError(other);
    };
  }

  private static boolean isRejected(Step.Send send) {
    return send.broker() == Behaviour.REJECTS;
  }

  private static void crashing(Republisher republisher) {
    // What it had claimed when it crashed is claimed again later.
    var unused =
        ScriptedPublisher.unlessCrashed(
            () -> {
              republisher.run();
              return true;
            });
  }

  private static void recover(SendScene scene) {
    // Published messages leave the outbox in the background; those that have not yet are published
    // again, which is what happens after a crash too.
    scene.stores.clock.move(SendScene.OLD);
    scene.republisher.run();
  }

  @Provide
  Arbitrary<List<Step>> courses() {
    Arbitrary<Behaviour> mostlyWorking =
        Arbitraries.frequencyOf(
            Tuple.of(5, Arbitraries.just(Behaviour.TAKES)),
            Tuple.of(3, Arbitraries.of(Behaviour.class)));
    Arbitrary<Step> sends =
        Combinators.combine(
                Arbitraries.longs().between(0, USERS - 1),
                Arbitraries.integers().between(0, 3),
                mostlyWorking)
            .as(Step.Send::new);
    Arbitrary<Step> republishes = mostlyWorking.map(Step.Republish::new);
    Arbitrary<Step> waits =
        Arbitraries.of(
                Duration.ofSeconds(1), SendScene.OLD, SendScene.WINDOW, Duration.ofMinutes(30))
            .map(Step.Wait::new);
    return Arbitraries.frequencyOf(Tuple.of(6, sends), Tuple.of(2, republishes), Tuple.of(1, waits))
        .list()
        .ofMaxSize(30);
  }

  /** Property 5 of the specification. */
  @Property(tries = 60)
  void brokerThatRefusesLeavesTheCount(
      @ForAll @IntRange(min = 0, max = 5) int before,
      @ForAll @LongRange(min = 6, max = 20) long limit,
      @ForAll boolean hasKey) {
    ScriptedPublisher broker = new ScriptedPublisher();
    try (SendScene scene = new SendScene(broker)) {
      scene.limit(1, limit);
      for (int i = 0; i < before; i++) {
        assertThat(scene.send(1, "hello")).isInstanceOf(SendResult.Sent.class);
      }
      broker.behave(Behaviour.REFUSES);
      for (int i = 0; i < 3; i++) {
        assertThat(hasKey ? scene.send(1, "hello", "key") : scene.send(1, "hello"))
            .isInstanceOf(SendResult.BrokerRefused.class);
        assertThat(scene.count(1)).isEqualTo(before);
      }
      assertThat(broker.topic()).hasSize(before);
    }
  }

  /** Property 6 of the specification. */
  @Property(tries = 40)
  void ofManyCallersForOnePlaceExactlyOnePasses(
      @ForAll @IntRange(min = 0, max = 9) int taken,
      @ForAll @IntRange(min = 2, max = 40) int callers) {
    ScriptedPublisher broker = new ScriptedPublisher();
    try (SendScene scene = new SendScene(broker)) {
      scene.limit(1, taken + 1);
      for (int i = 0; i < taken; i++) {
        assertThat(scene.send(1, "hello")).isInstanceOf(SendResult.Sent.class);
      }
      List<SendResult.Answer> outcomes =
          Crowd.concurrently(callers, caller -> scene.send(1, "hi " + caller));
      assertThat(outcomes).filteredOn(SendResult.Sent.class::isInstance).hasSize(1);
      assertThat(outcomes).filteredOn(SendResult.Limited.class::isInstance).hasSize(callers - 1);
      assertThat(scene.count(1)).isEqualTo(taken + 1);
      assertThat(broker.topic()).hasSize(taken + 1);
    }
  }

  /** Many requests with one key at the same time send one message. */
  @Property(tries = 40)
  void callersWithOneKeySendOneMessage(@ForAll @IntRange(min = 2, max = 20) int callers) {
    ScriptedPublisher broker = new ScriptedPublisher();
    try (SendScene scene = new SendScene(broker)) {
      scene.limit(1, 100);
      List<SendResult.Answer> outcomes =
          Crowd.concurrently(callers, caller -> scene.send(1, "hello", "key"));
      assertThat(outcomes)
          .allSatisfy(outcome -> assertThat(outcome).isInstanceOf(SendResult.Sent.class));
      assertThat(broker.ids()).hasSize(1);
      assertThat(scene.count(1)).isEqualTo(1);
    }
  }
}
