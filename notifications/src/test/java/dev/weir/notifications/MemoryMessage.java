package dev.weir.notifications;

import dev.weir.notifications.messages.DeliveryGuarantee;
import dev.weir.notifications.messages.HandOver;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.MessageLog.Attempt;
import dev.weir.notifications.messages.MessageLog.Delivery;
import dev.weir.notifications.messages.MessageLog.ReceiptResult;
import dev.weir.notifications.messages.MessageRecord;
import dev.weir.notifications.messages.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/** A message of {@link MemoryStores}, and what becomes of it. */
final class MemoryMessage {
  final Message message;
  final Instant createdAt;
  Optional<String> key;
  MessageState state;
  Instant changedAt;
  Optional<Instant> dueAt = Optional.empty();
  Optional<String> provider = Optional.empty();
  Optional<UUID> attempt = Optional.empty();
  boolean isAttemptEnded;
  Optional<String> providerId = Optional.empty();
  Optional<String> reason = Optional.empty();
  long cost;
  long takenAtMicros;
  boolean isUnpublishable;
  boolean isReported;

  MemoryMessage(Message message, Optional<String> key, MessageState state, Instant now) {
    this.message = message;
    this.key = key;
    this.state = state;
    this.createdAt = now;
    this.changedAt = now;
  }

  MessageRecord record() {
    return new MessageRecord(message, state, createdAt, changedAt, dueAt, reason);
  }

  HandOver handOver(Attempt next, DeliveryGuarantee guarantee, Instant now) {
    HandOver result =
        switch (state) {
          case ACCEPTED -> new HandOver.Begun();
          case UNKNOWN ->
              isIn(next) && !isAttemptEnded
                  ? new HandOver.Begun()
                  : HandOver.again(guarantee, Duration.between(changedAt, now));
          case SENT, DELIVERED, FAILED, CANCELLED -> new HandOver.Finished();
          case DEFERRED -> new HandOver.Unlogged();
        };
    if (result instanceof HandOver.Begun) {
      state = MessageState.UNKNOWN;
      attempt = Optional.of(next.id());
      isAttemptEnded = false;
      changedAt = now;
    }
    return result;
  }

  private boolean isIn(Attempt known) {
    return attempt.equals(Optional.of(known.id()));
  }

  void notTaken(Attempt ended) {
    if (state == MessageState.UNKNOWN && isIn(ended) && !isAttemptEnded) {
      state = MessageState.ACCEPTED;
      attempt = Optional.empty();
    }
  }

  /** Records a delivery, and returns true, if it does not move the message backwards. */
  boolean record(Delivery delivery) {
    if (state != MessageState.ACCEPTED
        && state != MessageState.UNKNOWN
        && state != MessageState.SENT) {
      return false;
    }
    state = delivery.state();
    isAttemptEnded = state == MessageState.UNKNOWN;
    Optional<UUID> before = isAttemptEnded ? attempt : Optional.empty();
    attempt = delivery.attempt().or(() -> before);
    changedAt = delivery.at();
    provider = Optional.of(delivery.provider());
    providerId = delivery.providerIds().stream().findFirst();
    reason = delivery.reason();
    return true;
  }

  ReceiptResult receipt(MessageState reported, Instant now) {
    if (state == MessageState.DELIVERED || isReported) {
      return state == reported ? ReceiptResult.REPEATED : ReceiptResult.CONTRADICTED;
    }
    if (state != reported) {
      changedAt = now;
      attempt = Optional.empty();
    }
    state = reported;
    isReported = true;
    return ReceiptResult.RECORDED;
  }

  /** Lets a message that has failed be handed over again, and returns true, if it may. */
  boolean reopen() {
    if ((state != MessageState.FAILED && state != MessageState.UNKNOWN) || isUnpublishable) {
      return false;
    }
    state = MessageState.ACCEPTED;
    attempt = Optional.empty();
    isReported = false;
    return true;
  }

  /** Lets the message be handed over again, and returns true, if it is in an attempt. */
  boolean reopen(Attempt failed) {
    return isIn(failed) && reopen();
  }
}
