package dev.weir.store.jdbc.slots.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.store.tck.internal.Explorer;
import dev.weir.store.tck.internal.ModelSize;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Explores {@link SlotsModel}. */
final class SlotsModelTest {
  private static final List<String> TWO = List.of("a", "b");
  private static final List<String> THREE = List.of("a", "b", "c");
  private static final List<Integer> ONE_NODE = List.of(0);
  private static final List<Integer> TWO_NODES = List.of(0, 1);
  private static final List<Integer> TWO_WORKERS_OF_A_NODE = List.of(0, 0);

  private static final List<SlotsModel.Bounds> SMALL =
      List.of(
          new SlotsModel.Bounds(THREE, TWO_NODES, 0, 0, 0),
          new SlotsModel.Bounds(TWO, TWO_NODES, 1, 0, 0),
          new SlotsModel.Bounds(TWO, TWO_NODES, 0, 0, 1),
          new SlotsModel.Bounds(TWO, ONE_NODE, 1, 0, 1),
          new SlotsModel.Bounds(TWO, ONE_NODE, 0, 1, 1));

  private static final List<SlotsModel.Bounds> LARGE =
      List.of(
          new SlotsModel.Bounds(THREE, TWO_NODES, 1, 0, 0),
          new SlotsModel.Bounds(TWO, TWO_NODES, 1, 1, 0),
          new SlotsModel.Bounds(TWO, TWO_NODES, 1, 0, 1),
          new SlotsModel.Bounds(TWO, TWO_NODES, 0, 1, 1),
          new SlotsModel.Bounds(TWO, TWO_WORKERS_OF_A_NODE, 1, 0, 1),
          new SlotsModel.Bounds(TWO, ONE_NODE, 1, 1, 1));

  private static final int MAX_STATES = 2_000_000;

  @Test
  void windowsAreNotExceededAndPromisesAreKept() {
    for (SlotsModel.Bounds bounds : ModelSize.current() == ModelSize.SMALL ? SMALL : LARGE) {
      Explorer.Result<SlotsModel.State> result =
          Explorer.explore(new SlotsModel(bounds, SlotsModel.Fault.NONE), MAX_STATES);
      System.out.printf("%,d states of slots, %s%n", result.states(), bounds);
      assertThat(result.witness()).as("%s", bounds).isEmpty();
    }
  }

  @Test
  void stepsOfOneAreRefused() {
    assertThat(witness(SlotsModel.Fault.SEQ_PLUS_ONE_ONLY, 0, 0).actions())
        .contains("restore the backup")
        .hasSizeLessThanOrEqualTo(9);
  }

  @Test
  void changeByOneIsRefused() {
    assertThat(witness(SlotsModel.Fault.CHANGE_BY_ONE, 0, 1).actions())
        .contains("change the limit", "restore the backup")
        .hasSizeLessThanOrEqualTo(9);
  }

  @Test
  void versionByItsNumberAloneIsRefused() {
    assertThat(witness(SlotsModel.Fault.VERSION_BY_NUMBER, 0, 3).actions())
        .contains("change the limit", "restore the backup")
        .hasSizeLessThanOrEqualTo(11);
  }

  @Test
  void cancellationThatKeepsTheSequenceNumberIsRefused() {
    assertThat(witness(SlotsModel.Fault.CANCEL_WITHOUT_SEQ, 1, 0).actions())
        .hasSizeLessThanOrEqualTo(5);
  }

  @Test
  void viewOfAPlanThatWasNotWrittenIsRefused() {
    assertThat(witness(SlotsModel.Fault.VIEW_KEPT_AFTER_FAILURE, 0, 0).actions())
        .hasSizeLessThanOrEqualTo(7);
  }

  @Test
  void replyBeforeTheWriteIsRefused() {
    assertThat(witness(SlotsModel.Fault.REPLY_BEFORE_WRITE, 0, 0).actions())
        .hasSizeLessThanOrEqualTo(4);
  }

  /**
   * An open gap, not a weakened copy: behind a pooler, a plan may have read pages of one history
   * and be written into another one with the sequence number of its view.
   */
  @Test
  void planThatOutlivesARestoreIsNotNoticed() {
    assertThat(witness(SlotsModel.Fault.PLAN_OUTLIVES_RESTORE, 1, 0).actions())
        .contains("restore the backup")
        .hasSizeLessThanOrEqualTo(9);
  }

  private static Explorer.Witness<SlotsModel.State> witness(
      SlotsModel.Fault fault, int cancels, int changes) {
    // Without changes, only another node advances the sequence number in the restored database.
    List<Integer> workers = cancels + changes == 0 ? TWO_NODES : ONE_NODE;
    SlotsModel.Bounds bounds = new SlotsModel.Bounds(TWO, workers, cancels, changes, 1);
    Optional<Explorer.Witness<SlotsModel.State>> witness =
        Explorer.explore(new SlotsModel(bounds, fault), MAX_STATES).witness();
    assertThat(witness).as("%s", fault).isPresent();
    System.out.printf("%s: %s%n", fault, witness.get());
    return witness.get();
  }
}
