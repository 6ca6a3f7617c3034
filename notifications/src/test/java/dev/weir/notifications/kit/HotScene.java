package dev.weir.notifications.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.notifications.messages.HotCounts;
import dev.weir.notifications.messages.HotCounts.Checked;
import dev.weir.notifications.messages.HotCounts.Passed;
import dev.weir.notifications.messages.HotCounts.Refusal;
import dev.weir.notifications.messages.HotCounts.Wanted;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.SendLedger.Withdrawn;
import dev.weir.notifications.messages.SendRequest;
import dev.weir.notifications.messages.SendRequest.WhenClosed;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.notifications.messages.UserState;
import dev.weir.slots.Calendar;
import dev.weir.store.tck.SettableClock;
import dev.weir.store.tck.slots.Scene;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;

/** A user of a filter in front of the model of a database. */
final class HotScene {
  final SettableClock clock = new SettableClock(Scene.NOON);
  final HotCounts hot;

  /** One store serves all scenes, so each has its own user. */
  final long user = ThreadLocalRandom.current().nextLong(1L << 52);

  private final MessageStore database = new NaiveMessages(clock).asStore();
  private final List<Message> accepted = new ArrayList<>();
  private int messages;

  private HotScene(Function<InstantSource, HotCounts> hotBy) {
    this.hot = hotBy.apply(clock);
  }

  static HotScene of(Function<InstantSource, HotCounts> hotBy) {
    return new HotScene(hotBy);
  }

  UserState configure(long rateLimit, UserLimit.Algorithm algorithm, UserLimit.CostBy costBy) {
    UserState state =
        database
            .limits()
            .configure(
                new UserLimit(
                    user, rateLimit, Duration.ofMinutes(1), algorithm, costBy, Calendar.ALWAYS));
    hot.learn(List.of(state));
    return state;
  }

  UserState limit(long rateLimit) {
    return configure(rateLimit, UserLimit.Algorithm.FIXED_WINDOW, UserLimit.CostBy.MESSAGE);
  }

  Checked check() {
    return check(1, 0);
  }

  Checked check(int parts, long minVersion) {
    return hot.check(List.of(new Wanted(user, parts, minVersion))).getFirst();
  }

  /** Returns true if a message is not refused by the filter. */
  boolean passes() {
    return check() instanceof Passed;
  }

  /** Sends a message as a node does, and compares what the filter and the database decide. */
  void send(int parts) {
    Checked checked = check(parts, 0);
    SendResult.Counted result = decide(parts);
    switch (checked) {
      case Refusal refusal ->
          assertThat(result)
              .isInstanceOfSatisfying(
                  SendResult.Limited.class,
                  limited ->
                      assertThat(refusal)
                          .isEqualTo(
                              new Refusal(limited.state().limit().limit(), limited.decision())));
      case Passed passed -> {
        if (passed == Passed.UNKNOWN || !(result instanceof SendResult.Accepted)) {
          hot.learn(List.of(state(result)));
        }
      }
    }
  }

  /** Places a message; the filter learns nothing of it. */
  SendResult.Counted decide(int parts) {
    Message message = new Message(MessageScene.id(messages++), user, "Hello", parts);
    SendRequest request = new SendRequest(message, Optional.empty(), WhenClosed.REFUSE);
    // The user has a limit, nobody else locks it, and the message is new.
    SendResult.Counted result =
        (SendResult.Counted) database.ledger().place(List.of(request)).getFirst();
    if (result instanceof SendResult.Accepted) {
      accepted.add(message);
    }
    return result;
  }

  /** Withdraws the last message. */
  void withdraw() {
    if (!accepted.isEmpty()) {
      hot.learn(
          database.ledger().withdraw(List.of(accepted.removeLast().id())).stream()
              .map(Withdrawn::state)
              .toList());
    }
  }

  UserState state() {
    return database.limits().find(user).orElseThrow();
  }

  static UserState state(SendResult.Counted result) {
    return switch (result) {
      case SendResult.Accepted accepted -> accepted.state();
      case SendResult.Limited limited -> limited.state();
      case SendResult.TooExpensive tooExpensive -> tooExpensive.state();
      case SendResult.Closed closed -> closed.state();
    };
  }
}
