package dev.weir.payments.server;

import dev.weir.http.endpoints.Caller;
import dev.weir.http.endpoints.ReadsQuery;
import dev.weir.http.endpoints.RequiresRole;
import dev.weir.http.endpoints.Responses;
import dev.weir.http.fields.Fields;
import dev.weir.http.problems.Problem;
import dev.weir.payments.FeedScope;
import dev.weir.payments.PaymentStore;
import dev.weir.payments.server.metrics.PaymentMetrics;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Holds, resumes, cancels and tries feeds again: the emergency brake. */
@Controller("/api/v1/payments/feeds")
@RequiresRole(RequiresRole.Role.ADMIN)
@ExecuteOn(TaskExecutors.VIRTUAL)
@Consumes(MediaType.ALL)
@Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
final class FeedActionEndpoints {
  private static final Logger log = LoggerFactory.getLogger(FeedActionEndpoints.class);
  private static final String FEED = "/{feedId:[^/]+}";

  /** Payments that are changed in one transaction. */
  private static final int PORTION = 5_000;

  private final AvailablePayments available;
  private final PaymentMetrics metrics;

  FeedActionEndpoints(AvailablePayments available, PaymentMetrics metrics) {
    this.available = available;
    this.metrics = metrics;
  }

  @Post("/hold")
  HttpResponse<byte[]> holdAll(HttpRequest<?> request) {
    return hold(request, new FeedScope.All());
  }

  @Post(FEED + "/hold")
  HttpResponse<byte[]> holdOne(HttpRequest<?> request) {
    return hold(request, feed(request));
  }

  private HttpResponse<byte[]> hold(HttpRequest<?> request, FeedScope scope) {
    boolean isNew = available.services().store().hold(scope, Caller.of(request));
    if (isNew) {
      log.warn(
          "{} is held by {}: no call of its payments is begun", text(scope), Caller.of(request));
    }
    return answer("hold", isNew, 0);
  }

  @Post("/resume")
  HttpResponse<byte[]> resumeAll(HttpRequest<?> request) {
    return resume(request, new FeedScope.All());
  }

  @Post(FEED + "/resume")
  HttpResponse<byte[]> resumeOne(HttpRequest<?> request) {
    return resume(request, feed(request));
  }

  private HttpResponse<byte[]> resume(HttpRequest<?> request, FeedScope scope) {
    boolean isNew = available.services().store().resume(scope, Caller.of(request));
    if (isNew) {
      log.warn("{} is resumed by {}", text(scope), Caller.of(request));
    }
    available.services().reopened().run();
    return answer("resume", isNew, 0);
  }

  @Post("/cancel")
  HttpResponse<byte[]> cancelAll(HttpRequest<?> request) {
    return cancel(request, new FeedScope.All());
  }

  @Post(FEED + "/cancel")
  HttpResponse<byte[]> cancelOne(HttpRequest<?> request) {
    return cancel(request, feed(request));
  }

  private HttpResponse<byte[]> cancel(HttpRequest<?> request, FeedScope scope) {
    long cancelled = 0;
    PaymentStore.Portion portion;
    do {
      portion = available.services().store().cancel(scope, Caller.of(request), PORTION);
      cancelled += portion.payments();
    } while (portion.mayBeMore());
    if (cancelled > 0) {
      metrics.cancelled(cancelled);
      log.warn(
          "{} is cancelled by {}: {} payments of which no call was in progress",
          text(scope),
          Caller.of(request),
          cancelled);
    }
    return answer("cancel", cancelled > 0, cancelled);
  }

  @Post("/retry")
  @ReadsQuery
  HttpResponse<byte[]> retryAll(HttpRequest<?> request) {
    return retry(request, new FeedScope.All());
  }

  @Post(FEED + "/retry")
  @ReadsQuery
  HttpResponse<byte[]> retryOne(HttpRequest<?> request) {
    return retry(request, feed(request));
  }

  private HttpResponse<byte[]> retry(HttpRequest<?> request, FeedScope scope) {
    Fields query = Fields.of(request.getParameters());
    boolean isForced = query.choice("force", Force.values()).orElse(Force.FALSE) == Force.TRUE;
    query.refuseOtherParameters();
    query.throwIfWrong();
    long reopened = 0;
    PaymentStore.Portion portion;
    do {
      portion = available.services().store().retry(scope, isForced, Caller.of(request), PORTION);
      reopened += portion.payments();
    } while (portion.mayBeMore());
    if (reopened > 0) {
      log.warn(
          "{} payments that failed are tried again, {}, says {}",
          reopened,
          text(scope),
          Caller.of(request));
      available.services().reopened().run();
    }
    return answer("retry", reopened > 0, reopened);
  }

  /** Whether payments are tried again that may have been made. */
  private enum Force {
    TRUE,
    FALSE
  }

  private FeedScope feed(HttpRequest<?> request) {
    return new FeedScope.One(FeedEndpoints.feed(available.services(), request).feedId());
  }

  private static String text(FeedScope scope) {
    return switch (scope) {
      case FeedScope.One one -> "Feed " + one.feedId();
      case FeedScope.All all -> "Every feed";
    };
  }

  private static HttpResponse<byte[]> answer(String action, boolean isChanged, long payments) {
    return Responses.json(
        json -> {
          json.writeStartObject();
          json.writeStringField("action", action);
          json.writeBooleanField("changed", isChanged);
          json.writeNumberField("payments", payments);
          json.writeEndObject();
        });
  }
}
