package dev.weir.store.tck.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ExplorerTest {
  /** Counts up by one or by three, from zero to a max. */
  private record Counter(int max, int forbidden) implements Explorer.Model<Integer> {
    @Override
    public Integer initial() {
      return 0;
    }

    @Override
    public List<Explorer.Step<Integer>> steps(Integer state) {
      return List.of(
          new Explorer.Step<>("one", Math.min(state + 1, max)),
          new Explorer.Step<>("three", Math.min(state + 3, max)));
    }

    @Override
    public Optional<String> violation(Integer state) {
      return state == forbidden ? Optional.of("it is " + state) : Optional.empty();
    }
  }

  @Test
  void everyStateIsVisitedOnce() {
    Explorer.Result<Integer> result = Explorer.explore(new Counter(10, -1), 11);
    assertThat(result.states()).isEqualTo(11);
    assertThat(result.depth()).isEqualTo(4);
    assertThat(result.witness()).isEmpty();
  }

  @Test
  void witnessIsAShortestWay() {
    assertThat(Explorer.explore(new Counter(10, 7), 11).witness())
        .hasValueSatisfying(
            witness -> assertThat(witness.actions()).hasSize(3).contains("one", "three"));
  }

  @Test
  void tooManyStatesAreAnError() {
    assertThatThrownBy(() -> Explorer.explore(new Counter(10, -1), 10))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("more than 10 states");
  }
}
