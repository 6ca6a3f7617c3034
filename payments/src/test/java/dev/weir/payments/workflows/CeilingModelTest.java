package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.store.tck.internal.Explorer;
import dev.weir.store.tck.internal.ModelSize;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Explores {@link CeilingModel} and {@link RecordedCallsModel}. */
final class CeilingModelTest {
  private static final int MAX_STATES = 2_000_000;

  private static final List<CeilingModel.Bounds> SMALL_CEILINGS =
      List.of(new CeilingModel.Bounds(1, 2, 2, 1), new CeilingModel.Bounds(1, 3, 1, 1));

  private static final List<CeilingModel.Bounds> LARGE_CEILINGS =
      List.of(new CeilingModel.Bounds(1, 2, 2, 2), new CeilingModel.Bounds(2, 3, 1, 0));

  private static final List<RecordedCallsModel.Bounds> SMALL_CALLS =
      List.of(new RecordedCallsModel.Bounds(1, 2, 1), new RecordedCallsModel.Bounds(2, 2, 0));

  private static final List<RecordedCallsModel.Bounds> LARGE_CALLS =
      List.of(
          new RecordedCallsModel.Bounds(1, 3, 1),
          new RecordedCallsModel.Bounds(2, 3, 0),
          new RecordedCallsModel.Bounds(2, 3, 1));

  private static boolean isSmall() {
    return ModelSize.current() == ModelSize.SMALL;
  }

  @Test
  void noSecondSeesMoreCallsThanTheCeiling() {
    for (CeilingModel.Bounds bounds : isSmall() ? SMALL_CEILINGS : LARGE_CEILINGS) {
      Explorer.Result<CeilingModel.State> result =
          Explorer.explore(new CeilingModel(bounds, CeilingModel.Fault.NONE), MAX_STATES);
      System.out.printf("%,d states of the ceiling, %s%n", result.states(), bounds);
      assertThat(result.witness()).as("%s", bounds).isEmpty();
    }
  }

  @Test
  void weakenedCeilingIsRefused() {
    EnumSet.complementOf(EnumSet.of(CeilingModel.Fault.NONE))
        .forEach(CeilingModelTest::requireWitness);
  }

  private static void requireWitness(CeilingModel.Fault fault) {
    // Only a second call can answer while the first is given up.
    int max = fault == CeilingModel.Fault.ANSWER_ENDS_ALL ? 2 : 1;
    CeilingModel.Bounds bounds = new CeilingModel.Bounds(max, max + 1, 1, 0);
    Optional<Explorer.Witness<CeilingModel.State>> witness =
        Explorer.explore(new CeilingModel(bounds, fault), MAX_STATES).witness();
    assertThat(witness).as("%s", fault).isPresent();
    System.out.printf("%s: %s%n", fault, witness.get());
    assertThat(witness.get().actions()).hasSizeLessThanOrEqualTo(18);
  }

  @Test
  void paymentIsMadeOnceAndItsEndIsTrue() {
    for (RecordedCallsModel.Bounds bounds : isSmall() ? SMALL_CALLS : LARGE_CALLS) {
      Explorer.Result<RecordedCallsState> result =
          Explorer.explore(
              new RecordedCallsModel(bounds, RecordedCallsModel.Fault.NONE), MAX_STATES);
      System.out.printf("%,d states of recorded calls, %s%n", result.states(), bounds);
      assertThat(result.witness()).as("%s", bounds).isEmpty();
    }
  }

  /** The last fault is an open gap of the code, not a weakened copy of it. */
  @Test
  void weakenedRecordIsRefused() {
    EnumSet.complementOf(EnumSet.of(RecordedCallsModel.Fault.NONE))
        .forEach(CeilingModelTest::requireWitness);
  }

  private static void requireWitness(RecordedCallsModel.Fault fault) {
    Optional<Explorer.Witness<RecordedCallsState>> witness =
        Explorer.explore(
                new RecordedCallsModel(new RecordedCallsModel.Bounds(1, 2, 1), fault), MAX_STATES)
            .witness();
    assertThat(witness).as("%s", fault).isPresent();
    System.out.printf("%s: %s%n", fault, witness.get());
    assertThat(witness.get().actions()).hasSizeLessThanOrEqualTo(22);
  }
}
