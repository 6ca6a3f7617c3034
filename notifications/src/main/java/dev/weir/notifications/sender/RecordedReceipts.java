package dev.weir.notifications.sender;

import dev.weir.StoreException;
import dev.weir.TaskLog;
import dev.weir.internal.PeriodicTask;
import dev.weir.notifications.messages.MessageLog;
import dev.weir.notifications.messages.MessageState;
import dev.weir.notifications.provider.Receipts;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.LinkedBlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records delivery receipts. A receipt can come before the delivery itself is recorded; it is then
 * kept and tried again, with growing pauses, for longer than the answer to a submission may be
 * late. If too many are kept, the provider has to repeat the others. Thread-safe.
 */
public final class RecordedReceipts implements Receipts, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RecordedReceipts.class);
  private static final int MAX_EARLY = 10_000;

  /** By SMPP, a late answer is awaited for ten minutes. */
  private static final long MAX_SECONDS = 660;

  private static final long MAX_PAUSE_SECONDS = 30;
  private static final Duration EVERY = Duration.ofSeconds(1);

  private final MessageLog messages;
  private final Queue<Early> early = new LinkedBlockingQueue<>(MAX_EARLY);
  private final PeriodicTask retrying;

  /** The time, in seconds; written by {@link #retry} only. */
  private volatile long second;

  /** A receipt for a message that is not known yet. What changes belongs to {@link #retry}. */
  private static final class Early {
    final String provider;
    final String providerId;
    final MessageState state;
    final Instant at;
    final long since;
    long pause = 1;
    long next;

    Early(String provider, String providerId, MessageState state, Instant at, long since) {
      this.provider = provider;
      this.providerId = providerId;
      this.state = state;
      this.at = at;
      this.since = since;
      this.next = since + pause;
    }

    void pause(long now) {
      pause = Math.min(2 * pause, MAX_PAUSE_SECONDS);
      next = now + pause;
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
          || early.offer(new Early(provider, providerId, state, at, second));
    } catch (StoreException e) {
      return false;
    }
  }

  /** Tries those again whose pause is over; is called each second. */
  void retry() {
    long now = second + 1;
    second = now;
    for (Iterator<Early> all = early.iterator(); all.hasNext(); ) {
      Early one = all.next();
      if (one.next > now) {
        continue;
      }
      if (messages.receipt(one.provider, one.providerId, one.state, one.at)) {
        all.remove();
      } else if (now - one.since >= MAX_SECONDS) {
        all.remove();
        log.warn("No message has the id {} of provider {}", one.providerId, one.provider);
      } else {
        one.pause(now);
      }
    }
  }

  @Override
  public void close() {
    retrying.close();
  }
}
