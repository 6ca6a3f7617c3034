package dev.weir.notifications;

import dev.weir.StoreException;
import dev.weir.internal.Batcher;
import dev.weir.notifications.messages.SendLedger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes messages from the outbox: published ones in the background, because no caller needs to
 * wait for that, withdrawn ones while the caller waits. Many messages in one step.
 *
 * <p>A published message whose removal fails or does not fit into the queue stays in the outbox. It
 * is published again later, and the sender drops the second copy by its id. Thread-safe.
 */
public final class Outbox implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Outbox.class);
  private static final int MAX_QUEUE = 100_000;
  private static final int MAX_BATCH = 1_000;

  private static final Duration GATHERING = Duration.ofMillis(20);

  /** Wakes the cleaner when there is nothing to remove any more. */
  private static final UUID CLOSE = new UUID(0, 0);

  private static final Duration MAX_CLOSE = Duration.ofSeconds(5);

  private final SendLedger ledger;
  private final BlockingQueue<UUID> published = new ArrayBlockingQueue<>(MAX_QUEUE);
  private final Batcher<UUID, Optional<SendLedger.Withdrawn>> withdrawing;
  private final Thread cleaner;
  private volatile boolean isClosed;

  /** True while the database fails; used by the cleaner only. */
  private boolean isStoreDown;

  public Outbox(SendLedger ledger) {
    this.ledger = ledger;
    this.withdrawing = new Batcher<>(this::withdrawAll, MAX_BATCH, MAX_QUEUE);
    this.cleaner = Thread.ofPlatform().daemon().name("weir-outbox").start(this::clean);
  }

  /** Removes a published message, some time later. */
  void published(UUID message) {
    var unused = published.offer(message);
  }

  /**
   * Withdraws a message that certainly was not published, and gives its place back.
   *
   * @return empty if another caller may have published it; then it stays
   * @throws StoreException if the database fails; then it stays too, as far as it is known
   */
  Optional<SendLedger.Withdrawn> withdraw(UUID message) {
    return withdrawing.submit(List.of(message)).getFirst();
  }

  private List<Optional<SendLedger.Withdrawn>> withdrawAll(List<UUID> messages) {
    Map<UUID, SendLedger.Withdrawn> byId = new HashMap<>();
    ledger.withdraw(messages).forEach(one -> byId.put(one.message(), one));
    return messages.stream().map(id -> Optional.ofNullable(byId.get(id))).toList();
  }

  private void clean() {
    List<UUID> batch = new ArrayList<>();
    while (!isClosed || !published.isEmpty()) {
      try {
        batch.add(published.take());
        gather();
        published.drainTo(batch, MAX_BATCH - 1);
        // It only wakes this thread.
        batch.remove(CLOSE);
        if (!batch.isEmpty()) {
          ledger.published(batch);
          isStoreDown = false;
        }
      } catch (StoreException e) {
        if (!isStoreDown) {
          isStoreDown = true;
          log.warn(
              "Published messages stay in the outbox until they are published again: {}",
              e.getMessage());
        }
      } catch (RuntimeException | Error e) {
        // If this thread ended, nothing would be removed any more.
        log.error("Published messages could not be removed from the outbox", e);
      } catch (InterruptedException e) {
        return;
      }
      batch.clear();
    }
  }

  /** Lets more messages come, because removing many costs little more than removing one. */
  private void gather() throws InterruptedException {
    if (!isClosed && published.size() < MAX_BATCH) {
      TimeUnit.NANOSECONDS.sleep(GATHERING.toNanos());
    }
  }

  /** Removes what is queued, as far as the database does it in time, and stops. */
  @Override
  public void close() {
    isClosed = true;
    // If there is no room for it, the cleaner is awake.
    var unused = published.offer(CLOSE);
    try {
      if (!cleaner.join(MAX_CLOSE)) {
        cleaner.interrupt();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
