package dev.weir.store.jdbc.limits.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.limits.StoreHistory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** A database records for all nodes which stores have been used. */
abstract class StoreHistoryKit {
  private final StoreHistory one;
  private final StoreHistory other;
  private final String store = "store " + UUID.randomUUID();
  private final List<Boolean> firstUses = Collections.synchronizedList(new ArrayList<>());

  /** Two nodes on one database. */
  StoreHistoryKit(StoreHistory one, StoreHistory other) {
    this.one = one;
    this.other = other;
  }

  @Test
  void onlyTheFirstUseIsTheFirst() {
    one.prepare(store, past -> firstUses.add(past.isFirstUse()));
    other.prepare(store, past -> firstUses.add(past.isFirstUse()));
    one.prepare("another " + store, past -> firstUses.add(past.isFirstUse()));
    assertThat(firstUses).containsExactly(true, false, true);
  }

  @Test
  void useThatFailedIsNone() {
    assertThatThrownBy(
            () ->
                one.prepare(
                    store,
                    isFirst -> {
                      throw new StoreException(StoreException.Outcome.NONE, "gone");
                    }))
        .hasMessage("gone");
    other.prepare(store, past -> firstUses.add(past.isFirstUse()));
    assertThat(firstUses).containsExactly(true);
  }

  @Test
  void nodesThatStartTogetherMakeOneFirstUse() {
    try (ExecutorService nodes = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 8; i++) {
        StoreHistory node = i % 2 == 0 ? one : other;
        nodes.execute(() -> node.prepare(store, past -> firstUses.add(past.isFirstUse())));
      }
    }
    assertThat(firstUses).hasSize(8).containsOnlyOnce(true);
    assertThat(firstUses.getFirst()).isTrue();
  }

  @Test
  void latestMarkOfAnyNodeIsRemembered() {
    one.prepare(store, past -> assertThat(past.latest()).isEmpty());
    StoreHistory.Mark first = new StoreHistory.Mark(-5, 10, 1, -5);
    StoreHistory.Mark second = new StoreHistory.Mark(-5, 20, 2, 10);
    StoreHistory.Mark afterLoss = new StoreHistory.Mark(15, 15, 3, 15);
    assertThat(latestAfter(first)).isEqualTo(first);
    assertThat(latestAfter(second)).isEqualTo(second);
    assertThat(latestAfter(first)).isEqualTo(second);
    assertThat(latestAfter(afterLoss)).isEqualTo(afterLoss);
    assertThat(latestAfter(second)).isEqualTo(afterLoss);
  }

  private StoreHistory.Mark latestAfter(StoreHistory.Mark mark) {
    one.saw(store, mark);
    List<StoreHistory.Mark> latest = new ArrayList<>();
    other.prepare(store, past -> latest.add(past.latest().orElseThrow()));
    return latest.getFirst();
  }
}
