package dev.weir.notifications.kit;

import dev.weir.internal.Micros;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.MessageRecord;
import dev.weir.notifications.messages.MessageState;
import dev.weir.notifications.messages.SendResult;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** A message of the model. */
final class NaiveMessage {
  final Message message;
  final long createdAt;
  MessageState state;
  long changedAt;
  Optional<String> reason = Optional.empty();
  String provider = "";

  /** The attempt that it is in. */
  Optional<UUID> attempt = Optional.empty();

  /** True if that has ended and left open what became of the message. */
  boolean isAttemptEnded;

  /** The ids of its parts, and which of them have a receipt. */
  List<String> providerIds = List.of();

  Map<Integer, MessageState> partStates = new HashMap<>();

  /** True if a receipt said what its state is. */
  boolean isReported;

  /** Empty if it has failed without having been published. */
  Optional<String> key;

  /** Present while it is deferred. */
  Optional<Long> dueAt = Optional.empty();

  /** Present while it is counted. */
  Optional<NaiveUser.Taken> taken = Optional.empty();

  /** When it was counted, by the usage of its user; present while it is counted. */
  Optional<Long> takenAt = Optional.empty();

  /** Present while it is in the outbox. */
  Optional<Outbox> outbox = Optional.empty();

  record Outbox(long since, long claimedUntil, boolean isShared) {
    Outbox shared() {
      return new Outbox(since, claimedUntil, true);
    }

    Outbox claimed(long until) {
      return new Outbox(since, until, true);
    }
  }

  NaiveMessage(Message message, Optional<String> key, MessageState state, long nowMicros) {
    this.message = message;
    this.key = key;
    this.state = state;
    this.createdAt = nowMicros;
    this.changedAt = nowMicros;
  }

  void moveTo(MessageState next, long atMicros, Optional<String> why) {
    state = next;
    changedAt = atMicros;
    reason = why;
    attempt = Optional.empty();
    isAttemptEnded = false;
  }

  /** Ends a message that was never published: neither its place nor its key is used any more. */
  void fail(long atMicros, String why) {
    moveTo(MessageState.FAILED, atMicros, Optional.of(why));
    taken = Optional.empty();
    takenAt = Optional.empty();
    key = Optional.empty();
  }

  void take(NaiveUser.Taken place, SendResult.Accepted accepted) {
    taken = Optional.of(place);
    takenAt =
        Optional.of(Math.max(accepted.state().atMicros(), accepted.state().usage().atMicros()));
  }

  /** The order of ids in a store is that of their text. */
  String id() {
    return message.id().toString();
  }

  MessageRecord record() {
    return new MessageRecord(
        message,
        state,
        Micros.instant(createdAt),
        Micros.instant(changedAt),
        dueAt.map(Micros::instant),
        reason);
  }
}
