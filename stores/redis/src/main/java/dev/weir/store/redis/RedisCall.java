package dev.weir.store.redis;

import dev.weir.engine.StoreException.Outcome;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/**
 * A command on its way: it is sent as soon as there is a connection, unless it was given up before.
 * So it is known of each whether it may have reached Redis. Thread-safe.
 */
final class RedisCall<T> {
  /** What Lettuce says of a command that it did not take. */
  private static final List<String> NOT_TAKEN =
      List.of(
          "Connection is closed",
          "Currently not connected",
          "Request queue size exceeded",
          "Command buffer size exceeded");

  /**
   * What Redis says before it begins with a command, or at the first write of a script. Redis 6.2
   * says it as part of what a script failed by.
   */
  private static final List<String> NOT_BEGUN =
      List.of(
          "NOSCRIPT",
          "TRYAGAIN",
          "MOVED",
          "ASK ",
          "CLUSTERDOWN",
          "MASTERDOWN",
          "LOADING",
          "BUSY",
          "READONLY",
          "MISCONF",
          "NOREPLICAS",
          "OOM ",
          "NOAUTH");

  private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
  private final CompletableFuture<T> reply;

  private enum State {
    WAITING,
    SENT,
    GIVEN_UP
  }

  <C> RedisCall(
      CompletionStage<? extends C> connected,
      Function<? super C, ? extends CompletionStage<T>> command) {
    this.reply =
        connected
            .thenCompose(
                commands ->
                    state.compareAndSet(State.WAITING, State.SENT)
                        ? command.apply(commands)
                        : CompletableFuture.<T>failedFuture(new CancellationException()))
            .toCompletableFuture();
  }

  CompletableFuture<T> reply() {
    return reply;
  }

  /** Waits no longer: if it has not been sent yet, it is never sent. */
  Outcome giveUp() {
    boolean isSent = !state.compareAndSet(State.WAITING, State.GIVEN_UP);
    reply.cancel(false);
    return isSent ? Outcome.UNKNOWN : Outcome.NONE;
  }

  /** What is known about a command that failed by this. */
  Outcome outcome(Throwable failure) {
    if (state.get() != State.SENT) {
      return Outcome.NONE;
    }
    String said = String.valueOf(failure.getMessage());
    boolean isNothingDone =
        failure instanceof RedisCommandExecutionException
            ? NOT_BEGUN.stream().anyMatch(said::contains)
            : failure instanceof RedisException && NOT_TAKEN.stream().anyMatch(said::startsWith);
    return isNothingDone ? Outcome.NONE : Outcome.UNKNOWN;
  }
}
