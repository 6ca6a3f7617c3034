package dev.weir.server.gateway;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.ssl.SSLException;

/** TLS contexts for connections to upstreams. Certificates are always verified. */
final class Encryption {
  private final SslContext single;
  private final SslContext multiplexed;

  private Encryption(SslContext single, SslContext multiplexed) {
    this.single = single;
    this.multiplexed = multiplexed;
  }

  /**
   * Creates the contexts for HTTP/1.1 and HTTP/2.
   *
   * @param trust a file with certificates that are trusted instead of Java's own
   * @throws IOException if the certificates cannot be read
   */
  static Encryption of(Optional<Path> trust) throws IOException {
    try {
      return new Encryption(
          builder(trust).build(),
          builder(trust)
              .applicationProtocolConfig(
                  new ApplicationProtocolConfig(
                      ApplicationProtocolConfig.Protocol.ALPN,
                      ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                      ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                      ApplicationProtocolNames.HTTP_2))
              .build());
    } catch (SSLException | IllegalArgumentException e) {
      throw new IOException("The trusted certificates cannot be read", e);
    }
  }

  private static SslContextBuilder builder(Optional<Path> trust) {
    SslContextBuilder builder = SslContextBuilder.forClient().sslProvider(SslProvider.JDK);
    trust.ifPresent(file -> builder.trustManager(file.toFile()));
    return builder;
  }

  SslContext context(boolean isMultiplexed) {
    return isMultiplexed ? multiplexed : single;
  }
}
