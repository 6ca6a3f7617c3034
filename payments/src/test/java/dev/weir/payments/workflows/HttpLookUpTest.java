package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.payments.Payment;
import dev.weir.payments.workflows.Downstream.LookUp;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Look-ups whose connections end, or that get no answer in time. */
final class HttpLookUpTest {
  private static final String NOT_FOUND = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
  private static final Payment PAYMENT =
      new Payment("p", BigDecimal.TEN, "EUR", "from", "to", Optional.empty(), "", "bank");

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private ServerSocket server;

  @BeforeEach
  void listen() throws IOException {
    server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
  }

  @AfterEach
  void close() throws IOException {
    server.close();
    threads.shutdownNow();
  }

  private HttpDownstream downstream(Duration timeout) {
    return new HttpDownstream(
        new HttpDownstream.Settings(
            URI.create("http://127.0.0.1:" + server.getLocalPort()),
            timeout,
            "",
            StatusMeanings.DEFAULT,
            AnswerFields.DEFAULT,
            "/payments/{key}"),
        InstantSource.system());
  }

  /** Reads a request to its end. Returns false if the connection ends before one. */
  private boolean read(BufferedReader reader) throws IOException {
    String first = reader.readLine();
    if (first == null) {
      return false;
    }
    while (!reader.readLine().isEmpty()) {
      // A header field.
    }
    requests.add(first);
    return true;
  }

  private static BufferedReader reader(Socket socket) throws IOException {
    return new BufferedReader(
        new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
  }

  /** Answers one request of each connection, and closes it at the next one. */
  private void answerOnce() {
    threads.submit(
        () -> {
          while (true) {
            try (Socket socket = server.accept()) {
              BufferedReader reader = reader(socket);
              if (read(reader)) {
                socket.getOutputStream().write(NOT_FOUND.getBytes(StandardCharsets.US_ASCII));
                read(reader);
              }
            }
          }
        });
  }

  /** Each would count under the ceiling of the payment API, but only one has a place. */
  @Test
  void lookUpWhoseConnectionEndsIsSentOnce() {
    answerOnce();
    try (HttpDownstream downstream = downstream(Duration.ofMinutes(2))) {
      assertThat(downstream.lookUp(PAYMENT)).isEqualTo(new LookUp.NotKnown());
      assertThat(downstream.lookUp(PAYMENT))
          .isInstanceOfSatisfying(
              LookUp.Unclear.class,
              unclear -> assertThat(unclear.mayArriveLater()).as(unclear.reason()).isTrue());
      assertThat(requests).hasSize(2);
      assertThat(downstream.lookUp(PAYMENT)).isEqualTo(new LookUp.NotKnown());
      assertThat(requests).hasSize(3).containsOnly("GET /payments/p HTTP/1.1");
    }
  }

  @Test
  void connectionOfALookUpWithoutAnAnswerStaysOpen() throws Exception {
    CompletableFuture<Boolean> mayAnswer = new CompletableFuture<>();
    Future<Boolean> isOpen =
        threads.submit(
            () -> {
              try (Socket socket = server.accept()) {
                BufferedReader reader = reader(socket);
                boolean isRead = read(reader);
                mayAnswer.join();
                socket.getOutputStream().write(NOT_FOUND.getBytes(StandardCharsets.US_ASCII));
                return isRead;
              }
            });
    try (HttpDownstream downstream = downstream(Duration.ofMillis(100))) {
      LookUp found = downstream.lookUp(PAYMENT);
      assertThat(found).isInstanceOf(LookUp.Unanswered.class);
      CompletableFuture<Boolean> end = ((LookUp.Unanswered) found).end();
      assertThat(end).isNotDone();
      mayAnswer.complete(true);
      assertThat(end.join()).as("the payment API has answered after all").isTrue();
    }
    assertThat(isOpen.get()).isTrue();
  }

  @Test
  void lookUpThatReachesNobodyDoesNotArriveLater() throws IOException {
    try (HttpDownstream downstream = downstream(Duration.ofMinutes(2))) {
      server.close();
      assertThat(downstream.lookUp(PAYMENT))
          .isInstanceOfSatisfying(
              LookUp.Unclear.class, unclear -> assertThat(unclear.mayArriveLater()).isFalse());
    }
  }
}
