package dev.weir.payments.server;

import dev.weir.http.endpoints.ReadsQuery;
import dev.weir.http.endpoints.RequiresRole;
import dev.weir.http.endpoints.Responses;
import dev.weir.http.fields.Fields;
import dev.weir.http.fields.PathSegment;
import dev.weir.http.problems.Problem;
import dev.weir.payments.FeedScope;
import dev.weir.payments.Payment;
import dev.weir.payments.PaymentState;
import dev.weir.payments.PaymentStatus;
import dev.weir.payments.PaymentStore.Cancellation;
import dev.weir.payments.server.metrics.PaymentMetrics;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** Shows what became of a payment, and cancels one that has not run. */
@Controller("/api/v1/payments")
@RequiresRole(RequiresRole.Role.CLIENT)
@ExecuteOn(TaskExecutors.VIRTUAL)
final class PaymentEndpoints {
  private static final String ID = "/{paymentId:[^/]+}";

  /** The segment of the path that has the payment. */
  private static final int ID_SEGMENT = 4;

  private final AvailablePayments available;
  private final PaymentMetrics metrics;

  PaymentEndpoints(AvailablePayments available, PaymentMetrics metrics) {
    this.available = available;
    this.metrics = metrics;
  }

  @Get
  @ReadsQuery
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> list(HttpRequest<?> request) {
    return PaymentLists.page(available.services(), request, new FeedScope.All());
  }

  @Get(ID)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> payment(HttpRequest<?> request) {
    String id = id(request);
    PaymentServices services = available.services();
    PaymentStatus payment =
        services.store().find(id).orElseThrow(() -> PaymentProblems.unknownPayment(id));
    Optional<Instant> scheduledTime =
        payment.state() == PaymentState.REJECTED
            ? Optional.empty()
            : services.scheduledTime().apply(id);
    return Responses.json(json -> PaymentJson.write(json, payment, scheduledTime));
  }

  @Delete(ID)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> cancel(HttpRequest<?> request) {
    String id = id(request);
    PaymentServices services = available.services();
    // A rejected record is no payment, but its state is known.
    Cancellation cancellation =
        services
            .cancellation()
            .apply(id)
            .or(
                () ->
                    services.store().find(id).map(found -> new Cancellation(found.state(), false)))
            .orElseThrow(() -> PaymentProblems.unknownPayment(id));
    if (cancellation.state() != PaymentState.CANCELLED) {
      throw PaymentProblems.notCancellable(id, cancellation.state());
    }
    if (cancellation.isNew()) {
      metrics.ended(PaymentState.CANCELLED);
    }
    return HttpResponse.noContent();
  }

  private static String id(HttpRequest<?> request) {
    String id = PathSegment.of(request, ID_SEGMENT);
    if (id.isBlank() || id.length() > Payment.MAX_ID_LENGTH || id.indexOf('\0') >= 0) {
      Fields path = Fields.of(Map.of());
      path.wrong("paymentId", "must have 1 to %d characters".formatted(Payment.MAX_ID_LENGTH));
      path.throwIfWrong();
    }
    return id;
  }
}
