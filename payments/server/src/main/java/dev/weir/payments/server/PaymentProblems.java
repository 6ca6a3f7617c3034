package dev.weir.payments.server;

import dev.weir.http.endpoints.MediaTypes;
import dev.weir.http.fields.Fields;
import dev.weir.http.json.Snippet;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.payments.PaymentState;

/** The problems of payments. */
final class PaymentProblems {
  private PaymentProblems() {}

  static ProblemException unknownFeed(String feedId) {
    return new ProblemException(
        Problem.of(404, "unknown-feed", "There is no feed \"%s\".".formatted(Snippet.of(feedId))));
  }

  static ProblemException unknownPayment(String paymentId) {
    return new ProblemException(
        Problem.of(
            404,
            "unknown-payment",
            "There is no payment \"%s\".".formatted(Snippet.of(paymentId))));
  }

  /** Returns the problem of a node that was not told who makes payments. */
  static ProblemException noApi() {
    return new ProblemException(
        Problem.of(
            503,
            "no-payment-api",
            "This node makes no payments, because weir.payments.downstream is not set, and nothing"
                + " of the feed is stored. Set it to the address of the payment API, or to"
                + " simulator for one that moves no money."));
  }

  /** Returns the problem of a feed that cannot be read as a whole. */
  static ProblemException unusableFeed(String reason) {
    return new ProblemException(
        Problem.of(
            400, "unusable-feed", "The feed cannot be used, and nothing of it is paid: " + reason));
  }

  static ProblemException notAFeed() {
    return new ProblemException(
        Problem.of(
            415,
            "unsupported-media-type",
            "Send the feed with Content-Type: %s or %s."
                .formatted(MediaTypes.CSV, MediaTypes.NDJSON)));
  }

  /** Returns the problem of a feed that another request began to send under the same id. */
  static ProblemException receivedAgain(String feedId) {
    return new ProblemException(
        Problem.of(
            409,
            "feed-sent-again",
            "Another request began to send feed \"%s\" and replaces this one. Nothing of this one is"
                    .formatted(Snippet.of(feedId))
                + " paid."));
  }

  /** Returns the problem of a feed under the id of another one that was received. */
  static ProblemException otherFeed(String feedId) {
    return new ProblemException(
        Problem.of(
            409,
            "feed-id-used",
            "Feed \"%s\" was received earlier with other records or another configName. Nothing of"
                    .formatted(Snippet.of(feedId))
                + " this one is paid: send it under another id."));
  }

  static ProblemException notCancellable(String paymentId, PaymentState state) {
    String why =
        switch (state) {
          case SCHEDULED -> "belongs to a feed that is still being received";
          case RUNNING -> "is being called";
          case REJECTED, PAID, FAILED, CANCELLED -> "is " + Fields.lower(state);
        };
    return new ProblemException(
        Problem.of(
            409,
            "state-conflict",
            "Payment \"%s\" %s and cannot be cancelled.".formatted(Snippet.of(paymentId), why)));
  }
}
