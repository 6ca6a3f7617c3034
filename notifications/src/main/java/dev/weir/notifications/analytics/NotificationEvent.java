package dev.weir.notifications.analytics;

import dev.weir.internal.Micros;
import dev.weir.limits.Decision;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.messages.UserState;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * An attempt to send a message, or a later step of a message. Never contains the text.
 *
 * @param messageId empty if there is no such message, because it was refused
 * @param cost what the message took of the limit; empty if that is not known
 * @param quota the limit of the user; empty if it is not known
 * @param retryAfterSeconds when a refused request may be repeated
 */
record NotificationEvent(
    Instant at,
    Outcome outcome,
    Optional<Cause> cause,
    long userId,
    Optional<UUID> messageId,
    int parts,
    OptionalLong cost,
    Optional<Quota> quota,
    OptionalLong retryAfterSeconds) {

  /** A limit of units in a window. */
  record Quota(long limit, long windowSeconds) {
    /** Returns the quota of a limit of messages; empty for other limits. */
    static Optional<Quota> of(Limit limit) {
      return switch (limit) {
        case FixedWindow window -> Optional.of(of(window.limit(), window.windowMicros()));
        case SlidingWindow window -> Optional.of(of(window.limit(), window.windowMicros()));
        case TokenBucket bucket -> Optional.empty();
      };
    }

    private static Quota of(long limit, long windowMicros) {
      return new Quota(limit, windowMicros / Micros.PER_SECOND);
    }
  }

  /** What happened. */
  enum Outcome {
    /** The broker has the message; one event for each message. */
    SENT(true),
    /** The request was repeated, and the message had been sent. */
    REPEATED(true),
    DEFERRED(true),
    /** Refused, because the limit is used up. */
    LIMITED(true),
    /** Refused outside the hours of the user. */
    CLOSED(true),
    /** Refused, because the request is wrong. */
    REJECTED(true),
    /** Not sent, or not known to be sent, because a part of the system failed. */
    FAILED(true),
    /** A deferred message was cancelled; one event for each message. */
    CANCELLED(false),
    /** The provider has the message. */
    TAKEN(false),
    /** The message is among the dead letters. */
    UNDELIVERED(false);

    private final boolean isAttempt;

    Outcome(boolean isAttempt) {
      this.isAttempt = isAttempt;
    }

    /** Returns true for an attempt to send; false for a later step of a message. */
    boolean isAttempt() {
      return isAttempt;
    }

    /** Returns the spelling in JSON. */
    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Why an attempt was rejected or failed. */
  enum Cause {
    UNKNOWN_USER,
    KEY_REUSED,
    TOO_EXPENSIVE,
    /** The broker certainly does not have the message. */
    BROKER_REFUSED,
    /** The broker may have the message. */
    BROKER_UNKNOWN,
    DATABASE;

    /** Returns the spelling in JSON. */
    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Returns the event of a request that was answered. */
  static NotificationEvent of(Instant at, Message request, SendResult.Answer outcome) {
    NotificationEvent base = plain(at, Outcome.SENT, request).withoutMessage();
    return switch (outcome) {
      case SendResult.Sent sent ->
          plain(at, sent.isRepeated() ? Outcome.REPEATED : Outcome.SENT, sent.message())
              .withState(sent.state());
      case SendResult.Deferred deferred ->
          plain(at, Outcome.DEFERRED, deferred.record().message()).withState(deferred.state());
      case SendResult.Limited limited ->
          limited(base, limited.state().limit().limit(), limited.decision());
      case SendResult.LimitedEarly limited -> limited(base, limited.limit(), limited.decision());
      case SendResult.Closed closed ->
          base.withOutcome(Outcome.CLOSED)
              .withState(closed.state())
              .withRetryAfter(closed.opensAtMicros() - closed.state().atMicros());
      case SendResult.TooManyDeferred tooMany ->
          base.withOutcome(Outcome.CLOSED)
              .withState(tooMany.state())
              .withRetryAfter(tooMany.opensAtMicros() - tooMany.state().atMicros());
      case SendResult.Failed failed ->
          plain(at, Outcome.REPEATED, failed.record().message()).withState(failed.state());
      case SendResult.UnknownUser unknown -> base.rejected(Cause.UNKNOWN_USER);
      case SendResult.KeyReused reused -> base.rejected(Cause.KEY_REUSED);
      case SendResult.TooExpensive expensive ->
          base.rejected(Cause.TOO_EXPENSIVE).withState(expensive.state());
      case SendResult.BrokerRefused refused -> base.failed(Cause.BROKER_REFUSED);
      case SendResult.BrokerUnknown unknown ->
          base.failed(Cause.BROKER_UNKNOWN).withMessage(unknown.messageId());
    };
  }

  private static NotificationEvent limited(
      NotificationEvent base, Limit limit, Decision.Refused decision) {
    NotificationEvent event =
        base.withOutcome(Outcome.LIMITED).withRetryAfter(decision.retryAfterMicros());
    return Quota.of(limit).map(event::withQuota).orElse(event);
  }

  /** Returns the event of a request that the database did not decide. */
  static NotificationEvent undecided(Instant at, Message request) {
    return plain(at, Outcome.FAILED, request).withoutMessage().failed(Cause.DATABASE);
  }

  /** Returns an event of which no more is known than the message. */
  static NotificationEvent plain(Instant at, Outcome outcome, Message message) {
    return new NotificationEvent(
        at,
        outcome,
        Optional.empty(),
        message.userId(),
        Optional.of(message.id()),
        message.parts(),
        OptionalLong.empty(),
        Optional.empty(),
        OptionalLong.empty());
  }

  /** Returns this event with the limit of the user, and the cost of the message under it. */
  NotificationEvent withState(UserState state) {
    return new NotificationEvent(
        at,
        outcome,
        cause,
        userId,
        messageId,
        parts,
        OptionalLong.of(state.limit().cost(parts)),
        Quota.of(state.limit().limit()),
        retryAfterSeconds);
  }

  /** Returns this event with the cost of the message, when the limit of that time is not known. */
  NotificationEvent withCost(long units) {
    return new NotificationEvent(
        at,
        outcome,
        cause,
        userId,
        messageId,
        parts,
        OptionalLong.of(units),
        quota,
        retryAfterSeconds);
  }

  private NotificationEvent withQuota(Quota known) {
    return new NotificationEvent(
        at, outcome, cause, userId, messageId, parts, cost, Optional.of(known), retryAfterSeconds);
  }

  private NotificationEvent withRetryAfter(long micros) {
    long seconds = Math.max(1, Math.ceilDiv(micros, Micros.PER_SECOND));
    return new NotificationEvent(
        at, outcome, cause, userId, messageId, parts, cost, quota, OptionalLong.of(seconds));
  }

  private NotificationEvent withOutcome(Outcome other) {
    return new NotificationEvent(
        at, other, cause, userId, messageId, parts, cost, quota, retryAfterSeconds);
  }

  private NotificationEvent withMessage(UUID id) {
    return new NotificationEvent(
        at, outcome, cause, userId, Optional.of(id), parts, cost, quota, retryAfterSeconds);
  }

  private NotificationEvent withoutMessage() {
    return new NotificationEvent(
        at, outcome, cause, userId, Optional.empty(), parts, cost, quota, retryAfterSeconds);
  }

  private NotificationEvent rejected(Cause why) {
    return withOutcome(Outcome.REJECTED).withCause(why);
  }

  private NotificationEvent failed(Cause why) {
    return withOutcome(Outcome.FAILED).withCause(why);
  }

  private NotificationEvent withCause(Cause why) {
    return new NotificationEvent(
        at, outcome, Optional.of(why), userId, messageId, parts, cost, quota, retryAfterSeconds);
  }
}
