package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.core.limits.Concurrency;
import dev.weir.core.limits.LeaseDecision;
import dev.weir.core.limits.TokenBucket;
import dev.weir.engine.StoreException;
import dev.weir.engine.limits.Ask;
import dev.weir.engine.limits.Demand;
import dev.weir.engine.limits.Policy;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is special about a Cluster: slots, and nodes that fail by themselves. */
interface ClusterClaims {
  Policy<TokenBucket> USER = Policy.of("user", TokenBucket.of(10, Duration.ofHours(1)));
  Policy<TokenBucket> ORGANISATION =
      Policy.of("organisation", TokenBucket.of(15, Duration.ofHours(1)));

  Concurrency TWO_PLACES = Concurrency.of(2, Duration.ofMinutes(10));

  RedisProgram program();

  /** Of a Cluster that tests share. */
  Servers.Clients clients();

  @Test
  default void scopesOfOneTagAreOneStepAndOthersAreRefusedBeforehand() {
    RedisLimitStore store = new RedisLimitStore(clients().one());
    Demand<TokenBucket> together =
        Demand.all(
            List.of(new Ask<>(USER, "user:{org7}:1", 9), new Ask<>(ORGANISATION, "{org7}", 9)));
    assertThat(store.decide(together.withRequestId("a")).isAllowed()).isTrue();
    assertThat(store.decide(together.withRequestId("a")).isReplayed()).isTrue();
    assertThat(store.decide(together.withRequestId("b")).isAllowed()).isFalse();

    Demand<TokenBucket> apart =
        Demand.all(List.of(new Ask<>(USER, "user:1", 1), new Ask<>(ORGANISATION, "org:7", 1)));
    assertThatThrownBy(() -> store.decide(apart))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("user:1")
        .hasMessageContaining("org:7")
        .hasMessageContaining("same hash tag");
    assertThat(store.usage(USER, "user:1").isNone()).isTrue();
  }

  @Test
  default void manyKeysOnAllNodesAreCountedExactly() throws Exception {
    RedisLimitStore one = new RedisLimitStore(clients().one());
    RedisLimitStore other = new RedisLimitStore(clients().other());
    AtomicInteger grants = new AtomicInteger();
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> calls = new ArrayList<>();
      for (int i = 0; i < 100 * 12; i++) {
        String key = "many" + i % 100;
        RedisLimitStore store = i % 2 == 0 ? one : other;
        calls.add(
            callers.submit(
                () -> {
                  if (store.take(USER, key, 1)) {
                    grants.incrementAndGet();
                  }
                }));
      }
      for (Future<?> call : calls) {
        call.get();
      }
    }
    assertThat(grants).hasValue(100 * 10);
  }

  @Test
  default void deadNodeFailsOnlyItsOwnKeysUntilItIsBack() {
    try (ClusterServers servers = ClusterServers.start(program(), false);
        Redis redis =
            Redis.open(RedisSettings.of(servers.uri()).withCommandTimeout(Servers.PATIENCE))) {
      RedisLimitStore store = new RedisLimitStore(redis);
      String onFirst = keyOnNode(0);
      String onLast = keyOnNode(2);
      assertThat(store.take(USER, onFirst, 1)).isTrue();
      assertThat(store.take(USER, onLast, 1)).isTrue();
      servers.nodes().getLast().kill();
      assertThatThrownBy(
              () -> {
                while (true) {
                  store.take(USER, onLast, 1);
                }
              })
          .isInstanceOf(StoreException.class);
      assertThat(store.take(USER, onFirst, 1)).isTrue();
      servers.nodes().getLast().restart();
      // What its keys have used is lost, and no other's.
      assertThat(RedisFaults.eventually(() -> store.take(USER, onLast, 1))).isFalse();
      assertThat(store.take(USER.createdAt(Instant.MAX), onLast, 1)).isTrue();
      assertThat(store.take(USER, onFirst, 1)).isTrue();
    }
  }

  @Test
  default void slotThatIsMovedTakesItsCountsAlongWhileCallersDecide() throws Exception {
    try (ClusterServers servers = ClusterServers.start(program());
        Redis one = open(servers);
        Redis other = open(servers);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      RedisServer from = servers.nodes().getFirst();
      RedisServer to = servers.nodes().getLast();
      String tag = keyOnNode(0);
      List<RedisLimitStore> stores = List.of(new RedisLimitStore(one), new RedisLimitStore(other));
      // Lettuce rejects the first call that is sent on to a node that is not connected yet.
      stores.forEach(store -> store.take(USER, keyOnNode(2), 1));
      RedisLeaseStore leases = new RedisLeaseStore(one);
      leases.acquire("{" + tag + "}", TWO_PLACES, "a", 1);
      try (BusyCallers callers = new BusyCallers(stores, keysWith(tag))) {
        callers.goOn(500);
        List<Future<LeaseDecision>> asked = new ArrayList<>();
        servers.moveSlot(
            SlotHash.getSlot(tag),
            from,
            to,
            () -> {
              // Of its two keys Redis has only one, and decides when all has been moved.
              asked.add(threads.submit(() -> renewed(leases, "{" + tag + "}")));
              callers.goOn(50);
            });
        for (Future<LeaseDecision> renewed : asked) {
          assertThat(renewed.get()).isInstanceOf(LeaseDecision.Held.class);
        }
        callers.goOn(500);
        callers.stopAndCompare(stores.getFirst());
        assertThat(callers.failures()).noneMatch(failure -> failure.contains("TRYAGAIN"));
      }
      assertThat(leases.acquire("{" + tag + "}", TWO_PLACES, "b", 2))
          .isInstanceOf(LeaseDecision.Full.class);
      assertThat(from.ask("CLUSTER COUNTKEYSINSLOT " + SlotHash.getSlot(tag))).startsWith(":0");
    }
  }

  @Test
  default void replicaThatTakesOverInOrderHasAllCounts() throws Exception {
    try (ClusterServers servers = ClusterServers.start(program());
        Redis one = open(servers);
        Redis other = open(servers)) {
      RedisServer master = servers.nodes().getFirst();
      RedisServer replica = servers.addReplica(master);
      List<RedisLimitStore> stores = List.of(new RedisLimitStore(one), new RedisLimitStore(other));
      try (BusyCallers callers = new BusyCallers(stores, keysWith(keyOnNode(0)))) {
        callers.goOn(500);
        ClusterServers.handOverTo(replica);
        master.waitUntil("ROLE", "slave");
        callers.goOn(500);
        callers.stopAndCompare(stores.getFirst());
      }
      assertThat(replica.ask("ROLE")).contains("master");
    }
  }

  /** Asks once more if the node that has the slot now was not connected. */
  private static LeaseDecision renewed(RedisLeaseStore leases, String resource) {
    try {
      return leases.renew(resource, TWO_PLACES, "a");
    } catch (StoreException e) {
      assertThat(e).hasMessageContaining("not connected");
      return leases.renew(resource, TWO_PLACES, "a");
    }
  }

  /** Keys of one slot. */
  private static List<String> keysWith(String tag) {
    return IntStream.range(0, 20).mapToObj(number -> "{" + tag + "}" + number).toList();
  }

  private static Redis open(ClusterServers servers) {
    return Redis.open(RedisSettings.of(servers.uri()).withCommandTimeout(Servers.PATIENCE));
  }

  /** Nodes have a third of the slots each, in their order. */
  private static String keyOnNode(int node) {
    for (int i = 0; ; i++) {
      if (SlotHash.getSlot("k" + i) * 3 / SlotHash.SLOT_COUNT == node) {
        return "k" + i;
      }
    }
  }
}
