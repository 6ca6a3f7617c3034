package dev.weir.notifications.analytics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.store.tck.internal.Await;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An OpenSearch that is killed while events come in, and started again with its data.
 *
 * <p>Only {@code ./weir faults} runs it, because a start takes longer than all claims on the
 * indexer. In the gate, {@link IndexerClaims} has an OpenSearch that cannot be reached for a while
 * and whose answers are lost.
 */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class KilledOpenSearchIT {
  private final OpenSearch search = TestSearch.client();
  private final EventScene scene = new EventScene();

  @BeforeEach
  void clear() {
    TestSearch.clear(search);
  }

  @AfterEach
  void close() {
    scene.close();
    search.close();
  }

  @Test
  void killedAndRestartedOpenSearchLosesNothing() throws Exception {
    List<NotificationEvent> events = EventScene.events(900);
    CountingObserver observer = new CountingObserver();
    Indexer indexer = scene.start(search, observer);
    scene.publish(events.subList(0, 300));
    observer.awaitHandled(300);
    try {
      TestSearch.node().kill();
      scene.publish(events.subList(300, 600));
      IndexerClaims.awaitDown(indexer);
    } finally {
      TestSearch.node().restart();
    }
    scene.publish(events.subList(600, 900));
    observer.awaitHandled(900);
    // It says so a little after it has counted the last events.
    Await.until(() -> !indexer.isDown());
    assertThat(observer.rejected).isZero();
    assertThat(TestSearch.documents(search).keySet()).isEqualTo(IndexerClaims.ids(events));
  }
}
