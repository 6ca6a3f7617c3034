package dev.weir.server.rules;

import dev.weir.StoreException;
import dev.weir.http.connections.QueuePlace;
import dev.weir.http.endpoints.Responses;
import dev.weir.http.problems.Problem;
import dev.weir.rules.Ticket;
import dev.weir.rules.Verdict;
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
 * Delays responses until their wait in a queue is over. This blocks no thread: each response has a
 * timer on the event loop of its connection.
 */
@Singleton
final class DelayedResponses {
  private final CheckSettings settings;

  DelayedResponses(CheckSettings settings) {
    this.settings = settings;
  }

  /**
   * Returns a response that completes after the wait. A client that disconnects earlier gives up
   * its place in the queue.
   */
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
    QueuePlace.hold(channel);
    return later.whenComplete(
        (given, failure) -> {
          QueuePlace.leave(channel);
          channel.closeFuture().removeListener(left);
        });
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
            later.complete(Responses.problem(Problem.of(e)));
          } catch (RuntimeException e) {
            queued.ticket().close();
            later.completeExceptionally(e);
          }
        },
        "end of a wait");
  }

  /**
   * Runs the task on a virtual thread if it may wait for a remote store, so that the event loop
   * never blocks.
   */
  private void aside(Ticket ticket, Runnable task, String name) {
    if (settings.isBlocking() && (!ticket.isEmpty() || ticket.lease().isPresent())) {
      Thread.ofVirtual().name(name).start(task);
    } else {
      task.run();
    }
  }
}
