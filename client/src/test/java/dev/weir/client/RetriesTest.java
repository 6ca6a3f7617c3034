package dev.weir.client;

import static dev.weir.client.Loopback.hangUp;
import static dev.weir.client.Loopback.problem;
import static dev.weir.client.Loopback.reply;
import static dev.weir.client.Loopback.unavailable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which calls are repeated, how often, and what is known after the last attempt. */
@Timeout(300)
final class RetriesTest {
  private static final String TAKEN =
      "{\"acquired\":1,\"remaining\":4,\"reset\":1,\"mode\":\"store\"}";

  private static final String ALLOWED =
      "{\"allowed\":true,\"rule\":\"api\",\"key\":\"k\",\"remaining\":1,\"reset\":60,"
          + "\"mode\":\"store\",\"replayed\":false,\"decidedAt\":\"2026-06-01T12:00:00Z\"}";

  @Test
  void callThatWasNotDoneIsRepeatedWithoutAnId() throws IOException {
    try (Loopback server =
            new Loopback(
                (request, number) -> {
                  if (number < 3) {
                    unavailable(request, "none");
                  } else {
                    reply(request, 200, TAKEN);
                  }
                });
        WeirClient weir = server.client().build()) {
      assertThat(weir.limits().take("mail", 1)).isInstanceOf(TakeResult.Taken.class);
      assertThat(server.seen()).hasSize(3);
    }
  }

  @Test
  void callThatMayHaveTakenSomethingIsNotRepeatedWithoutAnId() throws IOException {
    for (Loopback.Handler lost :
        new Loopback.Handler[] {
          (request, number) -> unavailable(request, "unknown"), (request, number) -> hangUp()
        }) {
      try (Loopback server = new Loopback(lost);
          WeirClient weir = server.client().build()) {
        assertThat(weir.limits().take("mail", 1))
            .isInstanceOfSatisfying(
                TakeResult.Undecided.class,
                undecided -> assertThat(undecided.outcome()).isEqualTo(Outcome.UNKNOWN));
        assertThat(weir.limits().check("api", "k"))
            .isInstanceOfSatisfying(
                CheckResult.Undecided.class,
                undecided -> assertThat(undecided.outcome()).isEqualTo(Outcome.UNKNOWN));
        assertThat(weir.limits().lease("db")).isInstanceOf(LeaseResult.Undecided.class);
        assertThat(weir.limits().authorize(OriginalRequest.of("GET", "/a", "127.0.0.1")))
            .isInstanceOf(Authorization.Undecided.class);
        // The JDK's client itself would repeat a GET whose connection broke before the answer.
        assertThat(server.seen()).hasSize(4);
        assertThat(server.pauses()).isEmpty();
      }
    }
  }

  @Test
  void callWithAnIdIsRepeatedWithTheSameId() throws IOException {
    try (Loopback server =
            new Loopback(
                (request, number) -> {
                  switch (number) {
                    case 1 -> hangUp();
                    case 2 -> unavailable(request, "unknown");
                    default -> reply(request, 200, ALLOWED);
                  }
                });
        WeirClient weir = server.client().build()) {
      assertThat(weir.limits().check(CheckRequest.of("api", "k").repeatable()))
          .isInstanceOf(CheckResult.Allowed.class);
      assertThat(server.seen())
          .hasSize(3)
          .extracting(Loopback.Seen::body)
          .allMatch(server.seen().getFirst().body()::equals);
      assertThat(server.seen().getFirst().body()).contains("\"requestId\":\"");
    }
  }

  @Test
  void messageIsRequestedAgainWithItsIdempotencyKey() throws IOException {
    try (Loopback server =
            new Loopback(
                (request, number) -> {
                  if (number == 1) {
                    hangUp();
                  }
                  reply(
                      request,
                      200,
                      "{\"result\":\"r\",\"messageId\":\"0197f2c4-5d00-7000-8000-000000000000\","
                          + "\"userId\":7,\"parts\":1}");
                });
        WeirClient weir = server.client().build()) {
      OutgoingMessage message = OutgoingMessage.to(7, "Hello");
      assertThat(weir.messages().send(message)).isInstanceOf(SendResult.Accepted.class);
      assertThat(server.seen())
          .hasSize(2)
          .allMatch(seen -> seen.header("Idempotency-Key").equals(message.idempotencyKey()));
    }
  }

