package dev.weir.payments;

import java.time.Instant;
import java.util.Optional;

/**
 * The progress of a feed.
 *
 * @param configName slot configuration of the payments that name none
 * @param isHeld whether its payments are not called, because it or all feeds are held
 * @param heldReason why Weir itself holds all feeds; empty if it does not
 * @param read records that were read
 * @param repeated records that repeat a known payment with the same content, which are skipped
 * @param rejected records that cannot be paid
 * @param assigned payments that got a slot
 * @param started payments that were handed to Temporal
 * @param firstScheduled the earliest time of a slot; empty before the first assignment
 */
public record FeedStatus(
    String feedId,
    String configName,
    FeedState state,
    boolean isHeld,
    String heldReason,
    long read,
    long repeated,
    long rejected,
    long assigned,
    long started,
    long paid,
    long failed,
    long cancelled,
    Optional<Instant> firstScheduled,
    Optional<Instant> lastScheduled) {}
