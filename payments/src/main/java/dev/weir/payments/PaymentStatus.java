package dev.weir.payments;

import java.time.Instant;
import java.util.Optional;

/**
 * What is known about a payment.
 *
 * @param attempts calls of the downstream whose results are recorded
 * @param endedAt when the downstream answered the last call; empty while it is open
 * @param reason why it was rejected or failed, or why it cannot be made yet; empty otherwise
 */
public record PaymentStatus(
    String paymentId,
    String feedId,
    PaymentState state,
    int attempts,
    Optional<Instant> endedAt,
    String reason) {}
