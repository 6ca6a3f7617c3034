package dev.weir.notifications;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.notifications.ScriptedPublisher.Behaviour;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.SendRequest;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.notifications.messages.UserState;
import dev.weir.slots.OpeningHours;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

final class SendObserverTest {
  /** Notes messages that the broker is known to have, and requests that were answered. */
  private static final class Noted implements SendObserver {
    final List<UUID> published = new ArrayList<>();
    final List<SendResult.Answer> answers = new ArrayList<>();
    final List<Long> costs = new ArrayList<>();
    int undecided;

    @Override
    public void answered(Message request, SendResult.Answer outcome) {
      answers.add(outcome);
      if (outcome instanceof SendResult.Sent sent && !sent.isRepeated()) {
        published.add(sent.message().id());
      }
    }

    @Override
    public void undecided(Message request) {
      undecided++;
    }

    @Override
    public void publishedLater(Message message, long cost) {
      published.add(message.id());
      costs.add(cost);
    }

    @Override
    public void publishedLater(Message message, UserState state) {
      published.add(message.id());
    }
  }

  /** Whatever the broker does, in the end each message that it has is known, and no other. */
  @Property(tries = 80)
  void everyMessageThatTheBrokerHasIsNotedAndNoOther(
      @ForAll @Size(max = 20) List<Behaviour> behaviours) {
    ScriptedPublisher broker = new ScriptedPublisher();
    Noted noted = new Noted();
    try (SendScene scene = new SendScene(broker, HotFilter.none(), noted)) {
      scene.limit(1, 1_000);
      int requests = 0;
      for (Behaviour behaviour : behaviours) {
        broker.behave(behaviour);
        int pair = requests / 2;
        // After a crash the message is in the outbox.
        var unused =
            ScriptedPublisher.unlessCrashed(() -> scene.send(1, "message " + pair, "key " + pair));
        requests++;
      }
      // What the cleaner removes must not be published again.
      scene.outbox.close();
      broker.behave(Behaviour.TAKES);
      scene.stores.clock.move(SendScene.OLD);
      scene.republisher.run();
      scene.stores.clock.move(Duration.ofMinutes(5));
      scene.republisher.run();
      assertThat(scene.stores.outbox()).isEmpty();
      assertThat(new HashSet<>(noted.published)).isEqualTo(broker.ids());
    }
  }

  @Test
  void deferredMessageIsNotedWhenItIsPublished() {
    ScriptedPublisher broker = new ScriptedPublisher();
    Noted noted = new Noted();
    try (SendScene scene = new SendScene(broker, HotFilter.none(), noted)) {
      var unused =
          scene.notifications.configure(
              new UserLimit(
                  1,
                  1,
                  SendScene.WINDOW,
                  UserLimit.Algorithm.FIXED_WINDOW,
                  UserLimit.CostBy.MESSAGE,
                  new OpeningHours(
                      ZoneOffset.UTC,
                      Map.of(
                          DayOfWeek.MONDAY,
                          List.of(OpeningHours.Hours.of(LocalTime.of(8, 0), LocalTime.of(18, 0)))),
                      Set.of())));
      SendResult.Deferred deferred =
          (SendResult.Deferred)
              scene.notifications.send(
                  1, "hello", Optional.of("key"), SendRequest.WhenClosed.DEFER);
      assertThat(noted.answers).containsExactly(deferred);
      assertThat(noted.published).isEmpty();
      scene.stores.clock.move(Duration.ofHours(20));
      scene.dispatch.run();
      assertThat(noted.published).containsExactly(deferred.record().message().id());
    }
  }

  /** Of the limit at that time, whatever it is when the message is published. */
  @Test
  void costOfAMessageIsNotedWhenTheRepublisherPublishesIt() {
    ScriptedPublisher broker = new ScriptedPublisher();
    Noted noted = new Noted();
    try (SendScene scene = new SendScene(broker, HotFilter.none(), noted)) {
      UserLimit limit = UserLimit.of(1, 10, SendScene.WINDOW);
      var unused =
          scene.notifications.configure(
              new UserLimit(
                  1,
                  10,
                  SendScene.WINDOW,
                  limit.algorithm(),
                  UserLimit.CostBy.PARTS,
                  limit.openHours()));
      broker.behave(Behaviour.LOSES);
      assertThat(scene.send(1, "x".repeat(400))).isInstanceOf(SendResult.BrokerUnknown.class);
      scene.limit(1, 10);
      broker.behave(Behaviour.TAKES);
      scene.stores.clock.move(SendScene.OLD);
      scene.republisher.run();
      assertThat(noted.costs).containsExactly(3L);
    }
  }

  @Test
  void requestThatTheDatabaseDoesNotDecideIsNoted() {
    ScriptedPublisher broker = new ScriptedPublisher();
    Noted noted = new Noted();
    try (SendScene scene = new SendScene(broker, HotFilter.none(), noted)) {
      scene.limit(1, 10);
      scene.stores.setDown(true);
      assertThatThrownBy(() -> scene.send(1, "hello")).isInstanceOf(StoreException.class);
      scene.stores.setDown(false);
      assertThat(noted.undecided).isEqualTo(1);
      assertThat(noted.answers).isEmpty();
    }
  }
}
