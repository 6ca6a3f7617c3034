package dev.weir.payments.simulator.report;

import java.time.Instant;
import java.util.Optional;

/**
 * What became of the records of a feed.
 *
 * @param read records that were read
 * @param rejected records that cannot be paid
 * @param repeated records that repeat a known payment, which are skipped
 * @param firstScheduled the earliest time of a slot; empty if there is none
 */
public record FeedCounts(
    long read,
    long rejected,
    long repeated,
    long paid,
    long failed,
    long cancelled,
    Optional<Instant> firstScheduled,
    Optional<Instant> lastScheduled) {}
