package dev.weir.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Setting;
import dev.weir.server.http.RawHttp;
import java.io.IOException;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whoever is connected to a node that was told to stop gets an answer, whenever it asks. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class LastRequestsIT {
  private static final String READY = "GET /health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n";
  private static final String LIVE = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";
  private static final int CLIENTS = 6;

  @Test
  void isNotReadyAndServesAllTheSameDuringTheNotice() throws Exception {
    try (StoppingNode node = StoppingNode.start(maxWait("PT10M", "PT0S"));
        RawHttp early = new RawHttp(node.address())) {
      assertThat(ask(early, READY)).startsWith("HTTP/1.1 200").doesNotContain("close");
      node.terminate();
      String answer;
      do {
        try (RawHttp newcomer = new RawHttp(node.address())) {
          answer = ask(newcomer, READY);
        }
      } while (answer.startsWith("HTTP/1.1 200"));
      assertThat(answer)
          .startsWith("HTTP/1.1 503")
          .containsIgnoringCase("connection: close")
          .contains("\"reason\":\"draining\"");
      try (RawHttp newcomer = new RawHttp(node.address())) {
        assertIsLastAnswer(newcomer, slot("newcomer"));
      }
      assertIsLastAnswer(early, slot("early"));
      node.hurry();
    }
  }

  @Test
  void answersOnOpenConnectionsAfterThePortIsClosed() throws Exception {
    try (StoppingNode node = StoppingNode.start(maxWait("PT0S", "PT10M"));
        RawHttp silent = new RawHttp(node.address());
        RawHttp kept = new RawHttp(node.address());
        RawHttp half = new RawHttp(node.address())) {
      assertThat(ask(kept, LIVE)).startsWith("HTTP/1.1 200");
      String request = slot("half");
      half.send(request.substring(0, 20));
      node.terminate();
      awaitRefusal(node);
      assertIsLastAnswer(silent, slot("silent"));
      assertIsLastAnswer(kept, slot("kept"));
      assertIsLastAnswer(half, request.substring(20));
      node.await();
    }
  }

  @Test
  void letsARequestEndThatHasBegunAndCutsNoneOfItsKindForBeingSlow() throws Exception {
    try (StoppingNode node = StoppingNode.start(maxWait("PT0S", "PT0S"));
        RawHttp half = new RawHttp(node.address());
        RawHttp idle = new RawHttp(node.address())) {
      String request = slot("slow");
      half.send(request.substring(0, 20));
      assertThat(ask(idle, LIVE)).startsWith("HTTP/1.1 200");
      node.terminate();
      assertThat(idle.readAll()).isEmpty();
      assertIsLastAnswer(half, request.substring(20));
      node.await();
    }
  }

  @Test
  void servesEverybodyWhoGotConnected() throws Exception {
    // A client may pause between its connection and its request.
    try (StoppingNode node = StoppingNode.start(maxWait("PT0.5S", "PT1M"))) {
      Queue<String> unanswered = new ConcurrentLinkedQueue<>();
      CountDownLatch busy = new CountDownLatch(CLIENTS * 20);
      List<Thread> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(Thread.ofVirtual().start(() -> knockUntilRefused(node, busy, unanswered)));
      }
      busy.await();
      node.terminate();
      for (Thread client : clients) {
        client.join();
      }
      assertThat(unanswered).isEmpty();
      node.await();
    }
  }

  @Test
  void doesNotWaitForIdleOrStuckClientsForEver() throws Exception {
    try (StoppingNode node =
            StoppingNode.start(
                Map.of(
                    ServerSetting.DRAIN, "PT2S",
                    ServerSetting.DRAIN_NOTICE, "PT0S",
                    ServerSetting.DRAIN_IDLE, "PT0.1S"));
        RawHttp idle = new RawHttp(node.address());
        RawHttp stuck = new RawHttp(node.address())) {
      assertThat(ask(idle, LIVE)).startsWith("HTTP/1.1 200");
      stuck.send("POST /api/v1/slots HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{");
      node.terminate();
      assertThat(idle.readAll()).isEmpty();
      node.await();
      assertThat(node.log())
          .anyMatch(line -> line.matches(".* [12] connections still in use after PT2S are cut"));
    }
  }

  /** Longer than any request of this test takes, even on a busy machine. */
  private static Map<Setting, String> maxWait(String notice, String idle) {
    return Map.of(
        ServerSetting.HTTP_HEAD_TIMEOUT,
        "PT10M",
        ServerSetting.DRAIN,
        "PT10M",
        ServerSetting.DRAIN_NOTICE,
        notice,
        ServerSetting.DRAIN_IDLE,
        idle);
  }

  private static void knockUntilRefused(
      StoppingNode node, CountDownLatch busy, Queue<String> unanswered) {
    while (true) {
      try (RawHttp newcomer = new RawHttp(node.address())) {
        String answer = ask(newcomer, LIVE);
        if (!answer.startsWith("HTTP/1.1 200")) {
          unanswered.add(answer);
        }
        busy.countDown();
      } catch (ConnectException e) {
        return;
      } catch (IOException e) {
        unanswered.add(e.toString());
        return;
      }
    }
  }

  private static void awaitRefusal(StoppingNode node) throws IOException {
    while (true) {
      try (RawHttp newcomer = new RawHttp(node.address())) {
        ask(newcomer, LIVE);
      } catch (ConnectException e) {
        return;
      }
    }
  }

  private static String slot(String eventId) {
    String body = "{\"eventId\":\"" + eventId + "\"}";
    return "POST /api/v1/slots HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Content-Length: "
        + body.length()
        + "\r\n\r\n"
        + body;
  }

  /** Sends a request and reads its whole answer, which is a JSON object without others in it. */
  private static String ask(RawHttp connection, String request) throws IOException {
    connection.send(request);
    return connection.readTo("}");
  }

  private static void assertIsLastAnswer(RawHttp connection, String request) throws IOException {
    connection.send(request);
    assertThat(connection.readAll())
        .startsWith("HTTP/1.1 200")
        .containsIgnoringCase("connection: close")
        .contains("\"scheduledTime\"");
  }
}
