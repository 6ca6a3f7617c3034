package dev.weir.notifications.server;

import dev.weir.http.authentication.AuthMetrics;
import dev.weir.http.authentication.FailedLogins;
import dev.weir.http.authentication.HttpSettings;
import dev.weir.http.endpoints.ProblemTitles;
import dev.weir.http.fields.JsonDocument;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.notifications.SignedRequests;
import dev.weir.notifications.messages.MessageLog;
import dev.weir.notifications.messages.MessageState;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Takes delivery receipts of the receiver of a webhook. It has no token of ours: its signature says
 * who it is.
 */
@Controller("/api/messages/receipts")
@ProblemTitles(
    invalid = NotificationProblems.INVALID,
    storeUnavailable = NotificationProblems.DATABASE_DOWN)
@ExecuteOn(TaskExecutors.VIRTUAL)
final class ReceiptEndpoint {
  private final AvailableNotifications available;
  private final HttpSettings settings;
  private final FailedLogins failures;

  ReceiptEndpoint(AvailableNotifications available, HttpSettings settings, FailedLogins failures) {
    this.available = available;
    this.settings = settings;
    this.failures = failures;
  }

  @Post
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> receive(HttpRequest<?> request, @Body byte[] body) {
    NotificationServices services = available.services();
    SignedRequests signed =
        services
            .webhook()
            .orElseThrow(() -> new ProblemException(NotificationProblems.receiptsDisabled()));
    refuseUnlessValid(
        request,
        signed.verify(
            only(request, SignedRequests.TIMESTAMP),
            only(request, SignedRequests.SIGNATURE),
            body));
    record(
        services.messages(),
        signed.provider(),
        ReceiptJson.read(JsonDocument.read(body, 0, body.length)));
    return HttpResponse.noContent();
  }

  /** Returns the value of a header that occurs once; empty otherwise. */
  private static String only(HttpRequest<?> request, String name) {
    List<String> values = request.getHeaders().getAll(name);
    return values.size() == 1 ? values.getFirst() : "";
  }

  private void refuseUnlessValid(HttpRequest<?> request, SignedRequests.Verdict verdict) {
    if (verdict != SignedRequests.Verdict.VALID) {
      failures.record(AuthMetrics.Failure.SIGNATURE, request, settings.trustedProxies());
    }
    switch (verdict) {
      case VALID -> {}
      case OLD -> throw new ProblemException(NotificationProblems.signatureOld());
      case WRONG -> throw new ProblemException(NotificationProblems.signatureInvalid());
    }
  }

  /**
   * Records a receipt; one that comes twice changes nothing. It may come before the sender has
   * recorded that the provider has the message.
   */
  private static void record(MessageLog messages, String provider, ReceiptJson.Receipt receipt) {
    MessageLog.ReceiptResult result =
        messages.receipt(
            new MessageLog.Delivery(
                receipt.messageId(),
                receipt.state(),
                Instant.now(),
                provider,
                List.of(),
                receipt.state() == MessageState.FAILED
                    ? receipt.reason().or(() -> Optional.of("reported by " + provider))
                    : Optional.empty()));
    switch (result) {
      case RECORDED, REPEATED -> {}
      case CONTRADICTED ->
          throw new ProblemException(NotificationProblems.contradicted(receipt.messageId()));
      case NOT_SENT ->
          throw new ProblemException(NotificationProblems.notSent(receipt.messageId()));
      case UNKNOWN ->
          throw new ProblemException(NotificationProblems.unknownMessage(receipt.messageId()));
    }
  }
}
