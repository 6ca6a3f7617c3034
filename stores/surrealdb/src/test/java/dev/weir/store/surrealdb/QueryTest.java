package dev.weir.store.surrealdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.Concurrency;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.LeaseHistory;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import dev.weir.store.tck.internal.NastyNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Queries are pure functions of requests, and nothing that a caller passes is in their text. */
final class QueryTest {
  private static final SurrealDbSettings SETTINGS =
      SurrealDbSettings.of("http://127.0.0.1:1", "n", "d");
  private static final TokenBucket BUCKET = TokenBucket.of(7, Duration.ofMinutes(1));
  private static final Concurrency TWO = Concurrency.of(2, Duration.ofSeconds(30));

  private static List<Query> queries(String name) {
    AcquireRequest request =
        AcquireRequest.of(new LimitRequest(Policy.of(name, BUCKET), name, 2)).withRequestId(name);
    List<Query> queries = new ArrayList<>();
    StoreClock clock = StoreClock.SURREALDB;
    queries.add(LimitCall.steps(List.of(new LimitStep.Decide(request)), SETTINGS, clock));
    queries.add(LimitCall.steps(List.of(new LimitStep.GiveBack(request, 5)), SETTINGS, clock));
    AcquireRequest plain = AcquireRequest.of(new LimitRequest(Policy.of(name, BUCKET), name, 2));
    queries.add(
        LimitCall.plainSteps(
            new PlainGroups(List.of(new LimitStep.Decide(plain))), SETTINGS, clock));
    queries.add(LimitCall.usages(request, SETTINGS, clock));
    for (LeaseStep step :
        List.of(
            LeaseStep.acquire(name, TWO, name, 1, LeaseHistory.UNKNOWN),
            LeaseStep.renew(name, TWO, name),
            LeaseStep.releaseAfter(name, name, 5),
            LeaseStep.release(name, name),
            LeaseStep.forget(name),
            LeaseStep.current(name))) {
      queries.add(LeaseStep.query(List.of(step), SETTINGS, clock));
    }
    return queries;
  }

  @Test
  void sameRequestHasTheSameTextAndParameters() {
    for (String name : NastyNames.ALL) {
      assertThat(queries(name)).isEqualTo(queries(name));
    }
  }

  @Test
  void textDoesNotDependOnTheRequest() {
    Set<List<String>> texts = new HashSet<>();
    for (String name : NastyNames.ALL) {
      texts.add(queries(name).stream().map(Query::text).toList());
    }
    assertThat(texts).hasSize(1);
  }

  @Test
  void everyScriptChecksThatItIsInItsDatabase() {
    for (Query.Script script : Query.Script.values()) {
      assertThat(script.text).as(script.name()).contains("session::ns() != $call.namespace");
    }
  }

  @Test
  void differentRequestsHaveDifferentParameters() {
    Set<Query> decisions = new HashSet<>();
    for (String name : NastyNames.ALL) {
      decisions.add(queries(name).getFirst());
    }
    assertThat(decisions).hasSize(NastyNames.ALL.size());
  }

  @Test
  void otherKindsOfLimitAreRefusedByName() {
    Policy window = Policy.of("api", FixedWindow.of(3, Duration.ofMinutes(1)));
    LimitStep step = new LimitStep.Decide(AcquireRequest.of(LimitRequest.of(window, "k")));
    assertThatThrownBy(() -> LimitCall.steps(List.of(step), SETTINGS, StoreClock.SURREALDB))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("token buckets only", "api", "FixedWindow");
  }

  @Test
  void whatIsPrintedOfTheTablesIsWhatIsExecuted() {
    assertThat(SurrealDb.schema()).contains("token_bucket").doesNotContain("$call");
    String executed = Query.schema(SETTINGS).text();
    assertThat(SurrealDb.schema().lines())
        .filteredOn(line -> !line.isBlank() && !line.startsWith("--"))
        .isNotEmpty()
        .allSatisfy(line -> assertThat(executed).contains(line + "\n"));
    assertThat(executed).contains("SET schema = $call.schema");
  }
}