  @Test
  void pausesDoubleUpToTheirMaxAndAttemptsEnd() throws IOException {
    Retries retries = new Retries(5, Duration.ofSeconds(1), Duration.ofSeconds(3));
    try (Loopback server = new Loopback((request, number) -> unavailable(request, "none"));
        WeirClient weir = server.client().retries(retries).build()) {
      ProblemException failed =
          catchThrowableOfType(ProblemException.class, () -> weir.slots().assign("e", "bank"));
      assertThat(failed.outcome()).isEqualTo(Outcome.NONE);
      assertThat(failed.problem().is("store-unavailable")).isTrue();
      assertThat(server.seen()).hasSize(5);
      assertThat(server.pauses()).hasSize(4);
      int[] seconds = {1, 2, 3, 3};
      for (int i = 0; i < seconds.length; i++) {
        assertThat(server.pauses().get(i))
            .isBetween(Duration.ofMillis(500L * seconds[i]), Duration.ofSeconds(seconds[i]));
      }
    }
  }

  @Test
  void waitsAsLongAsTheServerAsks() throws IOException {
    try (Loopback server =
            new Loopback(
                (request, number) -> {
                  if (number == 1) {
                    request.exchange().getResponseHeaders().set("Retry-After", "7");
                    unavailable(request, "none");
                  } else {
                    reply(request, 200, TAKEN);
                  }
                });
        WeirClient weir = server.client().build()) {
      assertThat(weir.limits().take("mail", 1)).isInstanceOf(TakeResult.Taken.class);
      assertThat(server.pauses()).containsExactly(Duration.ofSeconds(7));
    }
  }

  @Test
  void doesNotBeginAPauseThatItsTimeOutDoesNotLeave() throws IOException {
    try (Loopback server =
            new Loopback(
                (request, number) -> {
                  request.exchange().getResponseHeaders().set("Retry-After", "100");
                  unavailable(request, "none");
                });
        WeirClient weir = server.client().timeout(Duration.ofSeconds(150)).build()) {
      assertThat(weir.limits().take("mail", 1)).isInstanceOf(TakeResult.Undecided.class);
      assertThat(server.seen()).hasSize(2);
      assertThat(server.pauses()).containsExactly(Duration.ofSeconds(100));
    }
  }

  @Test
  void whatOneAttemptMayHaveDoneALaterRefusalDoesNotUndo() throws IOException {
    try (Loopback server =
            new Loopback(
                (request, number) -> {
                  if (number == 1) {
                    hangUp();
                  }
                  unavailable(request, "none");
                });
        WeirClient weir = server.client().build()) {
      ProblemException failed =
          catchThrowableOfType(ProblemException.class, () -> weir.slots().assign("e", "bank"));
      assertThat(failed.outcome()).isEqualTo(Outcome.UNKNOWN);
    }
  }

  @Test
  void lostAnswerToAReadHasDoneNothing() throws IOException {
    try (Loopback server = new Loopback((request, number) -> hangUp());
        WeirClient weir = server.client().build()) {
      UnansweredException failed =
          catchThrowableOfType(UnansweredException.class, () -> weir.slots().find("e"));
      assertThat(failed.outcome()).isEqualTo(Outcome.NONE);
      assertThat(failed.reason()).isEqualTo(UnansweredException.Reason.BROKEN);
      // The JDK's client itself may repeat a GET whose connection broke.
      assertThat(server.seen()).hasSizeGreaterThanOrEqualTo(4);
      assertThat(server.pauses()).hasSize(3);
    }
  }

  @Test
  void refusalsAreResultsAndAreNotRepeated() throws IOException {
    try (Loopback server =
            new Loopback(
                (request, number) -> {
                  switch (number) {
                    case 1 -> problem(request, 503, "no-capacity", "");
                    case 2 -> problem(request, 404, "unknown-config", "");
                    case 3 -> problem(request, 401, "token-invalid", "");
                    default -> problem(request, 500, "unexpected", "");
                  }
                });
        WeirClient weir = server.client().build()) {
      SlotRequest request = SlotRequest.of("e", "bank");
      assertThat(weir.slots().assign(request))
          .isInstanceOfSatisfying(
              Assignment.NoCapacity.class,
              none -> assertThat(none.retryAfter()).isEqualTo(Optional.empty()));
      assertThat(weir.slots().assign(request)).isInstanceOf(Assignment.UnknownConfig.class);
      assertThat(
              catchThrowableOfType(ProblemException.class, () -> weir.slots().assign(request))
                  .outcome())
          .isEqualTo(Outcome.NONE);
      // An error of the server says nothing about what was done before.
      assertThat(
              catchThrowableOfType(ProblemException.class, () -> weir.slots().assign(request))
                  .outcome())
          .isEqualTo(Outcome.UNKNOWN);
      assertThat(server.seen()).hasSize(4);
    }
  }

