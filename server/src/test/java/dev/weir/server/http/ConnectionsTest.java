package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.TrustedProxies;
import io.micronaut.context.BeanProvider;
import io.micronaut.http.netty.channel.ChannelPipelineCustomizer;
import io.micronaut.http.server.netty.NettyServerCustomizer.ChannelRole;
import io.micronaut.http.server.netty.NettyServerCustomizer;
import io.micronaut.http.server.netty.configuration.NettyHttpServerConfiguration;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which connections a node that stops waits for. */
final class ConnectionsTest {
  private static final Duration IDLE = Duration.ofSeconds(1);

  private final Connections connections =
      new Connections(
          new ListenerSettings(
              Duration.ofSeconds(10),
              Duration.ofSeconds(60),
              100,
              new ListenerSettings.Connections(1, 1, TrustedProxies.NONE)),
          NettyHttpServerConfiguration::new,
          new NoExtensions());
  private final EmbeddedChannel listener = new EmbeddedChannel();
  private final EmbeddedChannel client = new EmbeddedChannel();
  private final NettyServerCustomizer customizer = connections.customizer();

  @BeforeEach
  void listen() {
    customizer.specializeForChannel(listener, ChannelRole.LISTENER);
    listener.writeInbound(client);
  }

  @AfterEach
  void close() {
    client.finishAndReleaseAll();
    listener.finishAndReleaseAll();
  }

  /** What an event loop does when it has time for a connection that was accepted. */
  private void serve() {
    client.freezeTime();
    client
        .pipeline()
        .addLast(ChannelPipelineCustomizer.HANDLER_HTTP_SERVER_CODEC, new HttpServerCodec());
    customizer.specializeForChannel(client, ChannelRole.CONNECTION).onStreamPipelineBuilt();
  }

  @Test
  void connectionThatIsAcceptedButNotServedYetIsWaitedFor() {
    CompletableFuture<Void> ended = connections.endWhenIdle(IDLE);
    assertThat(ended).isNotDone();
    serve();
    client.runPendingTasks();
    assertThat(ended).isNotDone();
    client.advanceTimeBy(IDLE.toSeconds(), TimeUnit.SECONDS);
    client.runScheduledPendingTasks();
    assertThat(ended).isCompleted();
    assertThat(connections.count()).isZero();
  }

  @Test
  void connectionThatIsClosedBeforeItIsServedIsNotWaitedForAnyLonger() {
    CompletableFuture<Void> ended = connections.endWhenIdle(IDLE);
    assertThat(client.close().isSuccess()).isTrue();
    assertThat(ended).isCompleted();
    assertThat(connections.count()).isZero();
  }

  @Test
  void connectionBeyondTheMaxIsNotWaitedFor() {
    listener.writeInbound(new EmbeddedChannel());
    assertThat(connections.count()).isOne();
  }

  private static final class NoExtensions implements BeanProvider<ConnectionExtension> {
    @Override
    public ConnectionExtension get() {
      throw new IllegalStateException("there is none");
    }

    @Override
    public Iterator<ConnectionExtension> iterator() {
      return Collections.emptyIterator();
    }
  }
}
