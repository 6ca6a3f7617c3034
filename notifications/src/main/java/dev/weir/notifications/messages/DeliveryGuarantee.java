package dev.weir.notifications.messages;

import java.time.Duration;

/** What is done with a message whose hand-over has no answer. */
public sealed interface DeliveryGuarantee {
  /** It stays {@link MessageState#UNKNOWN}; a recipient never gets it twice, and may not get it. */
  record AtMostOnce() implements DeliveryGuarantee {}

  /**
   * It is handed over again; a recipient may get it twice, unless the provider recognizes it.
   *
   * @param repeatAfter min time between two hand-overs, so that an answer that is on its way is
   *     awaited
   */
  record AtLeastOnce(Duration repeatAfter) implements DeliveryGuarantee {
    public AtLeastOnce {
      if (repeatAfter.isNegative()) {
        throw new IllegalArgumentException("repeatAfter must not be negative: " + repeatAfter);
      }
    }
  }
}
