package dev.weir.store.jdbc.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Concurrency;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.limits.Refund;
import dev.weir.limits.TokenBucket;
import dev.weir.store.jdbc.OracleDatabase;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.tck.internal.CheckedDataSource;
import dev.weir.store.tck.internal.Crowd;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two nodes on one Oracle that want the same permit, the same place or the same request id. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class OracleRaceTest {
  private static final Duration LONG = Duration.ofDays(300);
  private static final int ROUNDS = 10;
  private static final int CALLERS = 16;
  private static final Concurrency ALONE = Concurrency.of(1, Duration.ofDays(1));

  private final OracleDatabase database = OracleDatabase.get();
  private final CheckedDataSource counted = CheckedDataSource.of(database.pool());
  private final String name = UUID.randomUUID().toString();
  private final Policy one = Policy.of(name, TokenBucket.of(1, LONG));
  private final Policy many = Policy.of(name, FixedWindow.of(1_000, LONG));
  private final AtomicInteger contended = new AtomicInteger();

  /** Runs when this node has locked what there is to lock, once. */
  private final AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});

  private final StoreClock clock =
      databaseMicros -> {
        meanwhile.getAndSet(() -> {}).run();
        return databaseMicros;
      };
  private final JdbcLimitStore limits =
      OracleStores.limits(counted.dataSource(), clock, contended::incrementAndGet);
  private final JdbcLimitStore otherLimits =
      OracleStores.limits(database.otherPool(), StoreClock.DATABASE, () -> {});
  private final JdbcLeaseStore leases =
      OracleStores.leases(counted.dataSource(), clock, contended::incrementAndGet);
  private final JdbcLeaseStore otherLeases =
      OracleStores.leases(database.otherPool(), StoreClock.DATABASE, () -> {});

  private static AcquireRequest repeatable(Policy policy, String id) {
    return new AcquireRequest(
        List.of(new LimitRequest(policy, "k", 1)), id, Duration.ofMinutes(10));
  }

  @Test
  void lastPermitAndLastPlaceHaveOneTaker() {
    for (int i = 0; i < ROUNDS; i++) {
      String key = name + i;
      List<Boolean> taken =
          Crowd.concurrently(
              CALLERS, caller -> (caller % 2 == 0 ? limits : otherLimits).take(one, key, 1));
      List<Boolean> held =
          Crowd.concurrently(
              CALLERS,
              caller ->
                  (caller % 2 == 0 ? leases : otherLeases)
                      .acquire(key, ALONE, "l" + caller, 1)
                      .isGranted());

      assertThat(taken).containsOnlyOnce(true);
      assertThat(held).containsOnlyOnce(true);
    }
  }

  @Test
  void newKeyThatAnotherNodeCountedFirstIsDecidedAgain() {
    meanwhile.set(() -> assertThat(otherLimits.take(one, "k", 1)).isTrue());

    assertThat(limits.take(one, "k", 1)).isFalse();

    assertThat(contended).hasValue(1);
  }

  @Test
  void newResourceThatAnotherNodeLeasedFirstIsDecidedAgain() {
    meanwhile.set(
        () -> assertThat(otherLeases.acquire(name, ALONE, "other", 1).isGranted()).isTrue());

    assertThat(leases.acquire(name, ALONE, "mine", 1)).isInstanceOf(LeaseDecision.Full.class);

    assertThat(contended).hasValue(1);
    assertThat(leases.current(name)).isOne();
  }

  /** The ids differ in their limits, so that the nodes do not wait for each other's usages. */
  @Test
  void requestIdThatAnotherNodeGrantedFirstIsNotGrantedTwice() {
    Policy elsewhere = Policy.of(name + "-2", FixedWindow.of(1_000, LONG));
    limits.take(many, "k", 1);
    otherLimits.take(elsewhere, "k", 1);
    meanwhile.set(
        () -> assertThat(otherLimits.decide(repeatable(elsewhere, name)).isAllowed()).isTrue());

    AcquireResult mine = limits.decide(repeatable(many, name));

    assertThat(mine.isReused()).isTrue();
    assertThat(limits.usage(many, "k").used()).isEqualTo(1);
    assertThat(contended).hasValue(1);
  }

  @Test
  void refundedRequestIsNewForTheOtherNode() {
    AcquireRequest request = repeatable(many, name);
    assertThat(limits.decide(request).isReplayed()).isFalse();
    assertThat(otherLimits.refund(request, Instant.EPOCH)).isEqualTo(Refund.GIVEN_BACK);
    assertThat(limits.refund(request, Instant.EPOCH)).isEqualTo(Refund.UNKNOWN);

    assertThat(limits.decide(request).isReplayed()).isFalse();
    assertThat(otherLimits.decide(request).isReplayed()).isTrue();
    assertThat(limits.usage(many, "k").used()).isEqualTo(1);
  }

  /** Its numbers are more bytes than Oracle's driver sends as a plain value. */
  @Test
  void grantOfAsManyLimitsAsMayBeIsRemembered() {
    List<LimitRequest> parts =
        IntStream.range(0, AcquireRequest.MAX_PARTS)
            .mapToObj(i -> new LimitRequest(many, "k" + i, i + 1L))
            .toList();
    AcquireRequest request = new AcquireRequest(parts, name, Duration.ofMinutes(10));

    AcquireResult first = limits.decide(request);
    AcquireResult again = otherLimits.decide(request);

    assertThat(first.outcomes()).hasSize(AcquireRequest.MAX_PARTS);
    assertThat(again.isReplayed()).isTrue();
    assertThat(again.outcomes()).isEqualTo(first.outcomes());
    assertThat(again.decidedAt()).isEqualTo(first.decidedAt());
    assertThat(otherLimits.refund(request, Instant.EPOCH)).isEqualTo(Refund.GIVEN_BACK);
    assertThat(limits.usage(many, "k127").used()).isZero();
  }

  private int roundTrips(Runnable work) {
    int before = counted.roundTrips();
    work.run();
    return counted.roundTrips() - before;
  }

  /** The first refusal is decided under the lock, those behind it without. */
  @Test
  void grantTakesFourRoundTripsAndARefusalTwo() {
    limits.take(many, "k", 1);
    assertThat(roundTrips(() -> limits.take(many, "k", 1))).isEqualTo(4);
    limits.take(many, "k", 998);
    limits.take(many, "k", 1);

    assertThat(roundTrips(() -> assertThat(limits.take(many, "k", 1)).isFalse())).isEqualTo(2);
  }
}
