package dev.weir.server.http;

import io.micronaut.core.annotation.AnnotationMetadata;
import io.micronaut.http.HttpRequest;
import io.micronaut.web.router.RouteAttributes;
import java.lang.annotation.Annotation;
import java.util.Optional;

/** The annotations of the endpoint that a request was routed to. */
final class Endpoint {
  private Endpoint() {}

  /** Returns the endpoint's annotations; empty if no endpoint was found. */
  static Optional<AnnotationMetadata> of(HttpRequest<?> request) {
    return RouteAttributes.getRouteMatch(request)
        .map(route -> route.getRouteInfo().getAnnotationMetadata());
  }

  /** Returns the role that the endpoint with these annotations requires; empty if none. */
  static Optional<RequiresRole.Role> role(AnnotationMetadata metadata) {
    return metadata.enumValue(RequiresRole.class, RequiresRole.Role.class);
  }

  /** Returns true if an endpoint was found and has the annotation. */
  static boolean has(HttpRequest<?> request, Class<? extends Annotation> annotation) {
    return of(request).filter(metadata -> metadata.hasAnnotation(annotation)).isPresent();
  }
}
