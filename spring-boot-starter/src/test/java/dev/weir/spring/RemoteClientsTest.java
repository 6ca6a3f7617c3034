package dev.weir.spring;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.spring.autoconfigure.Service;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Clients that leave while a remote Weir decides about their requests. */
final class RemoteClientsTest {
  private static final int TIMEOUT_MILLIS = 180_000;

  /** The server notices, and gives their places to others. It is not taken for unavailable. */
  @Test
  void onWebFluxTheirExchangesAreCancelled() throws IOException {
    try (ServerSocket weir = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      weir.setSoTimeout(TIMEOUT_MILLIS);
      Map<String, Object> properties = new HashMap<>();
      properties.put("weir.store", "remote");
      properties.put("weir.remote.timeout", "10m");
      properties.put("weir.remote.url", "http://127.0.0.1:" + weir.getLocalPort() + "/a%20b");
      try (Service service = Service.onNetty(properties)) {
        for (int i = 0; i < 10; i++) {
          var request = service.send("/quotes/1");
          try (Socket exchange = weir.accept()) {
            exchange.setSoTimeout(TIMEOUT_MILLIS);
            BufferedReader reader =
                new BufferedReader(
                    new InputStreamReader(exchange.getInputStream(), StandardCharsets.US_ASCII));
            assertThat(reader.readLine()).isEqualTo("GET /a%20b/api/v1/authorize HTTP/1.1");
            while (!requireNonNull(reader.readLine()).isEmpty()) {
              // The rest of the head.
            }
            request.cancel(true);
            assertThat(reader.read()).as("the end of the connection").isEqualTo(-1);
          }
        }
      }
    }
  }
}
