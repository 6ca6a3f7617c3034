package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.core.limits.TokenBucket;
import dev.weir.engine.StoreException;
import dev.weir.engine.limits.Ask;
import dev.weir.engine.limits.Demand;
import dev.weir.engine.limits.Policy;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What is special about a Cluster: slots, and nodes that fail by themselves. */
interface ClusterClaims {
  Policy<TokenBucket> USER = Policy.of("user", TokenBucket.of(10, Duration.ofHours(1)));
  Policy<TokenBucket> ORGANISATION =
      Policy.of("organisation", TokenBucket.of(15, Duration.ofHours(1)));

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
      assertThat(RedisFaults.eventually(() -> store.take(USER, onLast, 1))).isTrue();
    }
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
