package dev.weir.notifications.sender;

import dev.weir.engine.StoreException;
import dev.weir.engine.internal.Batcher;
import dev.weir.engine.notifications.Message;
import dev.weir.engine.notifications.MessageLog;
import dev.weir.engine.notifications.MessageState;
import dev.weir.notifications.kafka.KafkaUnavailableException;
import dev.weir.notifications.kafka.MessageRecords;
import dev.weir.notifications.provider.ProviderResult;
import dev.weir.notifications.provider.SmsProvider;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings one message to its end: dropped because it was delivered before, taken by the provider, or
 * among the dead letters; and recorded. Steps that fail because of a store or the broker are
 * repeated until they succeed or the partition is revoked. Thread-safe.
 */
final class MessageDelivery {
  private static final Logger log = LoggerFactory.getLogger(MessageDelivery.class);
  private static final int MAX_BATCH = 500;
  private static final int MAX_WAITING = 100_000;
  private static final Duration STORE_PAUSE = Duration.ofSeconds(1);

  private final SmsProvider provider;
  private final ProviderGate gate;
  private final MessageLog messages;
  private final DeadLetters deadLetters;
  private final RetryPolicy retries;
  private final InstantSource clock;
  private final SenderObserver observer;
  private final Batcher<UUID, Boolean> finished;
  private final Batcher<MessageLog.Delivery, Boolean> recording;

  MessageDelivery(
      SmsProvider provider,
      ProviderGate gate,
      MessageLog messages,
      DeadLetters deadLetters,
      RetryPolicy retries,
      InstantSource clock,
      SenderObserver observer) {
    this.provider = provider;
    this.gate = gate;
    this.messages = messages;
    this.deadLetters = deadLetters;
    this.retries = retries;
    this.clock = clock;
    this.observer = observer;
    this.finished = new Batcher<>(this::finished, MAX_BATCH, MAX_WAITING);
    this.recording = new Batcher<>(this::recorded, MAX_BATCH, MAX_WAITING);
  }

  /** Returns true if the record is done; false if its partition was revoked before. */
  boolean deliver(OutboundRecord outbound) {
    return switch (outbound.content()) {
      case MessageRecords.NoMessage none ->
          park(outbound, "the record is no message: " + none.reason(), 0);
      case MessageRecords.Content content -> deliver(outbound, content.message());
    };
  }

  private boolean deliver(OutboundRecord outbound, Message message) {
    return switch (progress(outbound, message)) {
      case OPEN -> attempt(outbound, message);
      case FINISHED -> {
        observer.dropped(message);
        yield true;
      }
      case REVOKED -> false;
    };
  }

  private enum Progress {
    OPEN,
    FINISHED,
    REVOKED
  }

  private Progress progress(OutboundRecord outbound, Message message) {
    return persist(
            outbound.assignment(),
            () -> {
              if (outbound.isReplayed()) {
                messages.reopen(List.of(message.id()));
              }
              return finished.submit(List.of(message.id())).getFirst();
            })
        .map(isFinished -> isFinished ? Progress.FINISHED : Progress.OPEN)
        .orElse(Progress.REVOKED);
  }

  private boolean attempt(OutboundRecord outbound, Message message) {
    Assignment assignment = outbound.assignment();
    int attempts = 0;
    while (gate.enter(assignment, message.parts())) {
      ProviderResult result;
      try {
        result = handOver(message);
      } finally {
        gate.leave();
      }
      observer.attempted(message, result);
      switch (result) {
        case ProviderResult.Taken taken -> {
          // Until this is done, a crash delivers the message twice.
          return record(assignment, sent(message, taken));
        }
        case ProviderResult.Rejected rejected -> {
          return fail(outbound, message, rejected.reason(), attempts + 1);
        }
        case ProviderResult.Unavailable unavailable -> gate.pause(unavailable.retryAfter());
        case ProviderResult.Retry retry -> {
          attempts++;
          if (attempts >= retries.maxAttempts()) {
            return fail(outbound, message, retry.reason(), attempts);
          }
          if (!assignment.pause(retries.pause(attempts, ThreadLocalRandom.current()))) {
            return false;
          }
        }
      }
    }
    return false;
  }

  private ProviderResult handOver(Message message) {
    try {
      return provider.send(message);
    } catch (RuntimeException e) {
      log.warn(
          "Provider {} failed with message {}: {}", provider.name(), message.id(), e.toString());
      log.debug("The failure of the provider", e);
      return new ProviderResult.Retry(e.toString());
    }
  }

  private boolean fail(OutboundRecord outbound, Message message, String reason, int attempts) {
    MessageLog.Delivery failed =
        new MessageLog.Delivery(
            message.id(),
            MessageState.FAILED,
            clock.instant(),
            provider.name(),
            Optional.empty(),
            Optional.of(reason));
    if (!park(outbound, reason, attempts)) {
      return false;
    }
    observer.failed(message);
    return record(outbound.assignment(), failed);
  }

  /**
   * Puts a record aside because of an error that would come again.
   *
   * @return as {@link #deliver} does
   */
  boolean abandon(OutboundRecord outbound, Throwable failure) {
    return park(outbound, "internal error: " + failure, 0);
  }

  private boolean park(OutboundRecord outbound, String reason, int attempts) {
    Optional<Boolean> parked =
        persist(
            outbound.assignment(),
            () -> {
              deadLetters.add(outbound, reason, attempts, provider.name(), clock.instant());
              return true;
            });
    parked.ifPresent(done -> observer.deadLettered(reason));
    return parked.isPresent();
  }

  private MessageLog.Delivery sent(Message message, ProviderResult.Taken taken) {
    return new MessageLog.Delivery(
        message.id(),
        MessageState.SENT,
        clock.instant(),
        provider.name(),
        // One that cannot be stored must not keep the delivery from being recorded.
        taken.providerId().filter(ProviderIds::isStored),
        Optional.empty());
  }

  private boolean record(Assignment assignment, MessageLog.Delivery delivery) {
    return persist(assignment, () -> recording.submit(List.of(delivery)).getFirst()).isPresent();
  }

  private List<Boolean> recorded(List<MessageLog.Delivery> deliveries) {
    messages.record(deliveries);
    return deliveries.stream().map(delivery -> true).toList();
  }

  private List<Boolean> finished(List<UUID> ids) {
    Set<UUID> done = messages.finished(ids);
    return ids.stream().map(done::contains).toList();
  }

  /** Repeats a step until it succeeds; returns empty if the partition is revoked before that. */
  private static <T> Optional<T> persist(Assignment assignment, Supplier<T> step) {
    do {
      try {
        return Optional.of(step.get());
      } catch (StoreException | KafkaUnavailableException e) {
        log.debug("A step of the sender is repeated: {}", e.getMessage());
      }
    } while (assignment.pause(STORE_PAUSE));
    return Optional.empty();
  }
}
