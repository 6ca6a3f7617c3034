package dev.weir.server.rest;

import dev.weir.engine.StoreException;
import dev.weir.engine.rules.Ticket;
import dev.weir.engine.rules.Verdict;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.server.netty.NettyHttpRequest;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.util.concurrent.ScheduledFuture;
import jakarta.inject.Singleton;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Answers that are held back until a wait in a queue is over. No thread waits with them: the event
 * loop of the connection has a timer for each.
 */
@Singleton
final class Waits {
  private final Limits limits;

  Waits(Limits limits) {
    this.limits = limits;
  }

  /** Gives an answer after the wait. A client that leaves before gives its place back. */
  CompletionStage<HttpResponse<byte[]>> after(
      HttpRequest<?> request,
      Verdict.Queued queued,
      Function<Verdict, HttpResponse<byte[]>> answer) {
    Channel channel = ((NettyHttpRequest<?>) request).getChannelHandlerContext().channel();
    CompletableFuture<HttpResponse<byte[]>> later = new CompletableFuture<>();
    Ticket ticket = queued.ticket();
    ScheduledFuture<?> timer =
        channel
            .eventLoop()
            .schedule(
                () -> handOver(queued, answer, later), queued.delayMicros(), TimeUnit.MICROSECONDS);
    ChannelFutureListener left =
        closed -> {
          if (timer.cancel(false)) {
            aside(ticket, ticket::close, "leaving a queue");
            later.complete(answer.apply(queued));
          }
        };
    channel.closeFuture().addListener(left);
    return later.whenComplete((given, failure) -> channel.closeFuture().removeListener(left));
  }

  private void handOver(
      Verdict.Queued queued,
      Function<Verdict, HttpResponse<byte[]>> answer,
      CompletableFuture<HttpResponse<byte[]>> later) {
    aside(
        queued.ticket(),
        () -> {
          try {
            later.complete(answer.apply(queued.handedOver()));
          } catch (StoreException e) {
            later.complete(Problems.answer(Problems.of(e)));
          } catch (RuntimeException e) {
            later.completeExceptionally(e);
          }
        },
        "end of a wait");
  }

  /** A store elsewhere is not waited for on an event loop. */
  private void aside(Ticket ticket, Runnable task, String name) {
    if (limits.isBlocking() && (!ticket.isEmpty() || ticket.lease().isPresent())) {
      Thread.ofVirtual().name(name).start(task);
    } else {
      task.run();
    }
  }
}
