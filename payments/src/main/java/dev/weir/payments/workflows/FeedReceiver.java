package dev.weir.payments.workflows;

import dev.weir.StoreException;
import dev.weir.internal.UnicodeText;
import dev.weir.payments.FeedRecord;
import dev.weir.payments.FeedStatus;
import dev.weir.payments.OtherFeedException;
import dev.weir.payments.PaymentStore;
import dev.weir.payments.ReceptionLostException;
import dev.weir.payments.TooManyRejectsException;
import dev.weir.payments.feed.internal.FeedException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Receives feeds into the store, without Temporal: {@link PaymentReconciler} starts those that were
 * received. Thread-safe.
 */
public final class FeedReceiver {
  public static final int MAX_FEED_ID_LENGTH = 200;

  private final PaymentStore store;
  private final FeedSizes sizes;

  public FeedReceiver(PaymentStore store) {
    this(store, FeedSizes.DEFAULT);
  }

  FeedReceiver(PaymentStore store, FeedSizes sizes) {
    this.store = store;
    this.sizes = sizes;
  }

  /** Returns what is wrong with the id of a feed; empty if nothing is. */
  public static Optional<String> feedIdProblem(String feedId) {
    boolean isUsable =
        !feedId.isBlank()
            && feedId.length() <= MAX_FEED_ID_LENGTH
            && feedId.chars().noneMatch(Character::isISOControl)
            && UnicodeText.isValid(feedId);
    return isUsable
        ? Optional.empty()
        : Optional.of(
            "must have 1 to %d characters, without control characters"
                .formatted(MAX_FEED_ID_LENGTH));
  }

  /**
   * Receives a feed. Nothing is paid before all records are stored, so a feed that breaks off has
   * no effect and may be sent again under its id. A feed that was received earlier is read only to
   * find out whether it is the same.
   *
   * @param feedId 1 to {@link #MAX_FEED_ID_LENGTH} characters
   * @param configName slot configuration of payments that name none
   * @param records the records in the order of their lines; what it throws is thrown
   * @throws dev.weir.payments.ReceptionLostException if the feed is received again meanwhile
   * @throws OtherFeedException if a feed with other records, or for another configuration, was
   *     received under its id
   */
  public Received receive(String feedId, String configName, Iterator<FeedRecord> records) {
    feedIdProblem(feedId)
        .ifPresent(
            problem -> {
              throw new IllegalArgumentException("feedId " + problem);
            });
    FeedDigest digest = new FeedDigest();
    return switch (store.open(feedId, configName)) {
      case PaymentStore.Opening.Known known -> {
        records.forEachRemaining(digest::add);
        if (!digest.value().equals(known.digest())
            || !known.feed().configName().equals(configName)) {
          throw new OtherFeedException(feedId);
        }
        yield new Received(known.feed(), false);
      }
      case PaymentStore.Opening.Opened opened -> {
        PaymentStore.Reception reception = opened.reception();
        try {
          add(reception, configName, records, digest);
          yield new Received(store.complete(reception, digest.value()), true);
        } catch (TooManyRejectsException e) {
          remove(reception, e);
          throw e;
        } catch (UncheckedIOException e) {
          if (e.getCause() instanceof FeedException) {
            remove(reception, e);
          }
          throw e;
        }
      }
    };
  }

  /**
   * Removes a feed that is refused: unlike one that broke off, it is not sent again as it is. If
   * that fails, its records are removed after some time.
   */
  private void remove(PaymentStore.Reception reception, RuntimeException refusal) {
    try {
      store.remove(reception);
    } catch (StoreException | ReceptionLostException e) {
      refusal.addSuppressed(e);
    }
  }

  /** Stores the records, a portion at a time, while those of the next are read. */
  private void add(
      PaymentStore.Reception reception,
      String configName,
      Iterator<FeedRecord> records,
      FeedDigest digest) {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      CompletableFuture<Void> stored = CompletableFuture.completedFuture(null);
      List<FeedRecord> portion = new ArrayList<>(sizes.portion());
      while (records.hasNext()) {
        FeedRecord record = records.next();
        digest.add(record);
        portion.add(withConfig(record, configName));
        if (portion.size() == sizes.portion() || !records.hasNext()) {
          await(stored);
          List<FeedRecord> complete = portion;
          stored = CompletableFuture.runAsync(() -> store.add(reception, complete), threads);
          portion = new ArrayList<>(sizes.portion());
        }
      }
      await(stored);
    }
  }

  private static void await(CompletableFuture<Void> stored) {
    try {
      stored.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException failure ? failure : e;
    }
  }

  /**
   * A feed that was received.
   *
   * @param isNew false if it was received earlier, so that nothing was stored
   */
  public record Received(FeedStatus feed, boolean isNew) {}

  private static FeedRecord withConfig(FeedRecord record, String configName) {
    return switch (record) {
      case FeedRecord.Accepted accepted ->
          new FeedRecord.Accepted(accepted.line(), accepted.payment().orConfig(configName));
      case FeedRecord.Rejected rejected -> rejected;
    };
  }
}
