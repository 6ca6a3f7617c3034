package dev.weir.store.tck.slots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.FixedWindow;
import dev.weir.limits.LeaseStore;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitStore;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import dev.weir.store.tck.limits.IdleUsageClaims;
import dev.weir.store.tck.limits.LeaseStoreKit;
import dev.weir.store.tck.limits.LeaseTraces;
import dev.weir.store.tck.limits.LimitStoreKit;
import dev.weir.store.tck.limits.LimitTraces;
import dev.weir.store.tck.limits.ReferenceLeaseStore;
import dev.weir.store.tck.limits.ReferenceLimitStore;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Supplier;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;

/** The kit rejects incorrect stores, each by the claims about its defect. */
final class KitCatchesDefectsTest {
  @Example
  void limitStoreWithAnyDefectFails() {
    for (ReferenceLimitStore.Defect defect :
        EnumSet.complementOf(EnumSet.of(ReferenceLimitStore.Defect.NONE))) {
      assertThat(failed(claims(new LimitKit(defect)))).as(defect.name()).isNotEmpty();
    }
  }

  @Example
  void leaseStoreWithAnyDefectFails() {
    for (ReferenceLeaseStore.Defect defect :
        EnumSet.complementOf(EnumSet.of(ReferenceLeaseStore.Defect.NONE))) {
      assertThat(failed(claims(new LeaseKit(defect)))).as(defect.name()).isNotEmpty();
    }
  }

  private static Map<String, Runnable> claims(LimitKit kit) {
    Map<String, Runnable> claims = new LinkedHashMap<>();
    claims.put("refusesWhatIsSpentAndSaysHowLong", kit::refusesWhatIsSpentAndSaysHowLong);
    claims.put("looksWithoutTaking", kit::looksWithoutTaking);
    claims.put("refusalWritesNothing", kit::refusalWritesNothing);
    claims.put("takesFromAllOrFromNone", kit::takesFromAllOrFromNone);
    claims.put("clockThatStepsBack", kit::clockThatStepsBackAdmitsNothingMore);
    claims.put("repeated", kit::repeatedRequestIsReplayedUntilItExpires);
    claims.put("refusalIsNotRemembered", kit::refusalIsNotRemembered);
    claims.put("givenBackOnce", kit::repeatableRequestIsRefundedOnceAndIsNewAfterwards);
    claims.put("bound", kit::idOfAnotherRequestIsRefusedAndTakesNothing);
    claims.put("waitedFor", kit::whatIsWaitedForIsRememberedAndTakesNothing);
    claims.put("recall", kit::recallTakesAndRemembersNothing);
    claims.put("note", kit::requestWithoutLimitsIsRememberedWithItsNote);
    claims.put("kindsApart", kit::kindsOfLimitAreCountedApart);
    claims.put("lookAlike", kit::keysThatLookAlikeAreTwoKeys);
    claims.put("border", kit::borderBetweenPolicyAndKeyIsClear);
    claims.put("lastPermit", kit::lastPermitHasOneTaker);
    claims.put("everyPermit", kit::everyPermitIsGivenOnce);
    claims.put("lastPermitOfSeveralScopes", kit::lastPermitOfSeveralScopesHasOneTaker);
    claims.put("crowd", kit::crowdTakesFromAllOrFromNone);
    claims.put("requestIdFromMany", kit::requestIdFromConcurrentCallersTakesOnce);
    claims.put("givenBackOnceByMany", kit::requestIdIsRefundedOnceByConcurrentCallers);
    claims.put("olderVersion", kit::olderVersionDoesNotUndoAChange);
    claims.put("idle", kit::idleKeyVanishesInTime);
    claims.put("traces", () -> traces(new LimitTraces().get(), 120, kit::decidesAsCoreDoes));
    return claims;
  }

  private static Map<String, Runnable> claims(LeaseKit kit) {
    Map<String, Runnable> claims = new LinkedHashMap<>();
    claims.put("deadHolder", kit::deadHolderGivesItsPlaceBackInTimeAndNotBefore);
    claims.put("renewed", kit::renewedLeaseLastsAnotherTime);
    claims.put("releasedAfter", kit::leaseReleasedAfterADelayIsHeldUntilThen);
    claims.put("sameId", kit::sameIdHasTheSameLease);
    claims.put("queue", kit::eachWaitsAStepLongerUntilTheQueueIsFull);
    claims.put("asManyHoldAsMay", kit::asManyHoldAsMay);
    claims.put("placesAddUp", kit::placesOfACrowdAddUp);
    claims.put("oneIdFromMany", kit::oneIdFromConcurrentCallersIsOneLease);
    claims.put("queueCrowd", kit::queueIsNeverLongerThanItMayBeAndPositionsAreDistinct);
    claims.put("traces", () -> traces(new LeaseTraces().get(), 100, kit::leasesAsCoreDoes));
    return claims;
  }

  private static <T> void traces(Arbitrary<T> traces, int tries, Consumer<T> claim) {
    var generator = traces.generator(tries);
    Random random = new Random(1);
    for (int i = 0; i < tries; i++) {
      claim.accept(generator.next(random).value());
    }
  }

  private static List<String> failed(Map<String, Runnable> claims) {
    List<String> failed = new ArrayList<>();
    claims.forEach(
        (name, claim) -> {
          try {
            claim.run();
          } catch (AssertionError e) {
            failed.add(name);
          }
        });
    return failed;
  }

  private record LimitKit(ReferenceLimitStore.Defect defect)
      implements LimitStoreKit, IdleUsageClaims {
    @Override
    public List<Class<? extends Limit>> kinds() {
      return List.of(FixedWindow.class, SlidingWindow.class, TokenBucket.class);
    }

    @Override
    public Supplier<LimitStore> limitsBy(InstantSource clock) {
      LimitStore store = new ReferenceLimitStore(clock, defect);
      return () -> store;
    }

    @Override
    public void forgetIdle(LimitStore store) {}
  }

  private record LeaseKit(ReferenceLeaseStore.Defect defect) implements LeaseStoreKit {
    @Override
    public Supplier<LeaseStore> leasesBy(InstantSource clock) {
      LeaseStore store = new ReferenceLeaseStore(clock, defect);
      return () -> store;
    }
  }
}
