package dev.weir.client;

import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/**
 * What became of a payment.
 *
 * @param attempts calls of the payment API whose results are recorded
 * @param endedAt when it was paid, failed or was cancelled
 * @param reference what the payment API calls it
 * @param reason why it was rejected or failed
 */
public record Payment(
    String paymentId,
    String feedId,
    State state,
    long attempts,
    Optional<Instant> scheduledTime,
    Optional<Instant> endedAt,
    Optional<String> reference,
    Optional<String> reason) {

  /** The state of a payment. */
  public enum State {
    /** Its record cannot be paid. */
    REJECTED,
    /** It waits for its slot. */
    SCHEDULED,
    /** It is being made. */
    RUNNING,
    /** It is made. */
    PAID,
    /** It was given up. */
    FAILED,
    /** It is not made, because it was cancelled. */
    CANCELLED
  }

  static Payment read(JsonObject json) throws IOException {
    Optional<Instant> paidAt = json.time("paidAt");
    return new Payment(
        json.requiredText("paymentId"),
        json.requiredText("feedId"),
        json.requiredConstant("state", State.values()),
        json.requiredNumber("attempts"),
        json.time("scheduledTime"),
        paidAt.isPresent() ? paidAt : json.time("endedAt"),
        json.text("reference"),
        json.text("reason"));
  }
}
