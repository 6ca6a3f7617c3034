package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.spring.autoconfigure.Service;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
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
          try (Exchange exchange = Exchange.accept(weir)) {
            assertThat(exchange.head().getFirst())
                .isEqualTo("POST /a%20b/api/v1/authorize HTTP/1.1");
            request.cancel(true);
            assertThat(exchange.reader().read()).as("the end of the connection").isEqualTo(-1);
          }
        }
      }
    }
  }

  /**
   * A request, and the connection on which it came.
   *
   * @param head the lines of its head
   */
  private record Exchange(Socket socket, BufferedReader reader, List<String> head)
      implements AutoCloseable {
    /** Passes over connections that the client of a cancelled exchange had opened in vain. */
    static Exchange accept(ServerSocket weir) throws IOException {
      while (true) {
        Socket socket = weir.accept();
        socket.setSoTimeout(TIMEOUT_MILLIS);
        BufferedReader reader =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        List<String> head = new ArrayList<>();
        String line = reader.readLine();
        while (line != null && !line.isEmpty()) {
          head.add(line);
          line = reader.readLine();
        }
        if (!head.isEmpty()) {
          return new Exchange(socket, reader, head);
        }
        socket.close();
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
