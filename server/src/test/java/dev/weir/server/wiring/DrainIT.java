package dev.weir.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.Http;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node that is told to stop answers what it was asked, and one in little memory all of it. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class DrainIT {
  private static final int CLIENTS = 8;

  /** Longer than a client pauses between the head and the body, even on a busy machine. */
  private static final String PATIENT = "PT5M";

  private static final String STREAM =
      """
      POST /api/v1/slots/batch HTTP/1.1\r
      Host: localhost\r
      Content-Type: application/x-ndjson\r
      Transfer-Encoding: chunked\r
      \r
      """;

  @Test
  void cutsNoRequestAndNoStream() throws Exception {
    try (ChildNode node =
            ChildNode.start(
                Map.of(
                    "WEIR_LOG_FORMAT", "json",
                    "WEIR_LOG_LEVEL", "debug",
                    "WEIR_DRAIN", "PT5M",
                    "WEIR_HTTP_HEAD_TIMEOUT", PATIENT,
                    // Longer than a client pauses between two requests, even on a busy machine.
                    "WEIR_DRAIN_IDLE", "PT1M"));
        Socket stream = new Socket(node.address().getHost(), node.address().getPort())) {
      stream.setSoTimeout(240_000);
      OutputStream out = stream.getOutputStream();
      BufferedReader in =
          new BufferedReader(
              new InputStreamReader(stream.getInputStream(), StandardCharsets.UTF_8));
      write(out, STREAM);
      line(out, "before");
      awaitLine(in, "\"eventId\":\"before\"");
      Queue<String> cut = new ConcurrentLinkedQueue<>();
      CountDownLatch busy = new CountDownLatch(CLIENTS * 10);
      List<Thread> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        int client = i;
        clients.add(Thread.ofVirtual().start(() -> askUntilRefused(node, client, busy, cut)));
      }
      busy.await();
      node.terminate();
      for (Thread client : clients) {
        client.join();
      }
      assertThat(cut).isEmpty();
      // The socket is closed to newcomers, yet who was being served still is.
      line(out, "after");
      awaitLine(in, "\"eventId\":\"after\"");
      write(out, "0\r\n\r\n");
      awaitLine(in, "0");
      // Otherwise the node waits for another request on it.
      stream.shutdownOutput();
      assertThat(node.await()).isEqualTo(143);
      assertThat(node.output())
          .anyMatch(
              line ->
                  line.startsWith("{")
                      && line.contains("\"level\":\"DEBUG\"")
                      && line.contains("\"message\":\"Slot assigned\"")
                      && line.contains("\"eventId\":\"after\""))
          .anyMatch(line -> line.contains("Weir has stopped"))
          .noneMatch(line -> line.contains("\"level\":\"ERROR\""));
    }
  }

  private static void askUntilRefused(
      ChildNode node, int client, CountDownLatch busy, Queue<String> cut) {
    Http http = new Http(node.address());
    for (int i = 0; ; i++) {
      try {
        Http.Answer answer =
            http.post("/api/v1/slots", "{\"eventId\":\"c%d-%d\"}".formatted(client, i));
        if (answer.status() != 200) {
          cut.add(answer.text());
        }
        busy.countDown();
      } catch (UncheckedIOException e) {
        if (!(e.getCause() instanceof ConnectException)) {
          cut.add(e.getCause().toString());
        }
        return;
      }
    }
  }

  @Test
  void streamsInLittleMemoryAndLogsInOneLineEach() throws Exception {
    int lines = 10_000;
    try (ChildNode node =
            ChildNode.start(
                Map.of("WEIR_LOG_LEVEL", "info", "WEIR_HTTP_HEAD_TIMEOUT", PATIENT), "-Xmx48m");
        Socket stream = new Socket(node.address().getHost(), node.address().getPort())) {
      Thread sender =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      OutputStream out = stream.getOutputStream();
                      write(out, STREAM);
                      // The same event over and over takes no memory by itself.
                      String chunk =
                          "{\"eventId\":\"same\"%s}\n".formatted(" ".repeat(5_980)).repeat(100);
                      for (int i = 0; i < lines; i += 100) {
                        write(out, Integer.toHexString(chunk.length()) + "\r\n" + chunk + "\r\n");
                      }
                      write(out, "0\r\n\r\n");
                    } catch (IOException e) {
                      throw new UncheckedIOException(e);
                    }
                  });
      BufferedReader in =
          new BufferedReader(
              new InputStreamReader(stream.getInputStream(), StandardCharsets.UTF_8));
      int answers = 0;
      for (String line = in.readLine(); !line.equals("0"); line = in.readLine()) {
        if (line.startsWith("{\"eventId\":\"same\"")) {
          answers++;
        }
      }
      assertThat(answers).isEqualTo(lines);
      sender.join();
      Http http = new Http(node.address());
      http.post(
          "/admin/rate-limit/config",
          "{\"configName\":\"none\",\"maxPerWindow\":1,\"windowSize\":\"PT1S\",\"maxDelay\":\"PT0S\"}");
      for (int i = 0; i < 2; i++) {
        http.post(
            "/api/v1/slots",
            """
            {"eventId":"forged%d\\n00:00:00.000 ERROR All is lost","configName":"none",
             "requestedTime":"2030-01-01T00:00:00Z"}
            """
                .formatted(i));
      }
      node.terminate();
      assertThat(node.await()).isEqualTo(143);
      assertThat(node.output())
          .anyMatch(line -> line.matches("[0-9:.]{12} INFO  Configuration changed: none → .*"))
          .anyMatch(
              line ->
                  line.matches(
                      "[0-9:.]{12} ERROR No free place .* eventId=\"forged1\\?00:00:00.000"
                          + " ERROR.*"))
          .noneMatch(line -> line.startsWith("00:00:00.000"));
    }
  }

  private static void line(OutputStream out, String eventId) throws IOException {
    String line = "{\"eventId\":\"" + eventId + "\"}\n";
    write(out, Integer.toHexString(line.length()) + "\r\n" + line + "\r\n");
  }

  private static void write(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  private static void awaitLine(BufferedReader in, String part) throws IOException {
    for (String line = in.readLine(); ; line = in.readLine()) {
      assertThat(line).as("before the end of the stream").isNotNull();
      if (line.contains(part)) {
        return;
      }
    }
  }
}
