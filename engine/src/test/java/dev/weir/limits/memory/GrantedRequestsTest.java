package dev.weir.limits.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Decision;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.limits.Refund;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class GrantedRequestsTest {
  private static final Policy POLICY = Policy.of("p", FixedWindow.of(10, Duration.ofHours(1)));
  private static final Duration TTL = Duration.ofMinutes(1);

  /** Two ids of one stripe, one of them long. */
  private static final String SHORT_ID = "a";

  private static final String LONG_ID = longIdOfTheStripeOf(SHORT_ID);

  private long nowMicros = 1_700_000_000_000_000L;

  private static String longIdOfTheStripeOf(String id) {
    for (int i = 0; ; i++) {
      String candidate = "b".repeat(150) + i;
      if (GrantedRequests.stripeIndex(candidate) == GrantedRequests.stripeIndex(id)) {
        return candidate;
      }
    }
  }

  private static AcquireRequest request(String id) {
    return new AcquireRequest(List.of(LimitRequest.of(POLICY, "k")), id, TTL);
  }

  /** Returns grants whose stripes have exactly the memory for one grant of this id. */
  private static GrantedRequests forOne(String id) {
    return new GrantedRequests(1_000, GrantedRequests.STRIPES * GrantedRequests.bytes(id, 1));
  }

  private AcquireResult grant(GrantedRequests requests, String id) {
    return requests.grantOnce(
        request(id),
        request ->
            new AcquireResult(
                List.of(new Decision.Allowed(9, 0)),
                Micros.instant(nowMicros),
                AcquireResult.Mode.STORE),
        () -> nowMicros);
  }

  private void assertFull(GrantedRequests requests, String id) {
    assertThatThrownBy(() -> grant(requests, id))
        .isInstanceOf(StoreException.class)
        .returns(true, failure -> ((StoreException) failure).isFull());
  }

  @Test
  void refusesNewIdsBeyondItsMemoryAndStillKnowsTheOthers() {
    GrantedRequests requests = forOne(LONG_ID);
    assertThat(grant(requests, LONG_ID).isReplayed()).isFalse();
    assertFull(requests, SHORT_ID);
    assertThat(grant(requests, LONG_ID).isReplayed()).isTrue();
  }

  @Test
  void longIdsTakeMoreMemory() {
    GrantedRequests requests = forOne(SHORT_ID);
    assertFull(requests, LONG_ID);
    assertThat(grant(requests, SHORT_ID).isAllowed()).isTrue();
  }

  @Test
  void refundAndExpiryFreeMemory() {
    GrantedRequests requests = forOne(LONG_ID);
    grant(requests, LONG_ID);
    assertThat(requests.refund(request(LONG_ID), nowMicros, (request, at) -> {}))
        .isEqualTo(Refund.GIVEN_BACK);
    grant(requests, SHORT_ID);
    assertFull(requests, LONG_ID);
    nowMicros += TTL.toSeconds() * Micros.PER_SECOND;
    assertThat(grant(requests, LONG_ID).isReplayed()).isFalse();
  }
}
