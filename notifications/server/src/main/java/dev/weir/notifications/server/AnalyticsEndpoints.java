package dev.weir.notifications.server;

import dev.weir.http.endpoints.ProblemTitles;
import dev.weir.http.endpoints.ReadsQuery;
import dev.weir.http.endpoints.RequiresRole;
import dev.weir.http.endpoints.Responses;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.notifications.analytics.Analytics;
import dev.weir.notifications.analytics.OpenSearchException;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers questions of operators: who sends how much, who is refused, when, and what is unusual.
 */
@Controller("/api/analytics")
@RequiresRole(RequiresRole.Role.ADMIN)
@ProblemTitles(
    invalid = NotificationProblems.INVALID,
    storeUnavailable = NotificationProblems.DATABASE_DOWN)
@ExecuteOn(TaskExecutors.VIRTUAL)
final class AnalyticsEndpoints {
  private static final Logger log = LoggerFactory.getLogger(AnalyticsEndpoints.class);

  private final AvailableAnalytics available;

  AnalyticsEndpoints(AvailableAnalytics available) {
    this.available = available;
  }

  @Get("/users")
  @ReadsQuery
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> users(HttpRequest<?> request) {
    Analytics analytics = available.analytics();
    AnalyticsQuery.OfRange query =
        AnalyticsQuery.OfRange.of(request.getParameters(), Instant.now(), Analytics.MAX_RANGE);
    Analytics.Users<Analytics.Sender> users =
        answered(() -> analytics.topUsers(query.range(), query.limit()));
    return Responses.json(json -> AnalyticsJson.writeSenders(json, query.range(), users));
  }

  @Get("/limited")
  @ReadsQuery
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> limited(HttpRequest<?> request) {
    Analytics analytics = available.analytics();
    AnalyticsQuery.OfRange query =
        AnalyticsQuery.OfRange.of(request.getParameters(), Instant.now(), Analytics.MAX_RANGE);
    Analytics.Users<Analytics.Limited> users =
        answered(() -> analytics.limited(query.range(), query.limit()));
    return Responses.json(json -> AnalyticsJson.writeLimited(json, query.range(), users));
  }

  @Get("/peaks")
  @ReadsQuery
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> peaks(HttpRequest<?> request) {
    Analytics analytics = available.analytics();
    AnalyticsQuery.OfRange query =
        AnalyticsQuery.OfRange.of(request.getParameters(), Instant.now(), Analytics.MAX_PEAK_RANGE);
    List<Analytics.Minute> minutes = answered(() -> analytics.peaks(query.range(), query.limit()));
    return Responses.json(json -> AnalyticsJson.writePeaks(json, query.range(), minutes));
  }

  @Get("/unusual")
  @ReadsQuery
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> unusual(HttpRequest<?> request) {
    Analytics analytics = available.analytics();
    AnalyticsQuery.OfRates query =
        AnalyticsQuery.OfRates.of(request.getParameters(), Instant.now());
    Analytics.UnusualRates rates =
        answered(
            () -> analytics.unusual(query.to(), query.window(), query.past(), query.examined()));
    return Responses.json(json -> AnalyticsJson.writeUnusual(json, rates));
  }

  private static <T> T answered(Supplier<T> question) {
    try {
      return question.get();
    } catch (OpenSearchException e) {
      log.warn("A question of an operator is not answered: {}", e.getMessage());
      throw e.isUnexpectedAnswer()
          ? new ProblemException(NotificationProblems.searchUnexpected())
          : new ProblemException(
              NotificationProblems.searchUnavailable(), Map.of("Retry-After", "5"));
    }
  }
}
