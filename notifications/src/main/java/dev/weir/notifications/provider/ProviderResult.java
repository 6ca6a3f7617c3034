package dev.weir.notifications.provider;

import java.time.Duration;
import java.util.Optional;

/** What a provider did with a message. */
public sealed interface ProviderResult {
  /**
   * It has the message.
   *
   * @param providerId the id to which receipts refer; empty if there will be none
   */
  record Taken(Optional<String> providerId) implements ProviderResult {
    public static final Taken WITHOUT_ID = new Taken(Optional.empty());
  }

  /** It failed with this message, which may succeed later. Attempts are limited. */
  record Retry(String reason) implements ProviderResult {}

  /**
   * It takes no message at the moment: it is unreachable, or throttles. This says nothing about the
   * message, so attempts are not limited.
   *
   * @param retryAfter when to try again, with any message
   */
  record Unavailable(String reason, Duration retryAfter) implements ProviderResult {}

  /** It will never take this message. */
  record Rejected(String reason) implements ProviderResult {}
}
