package dev.weir.server.rules;

import dev.weir.http.endpoints.Responses;
import dev.weir.rules.TooManyRulesException;
import dev.weir.server.refusals.LimitProblems;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.server.exceptions.ExceptionHandler;
import jakarta.inject.Singleton;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers requests that more rules cover than can be decided together. */
@Singleton
final class TooManyRules implements ExceptionHandler<TooManyRulesException, HttpResponse<?>> {
  private static final Logger log = LoggerFactory.getLogger(TooManyRules.class);

  @Override
  @SuppressWarnings("rawtypes") // The interface uses a raw type.
  public HttpResponse<?> handle(HttpRequest request, TooManyRulesException tooMany) {
    log.error("{} {} failed: {}", request.getMethodName(), request.getPath(), tooMany.getMessage());
    return Responses.problem(LimitProblems.tooManyRules(tooMany));
  }
}
