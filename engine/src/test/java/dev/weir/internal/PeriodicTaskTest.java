package dev.weir.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.StoreException;
import dev.weir.TaskLog;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class PeriodicTaskTest {
  private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
  private final TaskLog log =
      new TaskLog(
          heard::add, heard::add, (text, reason) -> heard.add(text + ": " + reason.getMessage()));

  @Test
  void goesOnAfterEveryFailureAndTellsOfAnOutageOnce() throws Exception {
    Iterator<String> turns =
        List.of("", "gone", "gone", "", "gone", "bug", "memory", "").iterator();
    CountDownLatch all = new CountDownLatch(1);
    try (PeriodicTask upkeep =
        new PeriodicTask("work", () -> turn(turns, all), Duration.ofMillis(1), log)) {
      assertThat(upkeep).isNotNull();
      all.await();
    }
    assertThat(heard)
        .containsExactly(
            "The work is paused until the store is back: gone",
            "The work continues",
            "The work is paused until the store is back: gone",
            "The work failed and will be retried: bug",
            "The work failed and will be retried: memory",
            "The work continues");
  }

  private static void turn(Iterator<String> turns, CountDownLatch all) {
    if (!turns.hasNext()) {
      all.countDown();
      return;
    }
    switch (turns.next()) {
      case "gone" -> throw new StoreException(StoreException.Outcome.NONE, "gone");
      case "bug" -> throw new IllegalStateException("bug");
      case "memory" -> throw new OutOfMemoryError("memory");
      default -> {}
    }
  }
}
