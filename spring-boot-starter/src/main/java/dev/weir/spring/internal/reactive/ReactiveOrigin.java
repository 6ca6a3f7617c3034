package dev.weir.spring.internal.reactive;

import dev.weir.spring.internal.gate.RequestSource;
import java.util.List;
import org.springframework.http.server.reactive.AbstractServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** The web server's view of a WebFlux request: its original data, and its thread. */
public interface ReactiveOrigin {
  /** Uses only the data that WebFlux provides. */
  ReactiveOrigin UNKNOWN =
      new ReactiveOrigin() {
        @Override
        public boolean knows(ServerHttpRequest request) {
          return true;
        }

        @Override
        public RequestSource source(ServerHttpRequest request) {
          return new ReactiveSource(request);
        }

        @Override
        public Scheduler thread(ServerHttpRequest request) {
          return Schedulers.immediate();
        }
      };

  /** Returns true if the request is of this web server. */
  boolean knows(ServerHttpRequest request);

  /** Returns the request as it was received. */
  RequestSource source(ServerHttpRequest request);

  /** Returns where the request continues after it was decided, or has waited, on another thread. */
  Scheduler thread(ServerHttpRequest request);

  /** Returns the first of these that knows a request, or {@link #UNKNOWN}. */
  static ReactiveOrigin of(ServerHttpRequest request, List<ReactiveOrigin> known) {
    for (ReactiveOrigin each : known) {
      if (each.knows(request)) {
        return each;
      }
    }
    return UNKNOWN;
  }

  /** Returns the web server's own request. */
  static Object inner(ServerHttpRequest request) {
    return request instanceof AbstractServerHttpRequest
            || request instanceof ServerHttpRequestDecorator
        ? ServerHttpRequestDecorator.getNativeRequest(request)
        : request;
  }
}
