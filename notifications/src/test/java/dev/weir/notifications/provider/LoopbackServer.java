package dev.weir.notifications.provider;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.jsmpp.session.connection.Connection;
import org.jsmpp.session.connection.ServerConnection;
import org.jsmpp.session.connection.ServerConnectionFactory;
import org.jsmpp.session.connection.socket.SocketConnection;

/** Listens on the loopback interface only, on a free port. */
final class LoopbackServer implements ServerConnectionFactory, ServerConnection {
  private final ServerSocket socket;

  LoopbackServer() throws IOException {
    socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  int port() {
    return socket.getLocalPort();
  }

  @Override
  public ServerConnection listen(int port) {
    return this;
  }

  @Override
  public ServerConnection listen(int port, int timeout) {
    return this;
  }

  @Override
  public ServerConnection listen(int port, int timeout, int backlog) {
    return this;
  }

  @Override
  public Connection accept() throws IOException {
    return new SocketConnection(socket.accept());
  }

  @Override
  public void setSoTimeout(int timeout) throws IOException {
    socket.setSoTimeout(timeout);
  }

  @Override
  public int getSoTimeout() throws IOException {
    return socket.getSoTimeout();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