  @Test
  void onlyTheFailedEntriesOfABatchAreRequestedAgain() throws IOException {
    String failed =
        "{\"eventId\":\"b\",\"type\":\"urn:weir:problem:store-unavailable\",\"title\":\"T\","
            + "\"status\":503,\"detail\":\"D\",\"outcome\":\"%s\"}";
    String wrong =
        "{\"eventId\":\"c\",\"type\":\"urn:weir:problem:invalid-request\",\"title\":\"T\","
            + "\"status\":400,\"detail\":\"D\"}";
    try (Loopback server =
            new Loopback(
                (request, number) ->
                    reply(
                        request,
                        200,
                        number == 1
                            ? "[%s,%s,%s]"
                                .formatted(
                                    Loopback.SLOT.formatted("a"),
                                    failed.formatted("unknown"),
                                    wrong)
                            : "[%s]".formatted(failed.formatted("none"))));
        WeirClient weir =
            server
                .client()
                .retries(new Retries(3, Duration.ofSeconds(1), Duration.ofSeconds(1)))
                .build()) {
      var replies =
          weir.slots()
              .assignAll(List.of(SlotRequest.of("a"), SlotRequest.of("b"), SlotRequest.of("c")));
      assertThat(replies).hasSize(3).extracting(SlotReply::eventId).containsExactly("a", "b", "c");
      assertThat(replies.get(0)).isInstanceOf(Assignment.Assigned.class);
      assertThat(replies.get(1))
          .isInstanceOfSatisfying(
              SlotReply.Failed.class,
              entry -> assertThat(entry.outcome()).isEqualTo(Outcome.UNKNOWN));
      assertThat(replies.get(2))
          .isInstanceOfSatisfying(
              SlotReply.Failed.class, entry -> assertThat(entry.outcome()).isEqualTo(Outcome.NONE));
      assertThat(server.seen())
          .extracting(Loopback.Seen::body)
          .containsExactly(
              "[{\"eventId\":\"a\"},{\"eventId\":\"b\"},{\"eventId\":\"c\"}]",
              "[{\"eventId\":\"b\"}]",
              "[{\"eventId\":\"b\"}]");
    }
  }

  @Test
  void whatAPartOfABatchHasDoneAFailureOfTheRestDoesNotUndo() throws IOException {
    try (Loopback server =
            new Loopback(
                (request, number) -> {
                  if (number == 1) {
                    reply(
                        request,
                        200,
                        "[%s,{\"eventId\":\"b\",\"type\":\"urn:weir:problem:store-unavailable\","
                                .formatted(Loopback.SLOT.formatted("a"))
                            + "\"title\":\"T\",\"status\":503,\"outcome\":\"none\"}]");
                  } else {
                    unavailable(request, "none");
                  }
                });
        WeirClient weir = server.client().build()) {
      ProblemException failed =
          catchThrowableOfType(
              ProblemException.class,
              () -> weir.slots().assignAll(List.of(SlotRequest.of("a"), SlotRequest.of("b"))));
      assertThat(failed.outcome()).isEqualTo(Outcome.UNKNOWN);
    }
  }

  @Test
  void whatOneCallOfManyEventsHasDoneAFailureOfTheNextDoesNotUndo() throws IOException {
    List<SlotRequest> requests =
        IntStream.rangeClosed(0, 5_000).mapToObj(i -> SlotRequest.of("e" + i)).toList();
    try (Loopback server =
            new Loopback(
                (request, number) -> {
                  if (number == 1) {
                    reply(
                        request,
                        200,
                        requests.stream()
                            .limit(5_000)
                            .map(each -> Loopback.SLOT.formatted(each.eventId()))
                            .collect(Collectors.joining(",", "[", "]")));
                  } else {
                    unavailable(request, "none");
                  }
                });
        WeirClient weir = server.client().build()) {
      ProblemException failed =
          catchThrowableOfType(ProblemException.class, () -> weir.slots().assignAll(requests));
      assertThat(failed.outcome()).isEqualTo(Outcome.UNKNOWN);
    }
  }
}
