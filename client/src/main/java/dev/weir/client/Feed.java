package dev.weir.client;

import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/**
 * The progress of a feed of payments.
 *
 * @param isHeld true if its payments are not called, because it or all feeds are held
 * @param read the number of records
 * @param repeated records that repeat a known payment, which are skipped
 * @param rejected records that cannot be paid
 * @param assigned payments that have a slot
 * @param started payments that were handed to Temporal
 */
public record Feed(
    String feedId,
    State state,
    boolean isHeld,
    long read,
    long repeated,
    long rejected,
    long assigned,
    long started,
    long paid,
    long failed,
    long cancelled,
    Optional<Instant> firstScheduled,
    Optional<Instant> lastScheduled) {

  /** How far a feed is. */
  public enum State {
    /** Its records arrive, and nothing is paid. */
    RECEIVING,
    /** Its payments get their slots. */
    STARTING,
    /** All of them wait for their slots or run. */
    STARTED,
    /** All have ended. */
    DONE
  }

  /** Reads the progress from the JSON that the server returns. */
  public static Feed read(JsonObject feed) throws IOException {
    return new Feed(
        feed.requiredText("feedId"),
        feed.requiredConstant("state", State.values()),
        feed.flag("held"),
        feed.requiredNumber("read"),
        feed.requiredNumber("repeated"),
        feed.requiredNumber("rejected"),
        feed.requiredNumber("assigned"),
        feed.requiredNumber("started"),
        feed.requiredNumber("paid"),
        feed.requiredNumber("failed"),
        feed.requiredNumber("cancelled"),
        feed.time("firstScheduled"),
        feed.time("lastScheduled"));
  }
}
