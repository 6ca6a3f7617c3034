package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Concurrency;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Outcome;
import dev.weir.limits.Policy;
import dev.weir.limits.Refund;
import dev.weir.limits.TokenBucket;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Claims about a Cluster: slots, and nodes that fail independently. */
interface ClusterClaims {
  Policy USER = Policy.of("user", TokenBucket.of(10, Duration.ofDays(30)));
  Policy ORGANISATION = Policy.of("organisation", TokenBucket.of(15, Duration.ofDays(30)));

  Concurrency TWO_PLACES = Concurrency.of(2, Duration.ofMinutes(10));

  RedisProgram program();

  /** Returns clients of a Cluster that tests share. */
  Servers.Clients clients();

  @Test
  default void scopesOfOneTagAreOneStep() {
    RedisLimitStore store = new RedisLimitStore(clients().one());
    AcquireRequest together =
        AcquireRequest.all(
            List.of(
                new LimitRequest(USER, "user:{org7}:1", 9),
                new LimitRequest(ORGANISATION, "{org7}", 9)));
    assertThat(store.decide(together.withRequestId("a")).isAllowed()).isTrue();
    assertThat(store.decide(together.withRequestId("a")).isReplayed()).isTrue();
    assertThat(store.decide(together.withRequestId("b")).isAllowed()).isFalse();
  }

  @Test
  default void scopesOfSeveralSlotsAreGrantedTogetherOrNotAtAll() {
    RedisLimitStore store = new RedisLimitStore(clients().one());
    AcquireRequest apart =
        AcquireRequest.all(
            List.of(
                new LimitRequest(USER, "apart:1", 3),
                new LimitRequest(ORGANISATION, "apart:7", 7),
                new LimitRequest(USER, "apart:2", 1)));
    AcquireResult first = store.decide(apart.withRequestId("apart"));
    assertThat(first.isAllowed()).isTrue();
    assertThat(first.outcomes()).extracting(Outcome::remaining).containsExactly(7L, 8L, 9L);
    AcquireResult repeated = store.decide(apart.withRequestId("apart"));
    assertThat(repeated.isReplayed()).isTrue();
    assertThat(repeated.outcomes()).isEqualTo(first.outcomes());
    assertThat(store.decide(apart).isAllowed()).isTrue();

    // The organisation has too little left, and what the others granted is refunded.
    for (AcquireRequest refused : List.of(apart, apart.withRequestId("refused"))) {
      AcquireResult answer = store.decide(refused);
      assertThat(answer.outcomes())
          .extracting(Outcome::isAllowed)
          .containsExactly(true, false, true);
      assertThat(answer.outcomes()).extracting(Outcome::remaining).containsExactly(4L, 1L, 8L);
      assertThat(store.peek(apart).outcomes())
          .extracting(Outcome::remaining)
          .containsExactly(4L, 1L, 8L);
    }
    store.refund(apart.withRequestId("apart"), first.decidedAt());
    store.refund(apart.withRequestId("apart"), first.decidedAt());
    apart.parts().forEach(part -> assertUsed(store, part, part.cost()));
  }

  @Test
  default void requestThatWasHalfDoneIsCompletedWhenItIsRepeated() {
    RedisLimitStore store = new RedisLimitStore(clients().one());
    LimitRequest user = new LimitRequest(USER, "half:1", 4);
    LimitRequest organisation = new LimitRequest(ORGANISATION, "half:7", 4);
    // The state that a node leaves if it dies after the first of two slots.
    AcquireRequest both = AcquireRequest.all(List.of(user, organisation));
    store.decide(new AcquireRequest(List.of(user), Map.of(), both.withRequestId("half").binding()));
    AcquireResult answer = store.decide(both.withRequestId("half"));
    assertThat(answer.isAllowed()).isTrue();
    assertThat(answer.outcomes()).extracting(Outcome::remaining).containsExactly(6L, 11L);
    assertThat(store.peek(both).outcomes()).extracting(Outcome::remaining).containsExactly(6L, 11L);
  }

