package dev.weir.server.gateway;

import dev.weir.rules.spec.Quota;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.RawHttp;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** New clients do not wait until those before them leave the gateway time to accept them. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class AcceptingIT {
  private static final int LOOPS = Runtime.getRuntime().availableProcessors();

  @Test
  void acceptsConnectionsWhileEveryEventLoopIsBusy() throws Exception {
    CountDownLatch isOver = new CountDownLatch(1);
    List<RawHttp> clients = new ArrayList<>();
    try (TestUpstream upstream = TestUpstream.friendly();
        TestGateway gateway = new TestGateway(upstream.address())) {
      gateway.limit("/**", 1_000, new Quota.QueueSettings(false, 1, 1));
      gateway.stopDeciding(isOver);
      try {
        for (int i = 0; i < LOOPS; i++) {
          RawHttp busy = new RawHttp(gateway.address());
          clients.add(busy);
          busy.send("GET / HTTP/1.1\r\nHost: shop\r\n\r\n");
        }
        Waiting.until("all loops to be busy", () -> gateway.stoppedThreads() == LOOPS);
        for (int i = 0; i < 100; i++) {
          clients.add(new RawHttp(gateway.address()));
        }
        Waiting.until("all to be accepted", () -> gateway.gateway().count() == clients.size());
      } finally {
        isOver.countDown();
        for (RawHttp client : clients) {
          client.close();
        }
      }
    }
  }
}
