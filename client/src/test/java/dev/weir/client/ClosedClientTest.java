package dev.weir.client;

import static dev.weir.client.Loopback.reply;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls of a client that is closed, or is closed while they wait. */
@Timeout(300)
final class ClosedClientTest {
  @Test
  void callsOfAClosedClientFailAtOnceAndSaySo() throws IOException {
    try (Loopback server =
        new Loopback((request, number) -> reply(request, 200, Loopback.SLOT.formatted("e")))) {
      WeirClient weir = server.client().build();
      weir.close();
      for (ThrowingCallable call :
          List.<ThrowingCallable>of(
              () -> weir.slots().assign("e", "bank"),
              () -> weir.slots().assignAll(List.of(SlotRequest.of("e"))),
              () -> weir.send(Call.get("/health/ready")))) {
        UnansweredException failed = catchThrowableOfType(UnansweredException.class, call);
        assertThat(failed.reason()).isEqualTo(UnansweredException.Reason.CLOSED);
        assertThat(failed.outcome()).isEqualTo(Outcome.NONE);
      }
      assertThat(server.seen()).isEmpty();
      assertThat(server.pauses()).isEmpty();
    }
  }

  @Test
  void callsInProgressFailAndSayThatTheyMayBeDone() throws Exception {
    for (boolean isBatch : List.of(false, true)) {
      CountDownLatch isAsked = new CountDownLatch(1);
      CompletableFuture<UnansweredException> failure = new CompletableFuture<>();
      try (Loopback server =
          new Loopback(
              (request, number) -> {
                isAsked.countDown();
                new CountDownLatch(1).await();
              })) {
        WeirClient weir = server.client().build();
        Thread.ofVirtual()
            .start(
                () ->
                    failure.complete(
                        catchThrowableOfType(
                            UnansweredException.class,
                            () -> {
                              if (isBatch) {
                                weir.slots().assignAll(List.of(SlotRequest.of("e")));
                              } else {
                                weir.slots().assign("e", "bank");
                              }
                            })));
        isAsked.await();
        weir.close();
        assertThat(failure.get().reason()).isEqualTo(UnansweredException.Reason.CLOSED);
        assertThat(failure.get().outcome()).isEqualTo(Outcome.UNKNOWN);
        assertThat(server.seen()).hasSize(1);
        assertThat(server.pauses()).isEmpty();
      }
    }
  }
}
