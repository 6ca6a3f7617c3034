package dev.weir.spring;

import org.springframework.http.server.reactive.ServerHttpRequest;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** The web server's view of a WebFlux request: its original data, and its thread. */
interface ReactiveOrigin {
  /** Uses only the data that WebFlux provides. */
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

  /** Returns the request as it was received. */
  RequestSource source(ServerHttpRequest request);

  /** Returns where the request continues after it was decided, or has waited, on another thread. */
  Scheduler thread(ServerHttpRequest request);
}
