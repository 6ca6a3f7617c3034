package dev.weir.server.rest;

import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import io.micronaut.http.server.netty.NettyServerCustomizer;
import io.netty.channel.Channel;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The sockets where newcomers arrive. Micronaut closes them together with the connections that are
 * idle, and cuts those whose first request is on the wire; here they can be closed before.
 */
@Singleton
public final class ListeningSockets
    implements BeanCreatedEventListener<NettyServerCustomizer.Registry>, NettyServerCustomizer {
  private final List<Channel> sockets = new CopyOnWriteArrayList<>();

  @Override
  public NettyServerCustomizer.Registry onCreated(
      BeanCreatedEvent<NettyServerCustomizer.Registry> event) {
    event.getBean().register(this);
    return event.getBean();
  }

  @Override
  public NettyServerCustomizer specializeForChannel(Channel channel, ChannelRole role) {
    if (role == ChannelRole.LISTENER) {
      sockets.add(channel);
    }
    return this;
  }

  /** From now on newcomers are refused; who is connected may go on. */
  public void close() {
    sockets.forEach(socket -> socket.close().syncUninterruptibly());
  }
}
