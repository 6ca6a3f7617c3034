package dev.weir.notifications.server;

import dev.weir.StoreException;
import dev.weir.Violation;
import dev.weir.http.endpoints.ProblemTitles;
import dev.weir.http.endpoints.RequiresRole;
import dev.weir.http.endpoints.Responses;
import dev.weir.http.fields.JsonDocument;
import dev.weir.http.json.Json;
import dev.weir.http.json.TimeText;
import dev.weir.http.problems.Problem;
import dev.weir.internal.Micros;
import dev.weir.limits.Decision;
import dev.weir.limits.Limit;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.notifications.messages.UserState;
import dev.weir.notifications.server.metrics.NotificationMetrics;
import dev.weir.rules.text.PolicyText;
import dev.weir.rules.text.RateLimitFields;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.util.List;
import java.util.OptionalLong;

/** Sends messages within the limits of their users. */
@Controller("/api/send")
@RequiresRole(RequiresRole.Role.CLIENT)
@ProblemTitles(
    invalid = NotificationProblems.INVALID,
    storeUnavailable = NotificationProblems.DATABASE_DOWN)
@ExecuteOn(TaskExecutors.VIRTUAL)
final class SendEndpoint {
  private static final String KEY = "Idempotency-Key";

  /** When a broker that failed may be back, in microseconds: it is tried every second. */
  private static final long BROKER_RETRY = Micros.PER_SECOND;

  private final AvailableNotifications available;
  private final NotificationMetrics metrics;

  SendEndpoint(AvailableNotifications available, NotificationMetrics metrics) {
    this.available = available;
    this.metrics = metrics;
  }

  @Post
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> send(HttpRequest<?> request, @Body byte[] body) {
    SendJson.Wanted wanted =
        SendJson.read(JsonDocument.read(body, 0, body.length), request.getHeaders().getAll(KEY));
    return response(wanted, outcome(wanted));
  }

  private SendResult.Answer outcome(SendJson.Wanted wanted) {
    NotificationServices services = available.services();
    long begunNanos = System.nanoTime();
    try {
      SendResult.Answer outcome =
          services
              .notifications()
              .send(wanted.userId(), wanted.text(), wanted.idempotencyKey(), wanted.whenClosed());
      metrics.answered(outcome, System.nanoTime() - begunNanos);
      return outcome;
    } catch (StoreException e) {
      metrics.storeFailed(System.nanoTime() - begunNanos);
      throw e;
    }
  }

  private static HttpResponse<byte[]> response(SendJson.Wanted wanted, SendResult.Answer outcome) {
    long userId = wanted.userId();
    return switch (outcome) {
      case SendResult.Sent sent ->
          withState(Responses.json(json -> SendJson.writeSent(json, sent.message())), sent.state());
      case SendResult.Deferred deferred ->
          Responses.json(
              HttpStatus.ACCEPTED, json -> MessageJson.write(json, deferred.record().status()));
      case SendResult.Limited limited ->
          limited(userId, limited.state().limit().limit(), limited.decision());
      case SendResult.LimitedEarly limited -> limited(userId, limited.limit(), limited.decision());
      case SendResult.UnknownUser unknown ->
          Responses.problem(NotificationProblems.unknownUser(unknown.userId()));
      case SendResult.KeyReused reused -> Responses.problem(NotificationProblems.keyReused());
      case SendResult.TooExpensive expensive ->
          withState(Responses.problem(tooExpensive(expensive)), expensive.state());
      case SendResult.Closed closed -> closed(userId, closed);
      case SendResult.TooManyDeferred tooMany ->
          retry(
              Responses.problem(
                  NotificationProblems.tooManyDeferred(
                      userId, tooMany.max(), TimeText.of(Micros.instant(tooMany.opensAtMicros())))),
              Math.max(Micros.PER_SECOND, tooMany.opensAtMicros() - tooMany.state().atMicros()));
      case SendResult.Failed failed ->
          Responses.problem(NotificationProblems.messageFailed(failed.record()));
      case SendResult.BrokerRefused refused ->
          retry(
              Responses.problem(NotificationProblems.brokerRefused(refused.isStarting())),
              BROKER_RETRY);
      case SendResult.BrokerUnknown unknown ->
          retry(
              Responses.problem(NotificationProblems.brokerUnknown(unknown.messageId())),
              BROKER_RETRY);
    };
  }

  private static HttpResponse<byte[]> limited(long userId, Limit limit, Decision.Refused decision) {
    Problem problem =
        NotificationProblems.limited(userId)
            .with(json -> Json.writeSeconds(json, "retryAfter", decision.retryAfterMicros()));
    return withFields(
        retry(Responses.problem(problem), decision.retryAfterMicros()), userId, limit, decision);
  }

  private static HttpResponse<byte[]> closed(long userId, SendResult.Closed closed) {
    Problem problem =
        NotificationProblems.closed(userId, TimeText.of(Micros.instant(closed.opensAtMicros())));
    // Even if the hours begin at this moment, a client that repeats without a pause gains nothing.
    long wait = Math.max(Micros.PER_SECOND, closed.opensAtMicros() - closed.state().atMicros());
    return retry(Responses.problem(problem), wait);
  }

  private static Problem tooExpensive(SendResult.TooExpensive expensive) {
    UserLimit limit = expensive.state().limit();
    return Problem.invalid(
            List.of(
                new Violation(
                    "message",
                    "costs %d, more than the limit of user %d ever allows: %d"
                        .formatted(expensive.cost(), limit.userId(), limit.rateLimit()))))
        .titled(NotificationProblems.INVALID);
  }

  private static MutableHttpResponse<byte[]> retry(
      MutableHttpResponse<byte[]> response, long micros) {
    RateLimitFields.addRetryAfter(response::header, micros);
    return response;
  }

  private static HttpResponse<byte[]> withState(
      MutableHttpResponse<byte[]> response, UserState state) {
    Limit limit = state.limit().limit();
    return withFields(
        response, state.limit().userId(), limit, limit.peek(state.usage(), 1, state.atMicros()));
  }

  private static HttpResponse<byte[]> withFields(
      MutableHttpResponse<byte[]> response, long userId, Limit limit, Decision decision) {
    RateLimitFields.add(
        response::header,
        new RateLimitFields.PolicyState(
            PolicyText.ofRule(NotificationProblems.POLICY, limit),
            Long.toString(userId),
            decision.remaining(),
            OptionalLong.of(decision.resetMicros()),
            decision instanceof Decision.Refused));
    return response;
  }
}
