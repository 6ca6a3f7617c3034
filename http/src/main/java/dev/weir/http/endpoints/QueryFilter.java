package dev.weir.http.endpoints;

import dev.weir.http.fields.Fields;
import dev.weir.http.fields.PercentEncoding;
import io.micronaut.core.annotation.AnnotationMetadata;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ServerFilter;
import java.util.Optional;

/**
 * Rejects queries that are not UTF-8, and query parameters on endpoints that take none: a misspelt
 * or misplaced parameter would silently do nothing. Health, metrics and documentation accept any
 * query, because monitors and browsers add parameters of their own.
 */
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
final class QueryFilter {
  @RequestFilter
  void check(HttpRequest<?> request) {
    String query = request.getUri().getRawQuery();
    if (query == null || query.isEmpty()) {
      return;
    }
    Optional<AnnotationMetadata> endpoint =
        Endpoint.of(request)
            .filter(
                metadata ->
                    Endpoint.role(metadata)
                        .filter(role -> role != RequiresRole.Role.OBSERVER)
                        .isPresent());
    if (endpoint.isEmpty()) {
      return;
    }
    PercentEncoding.decode(query);
    if (!endpoint.get().hasAnnotation(ReadsQuery.class)) {
      Fields parameters = Fields.of(request.getParameters());
      parameters.refuseOtherParameters();
      parameters.throwIfWrong();
    }
  }
}
