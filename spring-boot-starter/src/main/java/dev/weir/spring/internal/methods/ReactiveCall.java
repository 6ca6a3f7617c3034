package dev.weir.spring.internal.methods;

import dev.weir.rules.Ticket;
import dev.weir.spring.internal.gate.Admission;
import java.util.concurrent.CompletableFuture;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.ReactiveAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A call of a method with a reactive result. The method is called when the result is subscribed to,
 * anew for each subscription, because only then its work is done. Loaded only if Reactor is
 * present.
 */
final class ReactiveCall {
  private final ProxyMethodInvocation call;
  private final LimitedMethod limited;
  private final MethodGate gate;

  private ReactiveCall(ProxyMethodInvocation call, LimitedMethod limited, MethodGate gate) {
    this.call = call;
    this.limited = limited;
    this.gate = gate;
  }

  static ReactiveCall of(MethodInvocation call, LimitedMethod limited, MethodGate gate) {
    // All invocations of Spring have this type.
    return new ReactiveCall((ProxyMethodInvocation) call, limited, gate);
  }

  /** Returns the limited result, as the type that the method returns. */
  Object result(ReactiveAdapter type) {
    Publisher<Object> result =
        type.isMultiValue()
            ? Flux.usingWhen(
                ticket(),
                ticket -> called(type),
                this::end,
                (ticket, failure) -> end(ticket),
                this::end)
            : Mono.usingWhen(
                ticket(),
                ticket -> Mono.from(called(type)),
                this::end,
                (ticket, failure) -> end(ticket),
                this::end);
    return type.fromPublisher(result);
  }

  /** Returns the ticket of the call once it may proceed. A subscriber that cancels releases it. */
  private Mono<Ticket> ticket() {
    return Mono.defer(
        () -> {
          CompletableFuture<Admission> decision =
              gate.admitLater(limited.rule(), limited.key().key(call.getArguments()));
          return Mono.fromFuture(decision, true)
              .flatMap(ReactiveCall::waited)
              .doOnCancel(() -> end(decision))
              .doOnError(failure -> end(decision));
        });
  }

  private void end(CompletableFuture<Admission> decision) {
    var unused = decision.thenCompose(admission -> gate.endLater(admission.ticket()));
  }

  private static Mono<Ticket> waited(Admission admission) {
    return admission instanceof Admission.Queued queued
        ? Mono.delay(queued.delay())
            .doOnNext(zero -> queued.ticket().waited())
            .thenReturn(queued.ticket())
        : Mono.just(admission.ticket());
  }

  private Mono<Void> end(Ticket ticket) {
    return Mono.defer(() -> Mono.fromFuture(gate.endLater(ticket)));
  }

  private Publisher<Object> called(ReactiveAdapter type) {
    try {
      @Nullable Object result = call.invocableClone().proceed();
      return type.toPublisher(result);
    } catch (Throwable e) {
      // Exceptions of the method are passed to its subscriber.
      return Mono.error(e);
    }
  }
}
