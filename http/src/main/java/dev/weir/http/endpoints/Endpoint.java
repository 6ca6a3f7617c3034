package dev.weir.http.endpoints;

import io.micronaut.core.annotation.AnnotationMetadata;
import io.micronaut.http.HttpRequest;
import io.micronaut.web.router.RouteAttributes;
import io.micronaut.web.router.UriRouteInfo;
import java.lang.annotation.Annotation;
import java.util.Optional;

/** The annotations of the endpoint that a request was routed to. */
public final class Endpoint {
  private Endpoint() {}

  /** Returns the endpoint's annotations; empty if no endpoint was found. */
  public static Optional<AnnotationMetadata> of(HttpRequest<?> request) {
    return RouteAttributes.getRouteMatch(request)
        .map(route -> route.getRouteInfo().getAnnotationMetadata());
  }

  /** Returns the role that the endpoint with these annotations requires; empty if none. */
  public static Optional<RequiresRole.Role> role(AnnotationMetadata metadata) {
    return metadata.enumValue(RequiresRole.class, RequiresRole.Role.class);
  }

  /** Returns the method and the path template of the endpoint, such as {@code GET /a/{id}}. */
  public static String name(HttpRequest<?> request) {
    return RouteAttributes.getRouteMatch(request)
        .filter(route -> route.getRouteInfo() instanceof UriRouteInfo<?, ?>)
        .map(route -> ((UriRouteInfo<?, ?>) route.getRouteInfo()).getUriMatchTemplate())
        .map(template -> request.getMethodName() + " " + template)
        .orElse("");
  }

  /** Returns true if an endpoint was found and has the annotation. */
  public static boolean has(HttpRequest<?> request, Class<? extends Annotation> annotation) {
    return of(request).filter(metadata -> metadata.hasAnnotation(annotation)).isPresent();
  }
}