  @Test
  default void manyAtOnceInSeveralSlotsExceedNoLimitAndLeaveNothingTaken() throws Exception {
    List<RedisLimitStore> stores =
        List.of(new RedisLimitStore(clients().one()), new RedisLimitStore(clients().other()));
    List<LimitRequest> users = new ArrayList<>();
    for (int user = 0; user < 6; user++) {
      users.add(new LimitRequest(USER, "crowd:" + user, 1));
    }
    LimitRequest organisation = new LimitRequest(ORGANISATION, "crowd", 1);
    AtomicIntegerArray grants = new AtomicIntegerArray(users.size());
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> calls = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        int user = i % users.size();
        RedisLimitStore store = stores.get(i % 2);
        AcquireRequest request = AcquireRequest.all(List.of(users.get(user), organisation));
        AcquireRequest sent = i % 3 == 0 ? request.withRequestId("crowd" + i) : request;
        calls.add(
            callers.submit(
                () -> {
                  if (store.decide(sent).isAllowed()) {
                    grants.incrementAndGet(user);
                  }
                }));
      }
      for (Future<?> call : calls) {
        call.get();
      }
    }
    long all = 0;
    for (int user = 0; user < users.size(); user++) {
      all += grants.get(user);
      assertUsed(stores.getFirst(), users.get(user), grants.get(user));
    }
    assertThat(all).isLessThanOrEqualTo(15);
    assertUsed(stores.getFirst(), organisation, all);
    // Whatever the order: those that meet never all refuse each other, see SlotBySlotTest.
    assertThat(all).isPositive();
  }

  /**
   * Refunds of several requests each leave out what the bucket refilled meanwhile, so a fraction of
   * a token may stay used until it is refilled: up to one token more is seen as used.
   */
  private static void assertUsed(RedisLimitStore store, LimitRequest request, long granted) {
    assertThat(used(store, request)).isBetween(granted, granted + 1);
  }

  private static long used(RedisLimitStore store, LimitRequest request) {
    return request.policy().limit().maxCost()
        - store.peek(AcquireRequest.of(request)).decision().remaining();
  }

  @Test
  default void requestIdIsBoundAcrossSlots() {
    RedisLimitStore store = new RedisLimitStore(clients().one());
    String id = UUID.randomUUID().toString();
    for (int key = 0; key < 20; key++) {
      AcquireRequest request = AcquireRequest.of(LimitRequest.of(USER, id + key));
      AcquireResult answer = store.decide(request.withRequestId(id));
      assertThat(answer.isAllowed()).isEqualTo(key == 0);
      assertThat(answer.isReused()).isEqualTo(key > 0);
      assertThat(store.refund(request.withRequestId(id), answer.decidedAt()))
          .isEqualTo(key == 0 ? Refund.GIVEN_BACK : Refund.REUSED);
      if (key == 0) {
        assertThat(store.decide(request.withRequestId(id)).isReplayed()).isFalse();
      } else {
        assertThat(store.usage(USER, id + key).isNone()).isTrue();
      }
    }
  }

  @Test
  default void requestIdStaysBoundIfTheRefundDoesNotFindItsGrant() {
    RedisLimitStore store = new RedisLimitStore(clients().one());
    String id = UUID.randomUUID().toString();
    AcquireRequest granted =
        AcquireRequest.of(LimitRequest.of(USER, id + "granted")).withRequestId(id);
    AcquireRequest other = AcquireRequest.of(LimitRequest.of(USER, id + "other")).withRequestId(id);
    assertThat(store.decide(granted).isAllowed()).isTrue();

    // The same request after one of its rules was changed: its grant is in the slot of another key.
    AcquireRequest changed =
        new AcquireRequest(
            List.of(LimitRequest.of(ORGANISATION, id + "changed")), Map.of(), granted.binding());
    assertThat(store.refund(changed, Instant.EPOCH)).isEqualTo(Refund.UNKNOWN);

    assertThat(store.decide(other).isReused()).isTrue();
    assertThat(store.refund(other, Instant.EPOCH)).isEqualTo(Refund.REUSED);
    assertThat(store.refund(granted, Instant.EPOCH)).isEqualTo(Refund.GIVEN_BACK);
    assertThat(store.decide(other).isReused()).isFalse();
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
        Redis redis = Servers.open(servers.uri())) {
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
      // Only the usage of its keys is lost.
      assertThat(RedisFaults.eventually(() -> store.take(USER, onLast, 1))).isFalse();
      assertThat(store.take(USER.createdAt(Instant.MAX), onLast, 1)).isTrue();
      assertThat(store.take(USER, onFirst, 1)).isTrue();
    }
  }

  @Test
  default void slotThatIsMovedTakesItsCountsAlongWhileCallersDecide() throws Exception {
    try (ClusterServers servers = ClusterServers.start(program());
        Redis one = Servers.open(servers.uri());
        Redis other = Servers.open(servers.uri());
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      RedisServer from = servers.nodes().getFirst();
      RedisServer to = servers.nodes().getLast();
      String tag = keyOnNode(0);
      List<RedisLimitStore> stores = List.of(new RedisLimitStore(one), new RedisLimitStore(other));
      // Lettuce rejects the first call that is redirected to a node that is not connected yet.
      stores.forEach(store -> store.take(USER, keyOnNode(2), 1));
      RedisLeaseStore leases = new RedisLeaseStore(one);
      leases.acquire("{" + tag + "}", TWO_PLACES, "a", 1);
      try (BusyCallers callers = new BusyCallers(stores, keysWith(tag))) {
        callers.goOn(500);
        List<Future<LeaseDecision>> renewals = new ArrayList<>();
        servers.moveSlot(
            SlotHash.getSlot(tag),
            from,
            to,
            () -> {
              // Redis has only one of its two keys, and decides once all keys have been moved.
              renewals.add(threads.submit(() -> renewed(leases, "{" + tag + "}")));
              callers.goOn(50);
            });
        for (Future<LeaseDecision> renewed : renewals) {
          assertThat(renewed.get()).isInstanceOf(LeaseDecision.Held.class);
        }
        callers.goOn(500);
        callers.stopAndCompare(stores.getFirst());
        assertThat(callers.failures()).noneMatch(failure -> failure.contains("TRYAGAIN"));
      }
      assertThat(leases.acquire("{" + tag + "}", TWO_PLACES, "b", 2))
          .isInstanceOf(LeaseDecision.Full.class);
      // Other slots of that node contain the bindings of request ids.
      assertThat(from.command("CLUSTER COUNTKEYSINSLOT " + SlotHash.getSlot(tag))).startsWith(":0");
    }
  }

  @Test
  default void replicaThatTakesOverInOrderHasAllCounts() throws Exception {
    try (ClusterServers servers = ClusterServers.start(program());
        Redis one = Servers.open(servers.uri());
        Redis other = Servers.open(servers.uri())) {
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
      assertThat(replica.command("ROLE")).contains("master");
    }
  }

  /** Retries once if the new owner of the slot was not connected. */
  private static LeaseDecision renewed(RedisLeaseStore leases, String resource) {
    try {
      return leases.renew(resource, TWO_PLACES, "a");
    } catch (StoreException e) {
      assertThat(e).hasMessageContaining("not connected");
      return leases.renew(resource, TWO_PLACES, "a");
    }
  }

  /** Returns keys of one slot. */
  private static List<String> keysWith(String tag) {
    return IntStream.range(0, 20).mapToObj(number -> "{" + tag + "}" + number).toList();
  }

  /** Returns a key on a node; each node has a third of the slots, in order. */
  private static String keyOnNode(int node) {
    for (int i = 0; ; i++) {
      if (SlotHash.getSlot("k" + i) * 3 / SlotHash.SLOT_COUNT == node) {
        return "k" + i;
      }
    }
  }
}
