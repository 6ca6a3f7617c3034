package dev.weir.client;

import static dev.weir.client.Loopback.LONG;
import static dev.weir.client.Loopback.reply;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Answers that do not come, come in part, or are those of something else. */
@Timeout(300)
final class LostAnswersTest {
  private static UnansweredException failure(Loopback.Handler handler, Duration timeout)
      throws IOException {
    try (Loopback server = new Loopback(handler);
        WeirClient weir = server.client().retries(Retries.NONE).attemptTimeout(timeout).build()) {
      return catchThrowableOfType(
          UnansweredException.class, () -> weir.slots().assign("e", "bank"));
    }
  }

  @Test
  void nobodyListens() throws IOException {
    // Bound, so that no other process gets the port, but not listening.
    try (Socket bound = new Socket()) {
      bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      String url = "http://127.0.0.1:" + bound.getLocalPort();
      try (WeirClient weir = Loopback.patient(url).retries(Retries.NONE).build()) {
        UnansweredException failed =
            catchThrowableOfType(UnansweredException.class, () -> weir.slots().assign("e", "bank"));
        assertThat(failed).hasMessage("cannot reach " + url + ": connection refused");
        assertThat(failed.reason()).isEqualTo(UnansweredException.Reason.UNREACHABLE);
        assertThat(failed.outcome()).isEqualTo(Outcome.NONE);
      }
    }
  }

  @Test
  void answerThatDoesNotComeIsGivenUpInTime() throws IOException {
    CountDownLatch end = new CountDownLatch(1);
    try {
      UnansweredException failed =
          failure((request, number) -> end.await(), Duration.ofMillis(300));
      assertThat(failed.reason()).isEqualTo(UnansweredException.Reason.TIMED_OUT);
      assertThat(failed.outcome()).isEqualTo(Outcome.UNKNOWN);
    } finally {
      end.countDown();
    }
  }

  @Test
  void bodyThatDoesNotEndIsGivenUpInTimeAndItsConnectionClosed()
      throws IOException, InterruptedException {
    CountDownLatch isClosed = new CountDownLatch(1);
    CountDownLatch isAsked = new CountDownLatch(1);
    try (Loopback server =
            new Loopback(
                (request, number) -> {
                  isAsked.countDown();
                  request.exchange().sendResponseHeaders(200, 0);
                  try (OutputStream body = request.exchange().getResponseBody()) {
                    while (isClosed.getCount() > 0) {
                      body.write(' ');
                      body.flush();
                      Thread.sleep(5);
                    }
                  } catch (IOException gone) {
                    isClosed.countDown();
                  }
                });
        WeirClient weir =
            server.client().retries(Retries.NONE).attemptTimeout(Duration.ofSeconds(1)).build()) {
      // On a busy machine, a call may be given up before it has been sent.
      while (isAsked.getCount() > 0) {
        UnansweredException failed =
            catchThrowableOfType(UnansweredException.class, () -> weir.slots().assign("e", "bank"));
        assertThat(failed.reason()).isEqualTo(UnansweredException.Reason.TIMED_OUT);
      }
      assertThat(isClosed.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void answerThatIsCutOffIsNoAnswer() throws IOException {
    UnansweredException failed =
        failure(
            (request, number) -> {
              request.exchange().sendResponseHeaders(200, 1_000);
              request
                  .exchange()
                  .getResponseBody()
                  .write("{\"eventId\"".getBytes(StandardCharsets.UTF_8));
            },
            LONG);
    assertThat(failed.reason()).isEqualTo(UnansweredException.Reason.BROKEN);
    assertThat(failed.outcome()).isEqualTo(Outcome.UNKNOWN);
  }

  @Test
  void pageOfSomethingElseIsNoAnswer() throws IOException {
    UnansweredException failed = failure((request, number) -> reply(request, 200, "<html>"), LONG);
    assertThat(failed.reason()).isEqualTo(UnansweredException.Reason.NOT_WEIR);
    assertThat(failed).hasMessageContaining("does not answer like a Weir server");
  }

  @Test
  void answerThatIsTooLongIsNotRead() throws IOException {
    try (Loopback server =
            new Loopback(
                (request, number) -> {
                  request.exchange().sendResponseHeaders(200, 0);
                  byte[] some = new byte[64 * 1024];
                  while (true) {
                    request.exchange().getResponseBody().write(some);
                  }
                });
        WeirClient weir = server.client().retries(Retries.NONE).maxAnswerBytes(1_000_000).build()) {
      UnansweredException failed =
          catchThrowableOfType(UnansweredException.class, () -> weir.slots().find("e"));
      assertThat(failed).hasMessageContaining("it is longer than 1000000 bytes");
    }
  }

  @Test
  void interruptedCallerIsInterruptedStillAndItsExchangeEnds() throws Exception {
    CountDownLatch isAsked = new CountDownLatch(1);
    CompletableFuture<UnansweredException> failure = new CompletableFuture<>();
    CompletableFuture<Boolean> isInterrupted = new CompletableFuture<>();
    try (Loopback server =
            new Loopback(
                (request, number) -> {
                  isAsked.countDown();
                  new CountDownLatch(1).await();
                });
        WeirClient weir = server.client().build()) {
      Thread caller =
          Thread.ofVirtual()
              .start(
                  () -> {
                    failure.complete(
                        catchThrowableOfType(
                            UnansweredException.class, () -> weir.slots().assign("e", "bank")));
                    isInterrupted.complete(Thread.currentThread().isInterrupted());
                  });
      isAsked.await();
      caller.interrupt();
      assertThat(failure.get().reason()).isEqualTo(UnansweredException.Reason.INTERRUPTED);
      assertThat(failure.get().outcome()).isEqualTo(Outcome.UNKNOWN);
      assertThat(isInterrupted.get()).isTrue();
      assertThat(server.seen()).hasSize(1);
    }
  }

  @Test
  void pageOfAProxyInBetweenLeavesTheOutcomeOpen() throws IOException {
    try (Loopback server = new Loopback((request, number) -> reply(request, 502, "<html>"));
        WeirClient weir = server.client().build()) {
      ProblemException failed =
          catchThrowableOfType(ProblemException.class, () -> weir.slots().assign("e", "bank"));
      assertThat(failed).hasMessage("the server answered HTTP 502");
      assertThat(failed.outcome()).isEqualTo(Outcome.UNKNOWN);
      assertThat(server.seen()).hasSize(Retries.DEFAULT.maxAttempts());
    }
  }
}
