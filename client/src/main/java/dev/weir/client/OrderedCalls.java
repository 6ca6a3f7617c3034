package dev.weir.client;

import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Calls of which each begins after the one before has ended. Meanwhile the calling thread prepares
 * the next one and handles the result of the one before.
 */
final class OrderedCalls {
  private OrderedCalls() {}

  private record Done<B, R>(B batch, R result) {}

  static <B, R> void run(
      Transport transport,
      Supplier<Optional<B>> next,
      Function<B, R> call,
      BiConsumer<B, R> handler) {
    Optional<B> batch = next.get();
    Optional<Done<B, R>> done = Optional.empty();
    while (batch.isPresent()) {
      B sent = batch.get();
      Future<R> flying = transport.start(() -> call.apply(sent));
      try {
        done.ifPresent(before -> handler.accept(before.batch(), before.result()));
        batch = next.get();
        done = Optional.of(new Done<>(sent, await(transport, flying)));
      } finally {
        flying.cancel(true);
      }
    }
    done.ifPresent(last -> handler.accept(last.batch(), last.result()));
  }

  private static <R> R await(Transport transport, Future<R> flying) {
    try {
      return flying.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw UnansweredException.interrupted(transport.server(), Outcome.UNKNOWN, e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException known ? known : new IllegalStateException(e);
    } catch (CancellationException e) {
      throw UnansweredException.closed(transport.server(), Outcome.UNKNOWN, e);
    }
  }
}
