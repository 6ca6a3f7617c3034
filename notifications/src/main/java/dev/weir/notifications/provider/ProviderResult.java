package dev.weir.notifications.provider;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What a provider did with a message. */
public sealed interface ProviderResult {
  /**
   * It has the message.
   *
   * @param providerIds the ids of its parts, to which receipts refer; empty if there will be none
   */
  record Taken(List<String> providerIds) implements ProviderResult {
    public static final Taken WITHOUT_ID = new Taken(List.of());

    public Taken {
      providerIds = List.copyOf(providerIds);
    }
  }

  /**
   * It has not taken this message, and may take it later. That says nothing about other recipients.
   *
   * @param retryAfter min pause before the next attempt with a message of the same user; zero
   *     leaves it to the sender
   */
  record Retry(String reason, Duration retryAfter) implements ProviderResult {
    public Retry(String reason) {
      this(reason, Duration.ZERO);
    }
  }

  /**
   * It takes no message at the moment, of any user: it is unreachable, or throttles. It has not
   * taken this one. Attempts are not limited.
   *
   * @param retryAfter when to try again, with any message
   */
  record Unavailable(String reason, Duration retryAfter) implements ProviderResult {}

  /** It will never take this message. */
  record Rejected(String reason) implements ProviderResult {}

  /**
   * It did not answer in time, and may have taken the message.
   *
   * @param late completes with the answer if it comes later, with any other result; otherwise never
   */
  record Unknown(String reason, CompletableFuture<ProviderResult> late) implements ProviderResult {
    public Unknown(String reason) {
      this(reason, new CompletableFuture<>());
    }
  }
}
