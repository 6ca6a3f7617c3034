package dev.weir.store.surrealdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import dev.weir.store.tck.internal.SurrealServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Groups of one transaction that have a bucket in common. */
@RequiresSurrealDb
final class PlainGroupsTest {
  private static final Policy TEN = Policy.of("p", TokenBucket.of(10, Duration.ofDays(1)));

  /** The same policy after a change, whose tokens have other units. */
  private static final Policy SLOWER = Policy.of("p", TokenBucket.of(10, Duration.ofDays(7)));

  private static final Policy OTHER = Policy.of("q", TokenBucket.of(10, Duration.ofDays(1)));

  private static SurrealServer server;
  private static SurrealDb database;

  @BeforeAll
  static void start() {
    server = SurrealServer.start(SurrealServer.Storage.ROCKSDB);
    database = SurrealDb.open(Clients.settings(server.port()));
  }

  @AfterAll
  static void stop() {
    database.close();
    server.close();
  }

  private static LimitStep request(Policy policy, String key) {
    return new LimitStep.Decide(AcquireRequest.of(LimitRequest.of(policy, key)));
  }

  private static List<LimitCall.Done> decide(LimitStep... steps) {
    PlainGroups groups = new LimitBatch(List.of(steps)).plainGroups();
    Value reply =
        database.run(LimitCall.plainSteps(groups, database.settings(), StoreClock.SURREALDB));
    return LimitCall.plainResults(groups, reply).stream().map(List::getFirst).toList();
  }

  @Test
  void rateThatChangesWithinABatchIsLeftToTheOtherScript() {
    // The first time the bucket is created, the second time it is updated.
    for (int time = 0; time < 2; time++) {
      assertThat(decide(request(TEN, "a"), request(SLOWER, "a"), request(OTHER, "a")))
          .extracting(Object::getClass)
          .as("time %s", time)
          .containsExactly(
              LimitCall.Decided.class, LimitCall.Unusual.class, LimitCall.Decided.class);
    }
  }
}
