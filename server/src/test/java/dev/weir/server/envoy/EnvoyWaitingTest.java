package dev.weir.server.envoy;

import static dev.weir.server.envoy.ServedRules.descriptor;
import static dev.weir.server.envoy.ServedRules.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.LimitNames;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Queue;
import dev.weir.rules.matching.KeyPart;
import dev.weir.rules.spec.Quota;
import dev.weir.rules.spec.RuleSpec;
import dev.weir.server.faults.Waiting;
import io.envoyproxy.envoy.config.core.v3.HeaderValue;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls that wait in the queue of a rule, and calls in progress when the node shuts down. */
@Timeout(300)
final class EnvoyWaitingTest {
  private static final RateLimitDescriptor PATIENT = descriptor("rule", "patient");

  /** The longest that a rule may have. */
  private static final Duration LONGEST_WAIT =
      Duration.ofMillis(Quota.QueueSettings.MAX_DELAY_MILLIS);

  /** So many that the last of them waits for most of an hour. */
  private static final int MANY_PLACES = 100;

  /** No test waits until it is over. */
  private static final Duration LONG = Duration.ofMinutes(10);

  /** One may pass, one may wait. */
  private static RuleSpec patient(Duration delay) {
    return patient(1, delay);
  }

  private static RuleSpec patient(int places, Duration delay) {
    return RuleSpec.of(
        "patient",
        new Quota.Rate(
            new FixedWindow(1, 3_600_000_000L, FixedWindow.Start.FIRST_USE),
            new Quota.QueueSettings(true, places, delay.toMillis())));
  }

  /**
   * Serves the rule with all places taken but one: who gets that one waits longer than anything
   * takes, on however busy a machine. The clock stands, so no place becomes free by itself.
   */
  private static ServedRules behindOthers(ServedRules served) {
    String resource = LimitNames.resource("queue", "patient", KeyPart.ALL);
    Queue queue = Queue.of(MANY_PLACES, LONGEST_WAIT);
    for (int i = 1; i < MANY_PLACES; i++) {
      served.leases.join(resource, queue, "before-" + i);
    }
    return served.with(patient(MANY_PLACES, LONGEST_WAIT));
  }

  @Test
  void answersAfterTheWait() throws IOException {
    try (ServedRules served = ServedRules.start().with(patient(Duration.ofMillis(50)))) {
      served.ask(PATIENT);
      RateLimitResponse queued = served.ask(PATIENT);
      assertThat(queued.getOverallCode()).isEqualTo(Code.OK);
      assertThat(queued.getStatuses(0).getCode()).isEqualTo(Code.OK);
      assertThat(queued.getResponseHeadersToAddList())
          .contains(HeaderValue.newBuilder().setKey("X-RateLimit-Queued").setValue("true").build())
          .contains(HeaderValue.newBuilder().setKey("X-RateLimit-Delay-Ms").setValue("50").build());
      assertThat(served.waiting).hasValue(0);
    }
  }

  @Test
  void refusesImmediatelyIfTheDeadlineIsBeforeTheTurn() throws IOException {
    try (ServedRules served = behindOthers(ServedRules.start())) {
      served.ask(PATIENT);
      for (int i = 0; i < 2; i++) {
        RateLimitResponse refused =
            served
                .client()
                .withDeadlineAfter(4, TimeUnit.MINUTES)
                .shouldRateLimit(request(PATIENT));
        assertThat(refused.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
        assertThat(refused.getStatuses(0).getCode()).isEqualTo(Code.OVER_LIMIT);
        assertThat(refused.getResponseHeadersToAddList())
            .extracting(HeaderValue::getKey)
            .contains("Retry-After")
            .doesNotContain("X-RateLimit-Queued");
      }
      assertThat(served.waiting).as("the place was given back").hasValue(0);
    }
  }

  @Test
  void givesThePlaceOfAnotherToTheNextWhenACallIsCancelled() throws Exception {
    try (ServedRules served = behindOthers(ServedRules.start())) {
      served.ask(PATIENT);
      Future<RateLimitResponse> first = later(served);
      awaitWaiting(served, 1);
      assertThat(served.ask(PATIENT).getOverallCode()).as("it is full").isEqualTo(Code.OVER_LIMIT);
      first.cancel(true);
      awaitWaiting(served, 0);
      Future<RateLimitResponse> second = later(served);
      awaitWaiting(served, 1);
      assertThat(second.isDone()).isFalse();
    }
  }

  /** Cancelling it cancels the call. */
  private static Future<RateLimitResponse> later(ServedRules served) {
    FutureTask<RateLimitResponse> call = new FutureTask<>(() -> served.ask(PATIENT));
    Thread.startVirtualThread(call);
    return call;
  }

  @Test
  void finishesWhatWaitsBeforeItLeaves() throws Exception {
    try (ServedRules served = ServedRules.start().with(patient(Duration.ofMillis(300)))) {
      served.ask(PATIENT);
      Future<RateLimitResponse> waiting = later(served);
      Waiting.until("it to have begun to wait", () -> served.queued.get() == 1);
      served.server.drain(Duration.ZERO, LONG);
      assertThat(waiting.get().getOverallCode()).isEqualTo(Code.OK);
    }
  }

  @Test
  void cutsWhatWaitsTooLongAndGivesItsPlaceBack() throws Exception {
    ServedRules.Stores stores = ServedRules.Stores.inMemory();
    try (ServedRules served = behindOthers(ServedRules.sharing(stores))) {
      served.ask(PATIENT);
      var unused = later(served);
      awaitWaiting(served, 1);
      served.server.drain(Duration.ZERO, Duration.ofMillis(1));
      served.server.close();
      awaitWaiting(served, 0);
    }
    try (ServedRules next =
        ServedRules.sharing(stores).with(patient(MANY_PLACES, Duration.ofMillis(1)))) {
      assertThat(next.ask(PATIENT).getOverallCode()).as("the place is free").isEqualTo(Code.OK);
    }
  }

  @Test
  void saysThatItIsLeavingBeforeItDoes() throws Exception {
    try (ServedRules served = ServedRules.start().with(patient(Duration.ofMillis(1)))) {
      assertThat(served.health()).isEqualTo(ServingStatus.SERVING);
      Thread drain = Thread.ofVirtual().start(() -> served.server.drain(LONG, LONG));
      Waiting.until("its word", () -> served.health() == ServingStatus.NOT_SERVING);
      assertThat(served.ask(PATIENT).getOverallCode()).isEqualTo(Code.OK);
      drain.interrupt();
      drain.join();
    }
  }

  private static void awaitWaiting(ServedRules served, int count) {
    Waiting.until(count + " to wait", () -> served.waiting.get() == count);
  }
}
