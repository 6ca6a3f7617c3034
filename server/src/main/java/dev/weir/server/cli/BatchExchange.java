package dev.weir.server.cli;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * One HTTP/1.1 POST whose response is read while the request is still being written: one thread
 * sends, another reads.
 *
 * <p>The HTTP clients of the JDK do not read the response before the whole request is sent
 * (measured on JDK 25). With a result for each line the server would then stop reading once the
 * buffers in between are full, and both sides would wait forever. Hence a plain socket, with one
 * request per connection.
 */
final class BatchExchange implements Closeable {
  private static final int BUFFER_BYTES = 64 * 1024;
  private static final int MAX_PROBLEM_BYTES = 64 * 1024;

  private final Socket socket;
  private final OutputStream request;
  private final InputStream answer;

  private BatchExchange(Socket socket) throws IOException {
    this.socket = socket;
    this.request = new BufferedOutputStream(socket.getOutputStream(), BUFFER_BYTES);
    this.answer = new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES);
  }

  static BatchExchange open(
      URI target, Optional<String> authorization, Duration connectTimeout, Duration answerTimeout)
      throws IOException {
    Socket socket = connect(target, connectTimeout);
    try {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(Math.toIntExact(answerTimeout.toMillis()));
      BatchExchange exchange = new BatchExchange(socket);
      exchange.sendHead(target, authorization);
      return exchange;
    } catch (IOException failed) {
      socket.close();
      throw failed;
    }
  }

  /** Sends several lines together, each with its line feed. */
  void send(byte[] lines) throws IOException {
    if (lines.length == 0) {
      return; // An empty chunk would end the request.
    }
    request.write(ascii(Integer.toHexString(lines.length) + "\r\n"));
    request.write(lines);
    request.write(ascii("\r\n"));
    request.flush();
  }

  /** Ends the request; the response continues. */
  void finish() throws IOException {
    request.write(ascii("0\r\n\r\n"));
    request.flush();
  }

  /** Waits for the head of the response and returns its body. */
  InputStream answers() throws IOException, ProblemException {
    AnswerHead head = AnswerHead.read(answer);
    InputStream body = head.body(answer);
    if (head.status() != 200) {
      throw new ProblemException(
          Problem.ofAnswer(head.status(), body.readNBytes(MAX_PROBLEM_BYTES)));
    }
    return body;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  private void sendHead(URI target, Optional<String> authorization) throws IOException {
    StringBuilder head = new StringBuilder();
    head.append("POST ").append(target.getRawPath()).append(" HTTP/1.1\r\n");
    header(head, "Host", target.getRawAuthority());
    header(head, "User-Agent", "weir");
    header(head, "Content-Type", "application/x-ndjson");
    header(head, "Accept", "application/x-ndjson, application/problem+json");
    header(head, "Transfer-Encoding", "chunked");
    header(head, "Connection", "close");
    authorization.ifPresent(value -> header(head, "Authorization", value));
    request.write(ascii(head.append("\r\n").toString()));
    request.flush();
  }

  private static void header(StringBuilder head, String name, String value) {
    head.append(name).append(": ").append(value).append("\r\n");
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static Socket connect(URI target, Duration timeout) throws IOException {
    boolean secure = target.getScheme().toLowerCase(Locale.ROOT).equals("https");
    int port = target.getPort() >= 0 ? target.getPort() : secure ? 443 : 80;
    Socket socket = new Socket();
    try {
      socket.connect(
          new InetSocketAddress(target.getHost(), port), Math.toIntExact(timeout.toMillis()));
      return secure ? secured(socket, target.getHost(), port) : socket;
    } catch (IOException failed) {
      socket.close();
      throw failed;
    }
  }

  private static Socket secured(Socket socket, String host, int port) throws IOException {
    SSLSocketFactory factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
    SSLSocket secure = (SSLSocket) factory.createSocket(socket, host, port, true);
    SSLParameters parameters = secure.getSSLParameters();
    // Without this, a certificate of any other host would be accepted.
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    secure.setSSLParameters(parameters);
    secure.startHandshake();
    return secure;
  }
}
