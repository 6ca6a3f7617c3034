package dev.weir.payments.server;

import dev.weir.payments.PaymentStore;
import dev.weir.payments.workflows.FeedReceiver;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;

/**
 * What the endpoints of payments stand on.
 *
 * @param received is run after a feed was received, so that its payments are started
 * @param reopened is run after payments were resumed or are to be tried again, so that they are
 *     started
 * @param scheduledTime finds the time of a payment's slot
 * @param cancellation cancels a payment that has not run
 * @param defaultConfig slot configuration of feeds that name none
 * @param ceiling max calls of the payment API within any second
 */
public record PaymentServices(
    PaymentStore store,
    FeedReceiver receiver,
    Runnable received,
    Runnable reopened,
    Function<String, Optional<Instant>> scheduledTime,
    Function<String, Optional<PaymentStore.Cancellation>> cancellation,
    String defaultConfig,
    int ceiling) {}
