package dev.weir.server.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.TrustedProxies;
import dev.weir.http.authentication.Exposure;
import dev.weir.http.authentication.HttpSettings;
import dev.weir.node.operations.OperationsPort;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.RawHttp;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class OperationsPortTest {
  private static final String ADMIN = "token-of-administrators";
  private static final String KEY = "key-of-a-client-or-two";

  @Test
  @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void connectionsThatSendAByteNowAndThenDoNotKeepOthersOut() throws IOException {
    try (OperationsPort port =
        new OperationsPort(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            access(Exposure.LOOPBACK),
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
      // The time of a connection may be too short for a busy machine.
      Waiting.until("an answer", () -> isAnswered(port));
    }
  }

  private static boolean isAnswered(OperationsPort port) throws IOException {
    try (Socket other = new Socket(InetAddress.getLoopbackAddress(), port.port())) {
      other
          .getOutputStream()
          .write("GET /health/live HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      String answer = new String(other.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      if (!answer.isEmpty()) {
        assertThat(answer).startsWith("HTTP/1.1 200 ");
      }
      return !answer.isEmpty();
    } catch (SocketException e) {
      return false;
    }
  }

  @Test
  void otherMachinesNeedACredentialForMetricsAndNoneForHealth() throws IOException {
    try (OperationsPort port = start(Exposure.NETWORK)) {
      for (String wrong :
          List.of(
              "",
              "Authorization: Basic " + KEY + "\r\n",
              "Authorization: Bearer " + KEY + "\r\nAuthorization: Bearer x\r\n")) {
        assertThat(get(port, "/metrics", "any.example", wrong)).startsWith("HTTP/1.1 401 ");
      }
      assertThat(get(port, "/metrics", "any.example", "Authorization: Bearer x\r\n"))
          .startsWith("HTTP/1.1 403 ");
      for (String token : List.of(KEY, ADMIN)) {
        assertThat(get(port, "/metrics", "any.example", "Authorization: Bearer " + token + "\r\n"))
            .startsWith("HTTP/1.1 200 ");
      }
      for (String probe : List.of("/health/live", "/health/ready")) {
        assertThat(get(port, probe, "any.example", "")).startsWith("HTTP/1.1 200 ");
      }
    }
  }

  @Test
  void withoutACredentialOnlyOwnNamesAreAnswered() throws IOException {
    for (Exposure exposure : List.of(Exposure.LOOPBACK, Exposure.NETWORK_WITH_ANONYMOUS_CLIENTS)) {
      try (OperationsPort port = start(exposure)) {
        assertThat(get(port, "/metrics", "127.0.0.1:1", "")).startsWith("HTTP/1.1 200 ");
        assertThat(get(port, "/metrics", "evil.example", "")).startsWith("HTTP/1.1 421 ");
        assertThat(get(port, "/metrics", "10.1.2.3", ""))
            .startsWith(exposure == Exposure.LOOPBACK ? "HTTP/1.1 421 " : "HTTP/1.1 200 ");
      }
    }
  }

  /** A failure of the port would be a stack trace in the log, for each request of anyone. */
  @Test
  void aPathThatCannotBeDecodedIsOneThatIsNotThere() throws IOException {
    try (OperationsPort port = start(Exposure.NETWORK)) {
      for (String path : List.of("/%", "/%zz", "/metrics%2", "/health/live%c3?x=%")) {
        assertThat(get(port, path, "any.example", "")).startsWith("HTTP/1.1 404 ");
      }
      assertThat(get(port, "/health/live?x=%", "any.example", "")).startsWith("HTTP/1.1 200 ");
    }
  }

  private static HttpSettings access(Exposure exposure) {
    return new HttpSettings(
        exposure, Optional.of(ADMIN), Optional.empty(), Set.of(KEY), TrustedProxies.NONE);
  }

  /** Listens on loopback; the exposure is what the settings would say of another address. */
  private static OperationsPort start(Exposure exposure) throws IOException {
    return new OperationsPort(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        access(exposure),
        () -> "",
        new PrometheusRegistry(),
        // Longer than an answer takes, on however busy a machine.
        Duration.ofMinutes(5));
  }

  private static String get(OperationsPort port, String path, String host, String headers)
      throws IOException {
    return RawHttp.exchange(
        URI.create("http://127.0.0.1:" + port.port()),
        "GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n".formatted(path, host, headers));
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
