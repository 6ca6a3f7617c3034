package dev.weir.server.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class OperationsPortTest {
  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void connectionsThatSendAByteNowAndThenDoNotKeepOthersOut() throws IOException {
    try (OperationsPort port =
        new OperationsPort(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            () -> "",
            new PrometheusRegistry(),
            Duration.ofSeconds(1))) {
      List<Socket> slow = new ArrayList<>();
      for (int i = 0; i < OperationsPort.MAX_CONNECTIONS; i++) {
        slow.add(new Socket(InetAddress.getLoopbackAddress(), port.port()));
      }
      while (!slow.isEmpty()) {
        slow.removeIf(OperationsPortTest::isClosedAfterAByte);
      }
      try (Socket other = new Socket(InetAddress.getLoopbackAddress(), port.port())) {
        other
            .getOutputStream()
            .write("GET /health/live HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(new String(other.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
            .startsWith("HTTP/1.1 200 ");
      }
    }
  }

  /** Waits a moment for the end of the connection. */
  private static boolean isClosedAfterAByte(Socket socket) {
    try {
      socket.setSoTimeout(10);
      socket.getOutputStream().write('G');
      return socket.getInputStream().read() == -1;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (SocketException e) {
      return true;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
