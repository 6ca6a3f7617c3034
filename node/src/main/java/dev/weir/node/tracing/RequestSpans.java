package dev.weir.node.tracing;

import io.micronaut.context.annotation.Requires;
import io.micronaut.core.order.Ordered;
import io.micronaut.core.propagation.MutablePropagatedContext;
import io.micronaut.core.propagation.ThreadPropagatedContextElement;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ResponseFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.micronaut.web.router.RouteAttributes;
import io.micronaut.web.router.UriRouteInfo;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Records a span for each request, from the request head to the response head, within the trace
 * that the caller names in {@code traceparent}. Absent if no collector is configured.
 */
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
@Requires(bean = Tracing.class)
final class RequestSpans implements Ordered {
  private static final String SPAN = "dev.weir.span";

  /** Matches the regular expression of a path variable. */
  private static final Pattern PATTERN = Pattern.compile(":[^}]*}");

  private final Tracer tracer;

  RequestSpans(Tracing tracing) {
    this.tracer = tracing.tracer();
  }

  /** Runs first, before filters that may refuse the request. */
  @Override
  public int getOrder() {
    return HIGHEST_PRECEDENCE;
  }

  @RequestFilter
  void begin(HttpRequest<?> request, MutablePropagatedContext propagated) {
    Optional<String> route = route(request);
    String method = request.getMethodName();
    Context caller =
        W3CTraceContextPropagator.getInstance().extract(Context.root(), request, Headers.READ);
    Span span =
        tracer
            .spanBuilder(route.map(path -> method + " " + path).orElse(method))
            .setParent(caller)
            .setSpanKind(SpanKind.SERVER)
            .setAttribute("http.request.method", method)
            .setAttribute("url.path", request.getPath())
            .startSpan();
    route.ifPresent(path -> span.setAttribute("http.route", path));
    request.setAttribute(SPAN, span);
    propagated.add(new Current(caller.with(span)));
  }

  @ResponseFilter
  void end(HttpRequest<?> request, MutableHttpResponse<?> response) {
    request
        .removeAttribute(SPAN, Span.class)
        .ifPresent(
            span -> {
              span.setAttribute("http.response.status_code", response.code());
              if (response.code() >= 500) {
                span.setStatus(StatusCode.ERROR);
              }
              span.end();
            });
  }

  /**
   * Returns the path template of the endpoint. Its variables are not expanded, so that there are
   * few span names.
   */
  private static Optional<String> route(HttpRequest<?> request) {
    return RouteAttributes.getRouteMatch(request)
        .filter(match -> match.getRouteInfo() instanceof UriRouteInfo<?, ?>)
        .map(match -> ((UriRouteInfo<?, ?>) match.getRouteInfo()).getUriMatchTemplate())
        .map(template -> PATTERN.matcher(template.toPathString()).replaceAll("}"));
  }

  /** Propagates the span to the thread that does the work. */
  private record Current(Context context) implements ThreadPropagatedContextElement<Scope> {
    @Override
    @SuppressWarnings("MustBeClosedChecker") // Micronaut returns it to be closed, below.
    public Scope updateThreadContext() {
      return context.makeCurrent();
    }

    @Override
    public void restoreThreadContext(Scope before) {
      before.close();
    }
  }

  private enum Headers implements TextMapGetter<HttpRequest<?>> {
    READ;

    @Override
    public Iterable<String> keys(HttpRequest<?> request) {
      return request.getHeaders().names();
    }

    @Override
    public @Nullable String get(@Nullable HttpRequest<?> request, String name) {
      return request == null ? null : request.getHeaders().get(name);
    }
  }
}
