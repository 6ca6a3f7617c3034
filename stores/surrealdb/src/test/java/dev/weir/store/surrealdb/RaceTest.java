package dev.weir.store.surrealdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.StoreException;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.limits.StoreHistory;
import dev.weir.limits.TokenBucket;
import dev.weir.store.tck.internal.Await;
import dev.weir.store.tck.internal.Crowd;
import dev.weir.store.tck.internal.SurrealServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Eight writers race for tokens on RocksDB: each token is granted once. */
@RequiresSurrealDb
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RaceTest {
  private static final int WRITERS = 8;
  private static final int TOKENS = 300;
  private static final int TOKENS_OF_NODES = 100;

  @Test
  void conditionalUpdateGrantsEachTokenOnce() {
    SurrealDb database = Clients.onRocksDb().one();
    Map<String, Object> id = Map.of("id", UUID.randomUUID().toString(), "tokens", (long) TOKENS);
    database.run(
        new Query("CREATE type::record('weir_race', $id) SET tokens = $tokens RETURN NONE;", id));
    Query take =
        new Query(
            "UPDATE type::record('weir_race', $id) SET tokens -= 1 WHERE tokens >= 1 RETURN AFTER;",
            id);
    List<Integer> taken =
        Crowd.concurrently(
            WRITERS,
            writer -> {
              int count = 0;
              while (!repeated(() -> database.run(take)).items().isEmpty()) {
                count++;
              }
              return count;
            });
    assertThat(sum(taken)).isEqualTo(TOKENS);
  }

  @Test
  void eachStoreOfANodeOfItsOwnGrantsEachTokenOnce() {
    Policy policy =
        Policy.of(
            UUID.randomUUID().toString(), TokenBucket.of(TOKENS_OF_NODES, Duration.ofDays(366)));
    AtomicInteger conflicts = new AtomicInteger();
    try (SurrealServer server = SurrealServer.start(SurrealServer.Storage.ROCKSDB);
        SurrealDb first = SurrealDb.open(Clients.settings(server.port()))) {
      first.check();
      List<Integer> taken =
          Crowd.concurrently(
              WRITERS,
              writer -> {
                try (SurrealDb node =
                    new SurrealDb(
                        Clients.settings(server.port()),
                        StoreHistory.NONE,
                        conflicts::incrementAndGet)) {
                  SurrealDbLimitStore store = new SurrealDbLimitStore(node);
                  int count = 0;
                  while (repeated(() -> store.take(policy, "k", 1))) {
                    count++;
                  }
                  return count;
                }
              });
      assertThat(sum(taken)).isEqualTo(TOKENS_OF_NODES);
      assertThat(conflicts.get()).as("writers have met").isPositive();
    }
  }

  @Test
  void storageOfTheTestsIsFit() {
    try (SurrealServer server = SurrealServer.start(SurrealServer.Storage.ROCKSDB);
        SurrealDb database = SurrealDb.open(Clients.settings(server.port()).withAnomalies(false))) {
      Await.until(() -> isChecked(database));
      assertThat(database.isAnomalous()).isFalse();
    }
  }

  /** Returns false if the writers of the check have met too often. */
  private static boolean isChecked(SurrealDb database) {
    try {
      database.check();
      return true;
    } catch (StoreException e) {
      return database.isAnomalous();
    }
  }

  /** Repeats a step that has done nothing because it has met others too often. */
  private static <T> T repeated(Supplier<T> step) {
    while (true) {
      try {
        return step.get();
      } catch (StoreException e) {
        assertThat(e).hasMessageContaining("had conflicts");
      }
    }
  }

  @Test
  void callersOfOneNodeShareTransactions() {
    AtomicInteger batches = new AtomicInteger();
    SurrealDbLimitStore store =
        new SurrealDbLimitStore(Clients.onRocksDb().one(), sharing(batches));
    Policy policy =
        Policy.of(UUID.randomUUID().toString(), TokenBucket.of(50, Duration.ofDays(366)));
    List<Integer> taken =
        Crowd.concurrently(
            64,
            caller ->
                store.decide(AcquireRequest.of(LimitRequest.of(policy, "k"))).isAllowed() ? 1 : 0);
    assertThat(sum(taken)).isEqualTo(50);
    assertThat(batches.get()).isPositive();
  }

  /** Counts the batches of several requests. */
  private static IntConsumer sharing(AtomicInteger batches) {
    return requests -> batches.addAndGet(requests > 1 ? 1 : 0);
  }

  private static int sum(List<Integer> counts) {
    return counts.stream().mapToInt(Integer::intValue).sum();
  }
}
