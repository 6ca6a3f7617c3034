package dev.weir.store.surrealdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Equal requests share a step, and each caller gets the result of its own. */
final class LimitBatchTest {
  private static final Policy FIVE = Policy.of("five", TokenBucket.of(5, Duration.ofDays(5)));

  private static final long DAY = 86_400_000_000L;

  private static LimitStep request(String key, long cost) {
    return new LimitStep.Decide(AcquireRequest.of(new LimitRequest(FIVE, key, cost)));
  }

  private static final List<LimitStep> REQUESTS =
      List.of(request("a", 2), request("b", 1), request("a", 2), request("a", 1), request("a", 2));

  private static Value reply(long grantedToA) {
    List<Object> unused = List.of(List.of(Micros.EARLIEST, 0L, 0L, 0L, 0L));
    List<Object> used = List.of(List.of(0L, 4 * 86_400_000_000L, 5L, 86_400_000_000L, 0L));
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
    List<LimitCall.Done> results = results(new LimitBatch(REQUESTS), reply(2));
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
    assertThatThrownBy(() -> results(batch, reply(3)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("decides otherwise");
  }

  private static List<LimitCall.Done> results(LimitBatch batch, Value reply) {
    return batch.results(LimitCall.results(batch.steps(), reply));
  }

  private static List<LimitCall.Done> plainResults(LimitBatch batch, Value reply) {
    return batch.results(LimitCall.plainResults(batch.plainGroups(), reply));
  }

  /** What is said of a bucket that owed tokens a day before, or is new. */
  private static List<Object> row(String key, long debtBefore, long debtAfter) {
    return Arrays.asList(
        List.of("token_bucket", BucketId.of(FIVE, key)),
        debtBefore == 0 ? null : List.of(-86_400L, 0L),
        debtBefore * DAY,
        debtAfter * DAY);
  }

  @SafeVarargs
  private static Value plain(List<List<Object>>... groups) {
    List<Object> done = new ArrayList<>();
    for (List<List<Object>> group : groups) {
      done.add(group);
    }
    return new Value(Map.of("now", 0L, "done", done));
  }

  @Test
  void plainStepIsComparedWithTheDebtThatItLeft() {
    LimitBatch batch = new LimitBatch(List.of(request("a", 2), request("a", 2)));
    // One of three owed tokens has been paid back.
    assertThat(plainResults(batch, plain(List.of(row("a", 3, 4)))))
        .extracting(done -> ((LimitCall.Decided) done).result().isAllowed())
        .containsExactly(true, false);
    assertThat(plainResults(batch, plain(List.of(row("a", 5, 5)))))
        .extracting(done -> ((LimitCall.Decided) done).result().isAllowed())
        .containsExactly(false, false);
    assertThatThrownBy(() -> plainResults(batch, plain(List.of(row("a", 3, 6)))))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("decides otherwise");
  }

  @Test
  void plainStepsThatDifferOnlyInTheirKeysAreOneGroup() {
    LimitBatch batch =
        new LimitBatch(List.of(request("a", 1), request("b", 1), request("a", 2), request("c", 1)));
    assertThat(batch.plainGroups().parameters())
        .extracting(group -> group.get("buckets"))
        .containsExactly(List.of(bucket("a"), bucket("b"), bucket("c")), List.of(bucket("a")));
    // In another order than they were asked.
    Value reply =
        plain(List.of(row("c", 5, 5), row("a", 0, 1), row("b", 3, 3)), List.of(row("a", 2, 3)));
    assertThat(plainResults(batch, reply))
        .extracting(done -> ((LimitCall.Decided) done).result().decision().remaining())
        .containsExactly(4L, 2L, 2L, 0L);
  }

  private static RecordId bucket(String key) {
    return new RecordId("token_bucket", BucketId.of(FIVE, key));
  }

  @Test
  void callersLearnThatTheirPlainStepIsUnusual() {
    LimitBatch batch = new LimitBatch(List.of(request("a", 2), request("a", 2)));
    assertThat(plainResults(batch, plain(List.of())))
        .containsExactly(new LimitCall.Unusual(), new LimitCall.Unusual());
  }

  @Test
  void bucketThatWasNotAskedForIsNoticed() {
    LimitBatch batch = new LimitBatch(List.of(request("a", 2)));
    assertThatThrownBy(() -> plainResults(batch, plain(List.of(row("b", 3, 4)))))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("not asked for");
  }
}
