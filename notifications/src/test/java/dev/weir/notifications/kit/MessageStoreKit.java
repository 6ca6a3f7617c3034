package dev.weir.notifications.kit;

import java.time.InstantSource;
import java.util.function.Supplier;

/**
 * The compatibility kit of stores of rate-limited messages: a test class that implements it proves
 * that counts, outbox and log always agree, under any concurrency.
 */
public interface MessageStoreKit
    extends UserLimitClaims,
        PlacingClaims,
        OutboxClaims,
        DeferralClaims,
        MessageLogClaims,
        HandOverClaims,
        ReceiptClaims,
        MessageListClaims,
        MessageTraceClaims,
        MessageRaceClaims,
        MessageCrowdClaims {

  /**
   * Returns an empty store that uses only this clock. Each {@code get} opens a further node on it.
   * The kit uses one store at a time.
   */
  @Override
  Supplier<MessageStore> messagesBy(InstantSource clock);
}
