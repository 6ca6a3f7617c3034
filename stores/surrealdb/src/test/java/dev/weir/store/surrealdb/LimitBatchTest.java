package dev.weir.store.surrealdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.core.internal.Micros;
import dev.weir.core.limits.TokenBucket;
import dev.weir.engine.StoreException;
import dev.weir.engine.limits.AcquireRequest;
import dev.weir.engine.limits.LimitRequest;
import dev.weir.engine.limits.Policy;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Equal requests share a step, and each caller gets the result of its own. */
final class LimitBatchTest {
  private static final Policy FIVE = Policy.of("five", TokenBucket.of(5, Duration.ofDays(5)));

  private static LimitStep request(String key, long cost) {
    return new LimitStep.Decide(AcquireRequest.of(new LimitRequest(FIVE, key, cost)));
  }

  private static final List<LimitStep> REQUESTS =
      List.of(request("a", 2), request("b", 1), request("a", 2), request("a", 1), request("a", 2));

  private static Value reply(long grantedToA) {
    List<Object> unused = List.of(List.of(Micros.EARLIEST, 0L, 0L));
    List<Object> used = List.of(List.of(0L, 4 * 86_400_000_000L, 86_400_000_000L));
    return new Value(
        Map.of(
            "now",
            0L,
            "done",
            List.of(
                Map.of("granted", grantedToA, "usages", unused),
                Map.of("granted", 1L, "usages", unused),
                Map.of("granted", 1L, "usages", used))));
  }

  @Test
  void equalRequestsAreOneStep() {
    assertThat(new LimitBatch(REQUESTS).steps())
        .extracting(step -> ((LimitStep.Decide) step).times())
        .containsExactly(3, 1, 1);
  }

  @Test
  void requestsWithAnIdAreStepsOfTheirOwn() {
    AcquireRequest request = AcquireRequest.of(LimitRequest.of(FIVE, "a"));
    LimitStep repeatable = new LimitStep.Decide(request.withRequestId("r"));
    LimitStep refund = new LimitStep.GiveBack(request, 5);
    assertThat(new LimitBatch(List.of(repeatable, repeatable, refund, refund)).steps())
        .containsExactly(repeatable, repeatable, refund, refund);
  }

  @Test
  void firstCallersGetWhatIsLeft() {
    List<LimitCall.Done> results = new LimitBatch(REQUESTS).results(reply(2));
    assertThat(results)
        .extracting(done -> ((LimitCall.Decided) done).result().isAllowed())
        .containsExactly(true, true, true, true, false);
    assertThat(results)
        .extracting(done -> ((LimitCall.Decided) done).result().decision().remaining())
        .containsExactly(3L, 4L, 1L, 0L, 1L);
  }

  @Test
  void decisionsThatDifferFromCoreAreNoticed() {
    LimitBatch batch = new LimitBatch(REQUESTS);
    assertThatThrownBy(() -> batch.results(reply(3)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("decides otherwise");
  }

  /** The reply about a bucket that owed tokens a day before. */
  private static Value plain(long debtBefore, long debtAfter) {
    long day = 86_400_000_000L;
    List<Long> before = List.of(-day, debtBefore * day, day);
    return new Value(
        Map.of("now", 0L, "done", List.of(Map.of("before", before, "debt", debtAfter * day))));
  }

  @Test
  void plainStepIsComparedWithTheDebtThatItLeft() {
    LimitBatch batch = new LimitBatch(List.of(request("a", 2), request("a", 2)));
    // One of three owed tokens has been paid back.
    assertThat(batch.results(plain(3, 4)))
        .extracting(done -> ((LimitCall.Decided) done).result().isAllowed())
        .containsExactly(true, false);
    assertThat(batch.results(plain(5, 5)))
        .extracting(done -> ((LimitCall.Decided) done).result().isAllowed())
        .containsExactly(false, false);
    assertThatThrownBy(() -> batch.results(plain(3, 6)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("decides otherwise");
  }

  @Test
  void callersLearnThatTheirPlainStepIsUnusual() {
    LimitBatch batch = new LimitBatch(List.of(request("a", 2), request("a", 2)));
    Value reply = new Value(Map.of("now", 0L, "done", Collections.singletonList(null)));
    assertThat(batch.results(reply))
        .containsExactly(new LimitCall.Unusual(), new LimitCall.Unusual());
  }
}
