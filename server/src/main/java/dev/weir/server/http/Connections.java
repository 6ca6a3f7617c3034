package dev.weir.server.http;

import io.micronaut.context.BeanProvider;
import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import io.micronaut.http.server.netty.NettyServerCustomizer;
import io.netty.channel.Channel;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * The sockets where newcomers arrive, and the connections that are open. Thread-safe.
 *
 * <p>Micronaut's own way to stop closes both at once: it resets newcomers who were connected and
 * not accepted yet, and cuts off requests that are on their way on connections that look idle.
 */
@Singleton
public final class Connections implements BeanCreatedEventListener<NettyServerCustomizer.Registry> {
  private final BeanProvider<ConnectionExtension> extensions;
  private final List<Channel> sockets = new CopyOnWriteArrayList<>();
  private final Set<HttpConnection> open = ConcurrentHashMap.newKeySet();

  /** Looks up the extensions on the first connection: they need beans made after the server. */
  Connections(BeanProvider<ConnectionExtension> extensions) {
    this.extensions = extensions;
  }

  @Override
  public NettyServerCustomizer.Registry onCreated(
      BeanCreatedEvent<NettyServerCustomizer.Registry> event) {
    event.getBean().register(new Listening());
    return event.getBean();
  }

  /**
   * From now on newcomers are refused. Who is connected, or about to be, is served: newcomers are
   * kept out first, then those on the way have time to arrive, then the socket is closed.
   *
   * @param arrival as long as it may take to connect
   */
  public void refuseNewcomers(Duration arrival) throws InterruptedException {
    sockets.forEach(SynDropFilter::attach);
    TimeUnit.NANOSECONDS.sleep(arrival.toNanos());
    sockets.forEach(socket -> socket.close().syncUninterruptibly());
  }

  /**
   * Lets each connection end: after its last answer, or when it has been idle for so long.
   *
   * @return completed when all have ended
   */
  public CompletableFuture<Void> endWhenIdle(Duration idle) {
    return CompletableFuture.allOf(
        open.stream()
            .map(conversation -> conversation.endWhenIdle(idle))
            .toArray(CompletableFuture<?>[]::new));
  }

  /** How many are open. */
  public int count() {
    return open.size();
  }

  /**
   * Micronaut asks for one that knows its channel, of the socket first, then of each connection.
   */
  private final class Listening implements NettyServerCustomizer {
    @Override
    public NettyServerCustomizer specializeForChannel(Channel channel, ChannelRole role) {
      if (role == ChannelRole.LISTENER) {
        sockets.add(channel);
        return this;
      }
      return new Connected(channel);
    }
  }

  private final class Connected implements NettyServerCustomizer {
    private final Channel channel;

    Connected(Channel channel) {
      this.channel = channel;
    }

    @Override
    public void onStreamPipelineBuilt() {
      HttpConnection conversation = new HttpConnection(channel);
      open.add(conversation);
      extensions.forEach(each -> each.extend(conversation));
      channel.closeFuture().addListener(closed -> open.remove(conversation));
    }
  }
}
