package dev.weir.notifications.provider;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.jsmpp.session.connection.Connection;
import org.jsmpp.session.connection.ConnectionFactory;
import org.jsmpp.session.connection.socket.SocketConnection;

/**
 * Connects within a limited time and, with TLS, verifies that the certificate is that of the host.
 * jSMPP's own factories do neither.
 */
final class SmppConnections implements ConnectionFactory {
  private final boolean isTls;
  private final Duration timeout;

  SmppConnections(boolean isTls, Duration timeout) {
    this.isTls = isTls;
    this.timeout = timeout;
  }

  @Override
  public Connection createConnection(String host, int port) throws IOException {
    Socket socket = new Socket();
    try {
      socket.connect(new InetSocketAddress(host, port), (int) timeout.toMillis());
      socket.setTcpNoDelay(true);
      return new SocketConnection(isTls ? secured(socket, host, port) : socket);
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  private Socket secured(Socket socket, String host, int port) throws IOException {
    SSLSocketFactory factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
    SSLSocket secured = (SSLSocket) factory.createSocket(socket, host, port, true);
    SSLParameters parameters = secured.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    secured.setSSLParameters(parameters);
    secured.setSoTimeout((int) timeout.toMillis());
    secured.startHandshake();
    return secured;
  }
}
