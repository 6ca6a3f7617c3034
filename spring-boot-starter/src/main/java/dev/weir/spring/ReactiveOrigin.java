package dev.weir.spring;

import org.springframework.http.server.reactive.ServerHttpRequest;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Where a request of WebFlux comes from: what its web server knows of it, and on which thread. */
interface ReactiveOrigin {
  /** Known only from what WebFlux tells. */
  ReactiveOrigin UNKNOWN =
      new ReactiveOrigin() {
        @Override
        public RequestSource source(ServerHttpRequest request) {
          return new ReactiveSource(request);
        }

        @Override
        public Scheduler thread(ServerHttpRequest request) {
          return Schedulers.immediate();
        }
      };

  /** The request as it came. */
  RequestSource source(ServerHttpRequest request);

  /** Where it goes on after it was decided, or has waited, on another thread. */
  Scheduler thread(ServerHttpRequest request);
}
