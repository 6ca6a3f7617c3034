package dev.weir.store.jdbc.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.engine.StoreException;
import dev.weir.engine.limits.StoreHistory;
import dev.weir.store.jdbc.Database;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** PostgreSQL remembers which stores were used, for all nodes. */
final class JdbcStoreHistoryTest {
  private final Database database = Database.get();
  private final StoreHistory one = new JdbcStoreHistory(database.pool());
  private final StoreHistory other = new JdbcStoreHistory(database.otherPool());
  private final String store = "store " + UUID.randomUUID();
  private final List<Boolean> told = Collections.synchronizedList(new ArrayList<>());

  @Test
  void onlyTheFirstUseIsTheFirst() {
    one.prepare(store, told::add);
    other.prepare(store, told::add);
    one.prepare("another " + store, told::add);
    assertThat(told).containsExactly(true, false, true);
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
    other.prepare(store, told::add);
    assertThat(told).containsExactly(true);
  }

  @Test
  void nodesThatStartTogetherMakeOneFirstUse() {
    try (ExecutorService nodes = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 8; i++) {
        StoreHistory node = i % 2 == 0 ? one : other;
        nodes.execute(() -> node.prepare(store, told::add));
      }
    }
    assertThat(told).hasSize(8).containsOnlyOnce(true);
    assertThat(told.getFirst()).isTrue();
  }
}
