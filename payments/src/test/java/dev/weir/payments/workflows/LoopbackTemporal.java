package dev.weir.payments.workflows;

import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.temporal.internal.testservice.TestServicesStarter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Temporal's test server, in real time, for the processes of this machine. */
final class LoopbackTemporal implements AutoCloseable {
  private final TestServicesStarter services = new TestServicesStarter(true, 0);
  private final Server server;

  private LoopbackTemporal() throws IOException {
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    services.getServices().forEach(builder::addService);
    server = builder.build().start();
  }

  static LoopbackTemporal start() throws IOException {
    return new LoopbackTemporal();
  }

  /** Returns its host and port. */
  String address() {
    return "127.0.0.1:" + server.getPort();
  }

  @Override
  public void close() {
    server.shutdownNow();
    services.close();
  }
}
