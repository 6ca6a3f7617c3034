package dev.weir.notifications.messages;

import java.time.Duration;

/** Whether a message may be handed to a provider now. */
public sealed interface HandOver {
  /** It is recorded that the message may have been handed over; hand it over. */
  record Begun() implements HandOver {}

  /** It must not be handed over again. */
  record Finished() implements HandOver {}

  /**
   * It was handed over before, in another attempt of this sender or another one, and what came of
   * that is not recorded. Nothing was changed.
   *
   * @param age how long ago that was
   */
  record InDoubt(Duration age) implements HandOver {}

  /** The log does not know the message, so nothing can be recorded about it. */
  record Unlogged() implements HandOver {}

  /** Returns whether a message that was handed over {@code age} ago may be handed over again. */
  static HandOver again(DeliveryGuarantee guarantee, Duration age) {
    return switch (guarantee) {
      case DeliveryGuarantee.AtLeastOnce repeated ->
          age.compareTo(repeated.repeatAfter()) >= 0 ? new Begun() : new InDoubt(age);
      case DeliveryGuarantee.AtMostOnce never -> new InDoubt(age);
    };
  }
}
