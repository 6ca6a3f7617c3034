package dev.weir.client;

import static dev.weir.client.Loopback.problem;
import static dev.weir.client.Loopback.reply;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Errors of what is between client and server, which must not pass for those of the server. */
@Timeout(300)
final class ProxyAnswersTest {
  private static final String PAGE = "<html>no such page</html>";
  private static final String TYPED =
      "{\"type\":\"https://proxy.example.com/problems/no-backend\",\"title\":\"T\",\"outcome\":"
          + "\"done\"}";
  private static final List<String> BODIES = List.of(PAGE, TYPED, "{}");
  private static final UUID MESSAGE = UUID.fromString("0197f2c4-5d00-7000-8000-000000000000");

  /** Where a proxy has no server at the moment, events and leases exist as before. */
  @Test
  void missingServerIsNoMissingEvent() throws IOException {
    for (String body : BODIES) {
      requireMissingServer(body);
    }
  }

  private static void requireMissingServer(String body) throws IOException {
    try (Loopback server = new Loopback((request, number) -> reply(request, 404, body));
        WeirClient weir = server.client().build()) {
      for (ThrowingCallable call :
          List.<ThrowingCallable>of(
              () -> weir.slots().confirm("e"),
              () -> weir.slots().cancel("e"),
              () -> weir.messages().cancel(MESSAGE),
              () -> weir.messages().find(MESSAGE),
              () -> weir.payments().cancel("p"))) {
        int before = server.seen().size();
        ProblemException failed = catchThrowableOfType(ProblemException.class, call);
        assertThat(failed.problem().isWeirs()).isFalse();
        assertThat(failed.outcome()).isEqualTo(Outcome.NONE);
        assertThat(server.seen()).hasSize(before + Retries.DEFAULT.maxAttempts());
      }
    }
  }

  @Test
  void limitOfAProxyIsNoLimitOfTheServer() throws IOException {
    for (String body : BODIES) {
      requireUndecided(body);
    }
  }

  private static void requireUndecided(String body) throws IOException {
    try (Loopback server = new Loopback((request, number) -> reply(request, 429, body));
        WeirClient weir = server.client().build()) {
      assertThat(weir.limits().check("api", "k")).isInstanceOf(CheckResult.Undecided.class);
      assertThat(weir.limits().take("mail", 1)).isInstanceOf(TakeResult.Undecided.class);
      assertThat(weir.limits().lease("db")).isInstanceOf(LeaseResult.Undecided.class);
      assertThat(weir.limits().authorize(OriginalRequest.of("GET", "/a", "127.0.0.1")))
          .isInstanceOf(Authorization.Undecided.class);
      assertThat(weir.messages().send(OutgoingMessage.to(7, "Hello")))
          .isInstanceOf(SendResult.Undecided.class);
      assertThat(server.seen()).hasSize(5 * Retries.DEFAULT.maxAttempts());
    }
  }

  /** Such as that of a log-in. */
  @Test
  void pageInPlaceOfAnAnswerIsNoSuccess() throws IOException {
    try (Loopback server =
            new Loopback(
                (request, number) -> {
                  if (request.target().equals("/api/v1/check")) {
                    reply(
                        request,
                        200,
                        "{\"allowed\":true,\"rule\":\"api\",\"key\":\"k\",\"mode\":\"store\","
                            + "\"decidedAt\":\"2026-06-01T12:00:00Z\"}");
                  } else if (request.method().equals("POST")
                      && request.target().endsWith("leases")) {
                    reply(
                        request,
                        201,
                        "{\"leaseId\":\"l\",\"count\":1,\"expiresAt\":\"2026-06-01T12:00:00Z\"}");
                  } else {
                    reply(request, 200, PAGE);
                  }
                });
        WeirClient weir = server.client().build()) {
      CheckResult.Allowed allowed = (CheckResult.Allowed) weir.limits().check("api", "k");
      LeaseResult.Acquired acquired = (LeaseResult.Acquired) weir.limits().lease("db");
      for (ThrowingCallable call :
          List.<ThrowingCallable>of(
              () -> weir.slots().cancel("e"),
              () -> weir.messages().cancel(MESSAGE),
              () -> weir.payments().cancel("p"),
              () -> weir.limits().refund(allowed),
              () -> acquired.lease().release())) {
        UnansweredException failed = catchThrowableOfType(UnansweredException.class, call);
        assertThat(failed.reason()).isEqualTo(UnansweredException.Reason.NOT_WEIR);
        assertThat(failed.outcome()).isEqualTo(Outcome.UNKNOWN);
      }
    }
  }

  @Test
  void conflictOfAProxyDoesNotEndAnEvent() throws IOException {
    try (Loopback server = new Loopback((request, number) -> reply(request, 409, PAGE));
        WeirClient weir = server.client().build()) {
      assertThat(catchThrowableOfType(ProblemException.class, () -> weir.slots().confirm("e")))
          .isNotNull();
      assertThat(catchThrowableOfType(ProblemException.class, () -> weir.slots().cancel("e")))
          .isNotNull();
    }
  }

  /** A gateway of Weir in front of a server has no route, and knows nothing of the event. */
  @Test
  void missingRouteIsNoMissingEvent() throws IOException {
    try (Loopback server =
            new Loopback((request, number) -> problem(request, 404, "no-route", ""));
        WeirClient weir = server.client().build()) {
      ProblemException failed =
          catchThrowableOfType(ProblemException.class, () -> weir.slots().cancel("e"));
      assertThat(failed.problem().is("no-route")).isTrue();
    }
  }

  @Test
  void gatewayThatIsWeirLeavesTheOutcomeOpenAsAnyOtherDoes() throws IOException {
    for (String name : List.of("502 upstream-failed", "504 upstream-timeout")) {
      int status = Integer.parseInt(name.substring(0, 3));
      try (Loopback server =
              new Loopback((request, number) -> problem(request, status, name.substring(4), ""));
          WeirClient weir = server.client().build()) {
        ProblemException failed =
            catchThrowableOfType(ProblemException.class, () -> weir.slots().assign("e", "bank"));
        assertThat(failed.outcome()).isEqualTo(Outcome.UNKNOWN);
        assertThat(server.seen()).hasSize(Retries.DEFAULT.maxAttempts());
        assertThat(weir.limits().take("mail", 1))
            .isInstanceOfSatisfying(
                TakeResult.Undecided.class,
                undecided -> assertThat(undecided.outcome()).isEqualTo(Outcome.UNKNOWN));
        assertThat(server.seen()).hasSize(Retries.DEFAULT.maxAttempts() + 1);
      }
    }
  }

  @Test
  void errorOfAnEntryOfABatchLeavesItsOutcomeOpen() throws IOException {
    String failed =
        "[{\"eventId\":\"a\",\"type\":\"urn:weir:problem:unexpected\",\"title\":\"T\","
            + "\"status\":500,\"detail\":\"D\"}]";
    try (Loopback server = new Loopback((request, number) -> reply(request, 200, failed));
        WeirClient weir = server.client().build()) {
      assertThat(weir.slots().assignAll(List.of(SlotRequest.of("a"))))
          .singleElement()
          .isInstanceOfSatisfying(
              SlotReply.Failed.class,
              entry -> assertThat(entry.outcome()).isEqualTo(Outcome.UNKNOWN));
    }
  }
}
