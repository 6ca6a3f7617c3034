package dev.weir.notifications.server;

import dev.weir.StoreException;
import dev.weir.http.fields.Fields;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.QuotaExceeded;
import dev.weir.notifications.messages.MessageRecord;
import java.util.List;
import java.util.UUID;

/** The problems of notifications, with the titles of their contract. */
final class NotificationProblems {
  static final String INVALID = "Missing/Invalid Arguments";
  static final String DATABASE_DOWN = "Postgres Down : Service Unavailable";

  private static final String KAFKA_DOWN = "Kafka Down : Service Unavailable";

  private static final String KAFKA_STARTING = "Kafka Starting : Service Unavailable";

  /** The name of the policy in header fields and in refusals. */
  static final String POLICY = "messages";

  private NotificationProblems() {}

  static Problem unknownUser(long userId) {
    return Problem.of(404, "unknown-user", "No limit is configured for user %d.".formatted(userId))
        .titled("User Not Found");
  }

  static Problem limited(long userId) {
    return QuotaExceeded.by(
            List.of(POLICY),
            "The limit of user %d is used up. Try again after Retry-After.".formatted(userId))
        .titled("Rate Limit Exceeded");
  }

  static Problem closed(long userId, String opensAt) {
    return Problem.of(
            429,
            "outside-hours",
            "User %d gets no messages now. Try again after Retry-After, or defer the message."
                .formatted(userId))
        .titled("Outside Open Hours")
        .with(json -> json.writeStringField("opensAt", opensAt));
  }

  static Problem tooManyDeferred(long userId, int max, String opensAt) {
    return Problem.of(
            429,
            "too-many-deferred",
            "User %d gets no messages now, and %d messages are deferred already, the maximum."
                    .formatted(userId, max)
                + " Nothing was kept; try again after Retry-After.")
        .titled("Too Many Deferred Messages")
        .with(json -> json.writeStringField("opensAt", opensAt));
  }

  static Problem messageFailed(MessageRecord record) {
    return Problem.of(
            409,
            "message-failed",
            "The message of this Idempotency-Key has failed. Nothing was sent; to send it again,"
                + " use another key.")
        .titled("Message Failed")
        .with(
            json -> {
              json.writeStringField("messageId", record.message().id().toString());
              json.writeStringField("state", Fields.lower(record.state()));
              json.writeStringField("reason", record.reason().orElse(""));
            });
  }

  static Problem keyReused() {
    return Problem.of(
        409,
        "idempotency-key-reused",
        "The Idempotency-Key belongs to an earlier request of this user with another message."
            + " Nothing was sent.");
  }

  /** Returns the problem of a message that Kafka certainly does not have. */
  static Problem brokerRefused(boolean isStarting) {
    if (isStarting) {
      return kafkaDown(
              StoreException.Outcome.NONE,
              "Kafka is being started. Nothing was counted, and nothing will be sent; try again"
                  + " after Retry-After.")
          .titled(KAFKA_STARTING)
          .with(json -> json.writeStringField("reason", "starting"));
    }
    return kafkaDown(
        StoreException.Outcome.NONE,
        "Kafka did not take the message. Nothing was counted, and nothing will be sent; try again"
            + " soon.");
  }

  /** Returns the problem of a message that Kafka may have. */
  static Problem brokerUnknown(UUID messageId) {
    return kafkaDown(
            StoreException.Outcome.UNKNOWN,
            "Whether Kafka has the message is unknown. It is counted and will be sent; a request"
                + " with the same Idempotency-Key does not send it twice.")
        .with(json -> json.writeStringField("messageId", messageId.toString()));
  }

  static Problem searchUnavailable() {
    return Problem.of(
        503,
        "opensearch-unavailable",
        "OpenSearch does not answer. Messages do not depend on it; try again soon.");
  }

  static Problem searchUnexpected() {
    return Problem.of(
        502,
        "opensearch-unexpected",
        "What answers at weir.opensearch.url is not OpenSearch, or has other indices there."
            + " Messages do not depend on it; the log has more.");
  }

  /** Returns the problem of a replay while another node or caller replays. */
  static Problem replayRunning() {
    return Problem.of(
        409,
        "replay-running",
        "Messages are being published again already, by this node or another one. Nothing was done;"
            + " try again when that has ended.");
  }

  static Problem replayAborted() {
    return kafkaDown(
        StoreException.Outcome.UNKNOWN,
        "Kafka does not answer. Some messages may have been published again; a repetition sends"
            + " none twice.");
  }

  private static Problem kafkaDown(StoreException.Outcome outcome, String detail) {
    return Problem.of(503, "kafka-unavailable", detail)
        .titled(KAFKA_DOWN)
        .with(json -> json.writeStringField("outcome", Fields.lower(outcome)));
  }

  static Problem unknownMessage(UUID messageId) {
    return Problem.of(
        404, "unknown-message", "There is no message with the id %s.".formatted(messageId));
  }

  static Problem notSent(UUID messageId) {
    return Problem.of(
        409,
        "not-sent",
        "Message %s was not sent, so it cannot have arrived or failed.".formatted(messageId));
  }

  static Problem contradicted(UUID messageId) {
    return Problem.of(
        409,
        "receipt-contradicts",
        "An earlier receipt of message %s said something else, and the first one counts."
            .formatted(messageId));
  }

  static Problem receiptsDisabled() {
    return Problem.of(
        404,
        "receipts-disabled",
        "This node takes no receipts by HTTP, because weir.notifications.provider is not webhook.");
  }

  static Problem signatureInvalid() {
    return Problem.of(
        401,
        "signature-invalid",
        "Weir-Signature must be v1= and the HMAC-SHA256 of Weir-Timestamp, a dot and the body, by"
            + " the secret of the webhook.");
  }

  static Problem signatureOld() {
    return Problem.of(
        401,
        "signature-old",
        "Weir-Timestamp must be the time of the request in seconds since the epoch, and up to 5"
            + " minutes from the clock of this node.");
  }

  static Problem notDeferred(UUID messageId) {
    return Problem.of(
        409,
        "not-deferred",
        "Message %s is no longer deferred and cannot be cancelled.".formatted(messageId));
  }
}
