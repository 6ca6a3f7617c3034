package dev.weir.server.rules;

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

/**
 * Answers that are held back until a wait in a queue is over. No thread waits with them: the event
 * loop of the connection has a timer for each.
 */
@Singleton
final class DelayedResponses {
  private final CheckSettings settings;

  DelayedResponses(CheckSettings settings) {
    this.settings = settings;
  }

  /** Gives an answer after the wait. A client that leaves before gives its place back. */
  CompletionStage<HttpResponse<byte[]>> after(
      HttpRequest<?> request, Verdict.Queued queued, HttpResponse<byte[]> answer) {
    Channel channel = ((NettyHttpRequest<?>) request).getChannelHandlerContext().channel();
    CompletableFuture<HttpResponse<byte[]>> later = new CompletableFuture<>();
    Ticket ticket = queued.ticket();
    ScheduledFuture<?> timer =
        channel
            .eventLoop()
            .schedule(
                () -> {
                  ticket.waited();
                  later.complete(answer);
                },
                queued.delayMicros(),
                TimeUnit.MICROSECONDS);
    ChannelFutureListener left =
        closed -> {
          if (timer.cancel(false)) {
            giveBack(ticket);
            later.complete(answer);
          }
        };
    channel.closeFuture().addListener(left);
    return later.whenComplete((given, failure) -> channel.closeFuture().removeListener(left));
  }

  /** A store elsewhere is not waited for on an event loop. */
  private void giveBack(Ticket ticket) {
    if (settings.isBlocking()) {
      Thread.ofVirtual().name("leaving a queue").start(ticket::close);
    } else {
      ticket.close();
    }
  }
}
