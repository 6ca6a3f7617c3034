package dev.weir.notifications.sender;

import dev.weir.StoreException;
import dev.weir.TaskLog;
import dev.weir.internal.PeriodicTask;
import dev.weir.notifications.messages.MessageLog;
import dev.weir.notifications.messages.MessageState;
import dev.weir.notifications.provider.Receipts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records delivery receipts. A receipt can come before the delivery itself is recorded; it is then
 * kept for a while and tried again. Thread-safe.
 */
public final class RecordedReceipts implements Receipts, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RecordedReceipts.class);
  private static final int MAX_EARLY = 10_000;
  private static final int MAX_TRIES = 60;
  private static final Duration EVERY = Duration.ofSeconds(1);

  private final MessageLog messages;
  private final Queue<Early> early = new ArrayBlockingQueue<>(MAX_EARLY);
  private final PeriodicTask retrying;

  /** A receipt for a message that is not known yet. */
  private record Early(
      String provider, String providerId, MessageState state, Instant at, int tries) {
    Early triedAgain() {
      return new Early(provider, providerId, state, at, tries + 1);
    }
  }

  public RecordedReceipts(MessageLog messages) {
    this(messages, EVERY);
  }

  RecordedReceipts(MessageLog messages, Duration every) {
    this.messages = messages;
    this.retrying =
        new PeriodicTask(
            "receipts", this::retry, every, new TaskLog(log::info, log::warn, log::error));
  }

  @Override
  public boolean receive(String provider, String providerId, MessageState state, Instant at) {
    if (!ProviderIds.isStored(providerId)) {
      // A repetition would have the same id. It may contain anything, so it is not logged.
      log.warn("A receipt of provider {} has an id that no message can have", provider);
      return true;
    }
    try {
      return messages.receipt(provider, providerId, state, at)
          || early.offer(new Early(provider, providerId, state, at, 1));
    } catch (StoreException e) {
      return false;
    }
  }

  private void retry() {
    List<Early> again = new ArrayList<>();
    try {
      for (Early one = early.poll(); one != null; one = early.poll()) {
        again.add(one.triedAgain());
        if (messages.receipt(one.provider(), one.providerId(), one.state(), one.at())) {
          again.removeLast();
        } else if (one.tries() >= MAX_TRIES) {
          again.removeLast();
          log.warn("No message has the id {} of provider {}", one.providerId(), one.provider());
        }
      }
    } finally {
      again.forEach(early::offer);
    }
  }

  @Override
  public void close() {
    retrying.close();
  }
}
