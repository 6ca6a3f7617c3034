package dev.weir.store.redis;

import dev.weir.StoreException.Outcome;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/**
 * A command that is sent as soon as there is a connection, unless the caller gives up before. So it
 * is known of each command whether it may have reached Redis. Thread-safe.
 */
final class RedisCall<T> {
  /** Errors of Lettuce for commands that it did not accept. */
  private static final List<String> NOT_ACCEPTED =
      List.of(
          "Connection is closed",
          "Currently not connected",
          "Request queue size exceeded",
          "Command buffer size exceeded");

  /**
   * Errors of Redis before it starts a command, or at the first write of a script. Redis 6.2
   * reports them as part of a script's error.
   */
  private static final List<String> NOT_STARTED =
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

  /** Stops waiting. If the command has not been sent yet, it is never sent. */
  Outcome giveUp() {
    boolean isSent = !state.compareAndSet(State.WAITING, State.GIVEN_UP);
    reply.cancel(false);
    return isSent ? Outcome.UNKNOWN : Outcome.NONE;
  }

  /** Returns whether a command that failed with this may have been executed. */
  Outcome outcome(Throwable failure) {
    if (state.get() != State.SENT) {
      return Outcome.NONE;
    }
    String message = String.valueOf(failure.getMessage());
    boolean isNothingDone =
        failure instanceof RedisCommandExecutionException
            ? NOT_STARTED.stream().anyMatch(message::contains)
            : failure instanceof RedisException
                && NOT_ACCEPTED.stream().anyMatch(message::startsWith);
    return isNothingDone ? Outcome.NONE : Outcome.UNKNOWN;
  }
}
