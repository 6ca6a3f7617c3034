package dev.weir.notifications.sender;

import dev.weir.StoreException;
import dev.weir.internal.Batcher;
import dev.weir.notifications.kafka.KafkaUnavailableException;
import dev.weir.notifications.kafka.MessageRecords;
import dev.weir.notifications.messages.DeliveryGuarantee;
import dev.weir.notifications.messages.HandOver;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.MessageLog;
import dev.weir.notifications.messages.MessageState;
import dev.weir.notifications.provider.ProviderResult;
import dev.weir.notifications.provider.SmsProvider;
import dev.weir.notifications.sender.DeadLetters.Tried;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings one message to its end: dropped because it was delivered before, taken by the provider,
 * unknown, or among the dead letters; and recorded. That it is handed over is recorded before it
 * is. Steps that fail because of a store or the broker are repeated until they succeed or the
 * partition is revoked. Thread-safe.
 */
final class MessageDelivery {
  private static final Logger log = LoggerFactory.getLogger(MessageDelivery.class);
  private static final int MAX_BATCH = 500;
  private static final int MAX_WAITING = 100_000;
  private static final Duration STORE_PAUSE = Duration.ofSeconds(1);
  private static final String NOT_RECORDED =
      "it was handed over before, and no answer was recorded";

  private final SmsProvider provider;
  private final ProviderGate gate;
  private final MessageLog messages;
  private final DeadLetters deadLetters;
  private final RetryPolicy retries;
  private final InstantSource clock;
  private final SenderObserver observer;
  private final DeliveryGuarantee guarantee;
  private final FailingUsers failingUsers;
  private final Batcher<UUID, Boolean> finished;
  private final Batcher<MessageLog.Attempt, HandOver> handOvers;
  private final Batcher<MessageLog.Attempt, Boolean> notTaken;

  /** True while a step is repeated, so that an outage is logged once. */
  private final AtomicBoolean isHeldUp = new AtomicBoolean();

  private final Batcher<MessageLog.Delivery, Boolean> recording;

  /** What is done about messages that fail, and about those without an answer. */
  record FailureHandling(
      RetryPolicy retries, DeliveryGuarantee guarantee, FailingUsers failingUsers) {}

  MessageDelivery(
      SmsProvider provider,
      ProviderGate gate,
      MessageLog messages,
      DeadLetters deadLetters,
      FailureHandling failures,
      InstantSource clock,
      SenderObserver observer) {
    this.provider = provider;
    this.gate = gate;
    this.messages = messages;
    this.deadLetters = deadLetters;
    this.retries = failures.retries();
    this.guarantee = failures.guarantee();
    this.failingUsers = failures.failingUsers();
    this.clock = clock;
    this.observer = observer;
    this.finished = new Batcher<>(this::finished, MAX_BATCH, MAX_WAITING);
    this.handOvers =
        new Batcher<>(
            attempts -> messages.handOver(attempts, provider.name(), guarantee),
            MAX_BATCH,
            MAX_WAITING);
    this.notTaken = new Batcher<>(this::notTaken, MAX_BATCH, MAX_WAITING);
    this.recording = new Batcher<>(this::recorded, MAX_BATCH, MAX_WAITING);
  }

  /** Returns true if the record is done; false if its partition was revoked before. */
  boolean deliver(OutboundRecord outbound) {
    return switch (outbound.content()) {
      case MessageRecords.NoMessage none ->
          park(outbound, "the record is no message: " + none.reason(), Tried.NOT, clock.instant());
      case MessageRecords.Content content -> deliver(outbound, content.message());
    };
  }

  private boolean deliver(OutboundRecord outbound, Message message) {
    Optional<OutboundRecord.Failure> failure = outbound.failureToRepeat();
    if (failure.isPresent()) {
      Optional<Boolean> reopened =
          persist(outbound.assignment(), () -> reopen(message, failure.get()));
      if (reopened.isEmpty()) {
        return false;
      }
    }
    return attempt(outbound, message);
  }

  /**
   * Lets a failure be repeated. A copy of the letter that is read after that, or after a later
   * failure, must not; only letters of earlier versions have no more than a time for it.
   */
  private boolean reopen(Message message, OutboundRecord.Failure failure) {
    return failure
        .attempt()
        .map(id -> messages.reopen(new MessageLog.Attempt(message.id(), id)))
        .orElseGet(() -> !messages.reopen(List.of(message.id()), failure.at()).isEmpty());
  }

  /** What became of an attempt: the record is done or not, or there is another attempt. */
  private enum Next {
    DONE,
    REVOKED,
    AGAIN;

    static Next of(boolean isDone) {
      return isDone ? DONE : REVOKED;
    }
  }

  private boolean attempt(OutboundRecord outbound, Message message) {
    Attempts attempts = new Attempts(message);
    Next next = Next.AGAIN;
    while (next == Next.AGAIN) {
      Optional<ProviderGate.Pass> pass =
          gate.enter(outbound.assignment(), message.userId(), message.parts());
      next = pass.isPresent() ? attempt(outbound, message, attempts, pass.get()) : Next.REVOKED;
    }
    return next == Next.DONE;
  }

  /** The attempts with one message. */
  private static final class Attempts {
    int count;
    int unknown;

    /** When the present one was recorded, or shortly before. */
    long begunNanos;

    /** The present one, in the log. */
    MessageLog.Attempt logged;

    /** The next one completes a hand-over of which parts were taken, and is the same in the log. */
    boolean isPartlyTaken;

    Attempts(Message message) {
      this.logged = MessageLog.Attempt.of(message.id());
    }

    Tried tried() {
      return new Tried(count, Optional.of(logged.id()));
    }
  }

  /** Makes one attempt, and leaves the gate. */
  private Next attempt(
      OutboundRecord outbound, Message message, Attempts attempts, ProviderGate.Pass pass) {
    Optional<HandOver> handOver;
    Optional<ProviderResult> result = Optional.empty();
    try {
      if (!attempts.isPartlyTaken) {
        attempts.logged = MessageLog.Attempt.of(message.id());
      }
      handOver = begin(outbound.assignment(), attempts);
      if (handOver.isPresent() && mayBeHandedOver(handOver.get())) {
        result = Optional.of(handOver(message, attempts));
      }
    } finally {
      gate.leave(pass);
    }
    if (result.isPresent()) {
      attempts.count++;
      observer.attempted(message, result.get());
      return next(outbound, message, attempts, pass, result.get());
    }
    return handOver.map(earlier -> nextAfter(earlier, outbound, message)).orElse(Next.REVOKED);
  }

  private static boolean mayBeHandedOver(HandOver handOver) {
    return switch (handOver) {
      // What the log does not know cannot be recorded: it is handed over at least once.
      case HandOver.Begun begun -> true;
      case HandOver.Unlogged unlogged -> true;
      case HandOver.Finished finished -> false;
      case HandOver.InDoubt doubt -> false;
    };
  }

  /**
   * Records that a message is about to be handed over. If the answer to that was lost and it was
   * recorded all the same, the log knows it by its id; another sender may have been faster.
   */
  private Optional<HandOver> begin(Assignment assignment, Attempts attempts) {
    return persist(
        assignment,
        () -> {
          attempts.begunNanos = System.nanoTime();
          return handOvers.submit(List.of(attempts.logged)).getFirst();
        });
  }

  private Next nextAfter(HandOver earlier, OutboundRecord outbound, Message message) {
    return switch (earlier) {
      case HandOver.Finished finished -> {
        observer.dropped(message);
        yield Next.DONE;
      }
      case HandOver.InDoubt doubt ->
          switch (guarantee) {
            case DeliveryGuarantee.AtMostOnce never ->
                Next.of(endUnknown(outbound, message, NOT_RECORDED));
            case DeliveryGuarantee.AtLeastOnce repeated ->
                pause(outbound, wait(repeated.repeatAfter().minus(doubt.age())));
          };
      case HandOver.Begun begun -> Next.AGAIN;
      case HandOver.Unlogged unlogged -> Next.AGAIN;
    };
  }

  private Next next(
      OutboundRecord outbound,
      Message message,
      Attempts attempts,
      ProviderGate.Pass pass,
      ProviderResult result) {
    Assignment assignment = outbound.assignment();
    switch (result) {
      case ProviderResult.Taken taken -> {
        answered(message);
        return Next.of(record(assignment, sent(message, taken)));
      }
      case ProviderResult.Rejected rejected -> {
        answered(message);
        return Next.of(
            fail(outbound, message, MessageState.FAILED, rejected.reason(), attempts.tried()));
      }
      case ProviderResult.Unavailable unavailable -> {
        gate.pause(unavailable.retryAfter());
        return notTaken(assignment, message, attempts) ? Next.AGAIN : Next.REVOKED;
      }
      case ProviderResult.Retry retry -> {
        return notTaken(assignment, message, attempts)
            ? nextAfterFailure(
                outbound, message, attempts, pass, retry.reason(), retry.retryAfter())
            : Next.REVOKED;
      }
      case ProviderResult.Unknown unknown -> {
        attempts.unknown++;
        Tried tried = attempts.tried();
        CompletableFuture<Void> unused =
            unknown.late().thenAccept(late -> answeredLate(outbound, message, late, tried));
        if (guarantee instanceof DeliveryGuarantee.AtMostOnce) {
          gate.failed(pass, unknown.reason(), Duration.ZERO);
          return Next.of(endUnknown(outbound, message, unknown.reason()));
        }
        return nextAfterFailure(outbound, message, attempts, pass, unknown.reason(), Duration.ZERO);
      }
    }
  }

  private Next nextAfterFailure(
      OutboundRecord outbound,
      Message message,
      Attempts attempts,
      ProviderGate.Pass pass,
      String reason,
      Duration retryAfter) {
    gate.failed(pass, reason, retryAfter);
    FailingUsers.Failing failing = failingUsers.failed(message.userId());
    if (failing.hasLasted(retries.retryFor()) || attempts.unknown >= retries.maxUnknown()) {
      MessageState end =
          attempts.unknown > 0 || attempts.isPartlyTaken
              ? MessageState.UNKNOWN
              : MessageState.FAILED;
      return Next.of(fail(outbound, message, end, reason, attempts.tried()));
    }
    Duration pause = retries.pause(failing.attempts(), ThreadLocalRandom.current());
    return pause(outbound, pause.compareTo(retryAfter) < 0 ? retryAfter : pause);
  }

  /** An answer may be recorded before the time is over. */
  private static Duration wait(Duration max) {
    return max.compareTo(STORE_PAUSE) < 0 ? max : STORE_PAUSE;
  }

  private static Next pause(OutboundRecord outbound, Duration pause) {
    outbound.putAside();
    return outbound.assignment().pause(pause) ? Next.AGAIN : Next.REVOKED;
  }

  private void answered(Message message) {
    gate.answered();
    failingUsers.answered(message.userId());
  }

  /**
   * Records an answer that came after it was awaited. A message that is delivered at least once is
   * handed over again if it was not taken; any other one is not, so that it has failed.
   */
  private void answeredLate(
      OutboundRecord outbound, Message message, ProviderResult late, Tried tried) {
    observer.attempted(message, late);
    Optional<String> refusal =
        switch (late) {
          case ProviderResult.Taken taken -> Optional.empty();
          case ProviderResult.Rejected rejected -> Optional.of(rejected.reason());
          case ProviderResult.Retry retry -> Optional.of(retry.reason());
          case ProviderResult.Unavailable unavailable -> Optional.of(unavailable.reason());
          case ProviderResult.Unknown unknown -> Optional.empty();
        };
    if (late instanceof ProviderResult.Taken taken) {
      boolean unused = record(outbound.assignment(), sent(message, taken));
    } else if (refusal.isPresent() && guarantee instanceof DeliveryGuarantee.AtMostOnce) {
      boolean unused = fail(outbound, message, MessageState.FAILED, refusal.get(), tried);
    }
  }

  private ProviderResult handOver(Message message, Attempts attempts) {
    try {
      return switch (guarantee) {
        case DeliveryGuarantee.AtMostOnce never -> provider.send(message);
        case DeliveryGuarantee.AtLeastOnce repeated ->
            provider.send(
                message,
                repeated.repeatAfter().minusNanos(System.nanoTime() - attempts.begunNanos));
      };
    } catch (RuntimeException e) {
      log.warn(
          "Provider {} failed with message {}: {}", provider.name(), message.id(), e.toString());
      log.debug("The failure of the provider", e);
      return new ProviderResult.Unknown(e.toString());
    }
  }

  /** Ends a message that may have been sent, and is not handed over again. */
  private boolean endUnknown(OutboundRecord outbound, Message message, String reason) {
    return record(
        outbound.assignment(),
        outcome(message, MessageState.UNKNOWN, clock.instant(), reason, Optional.empty()));
  }

  /** Gives a message up, unless a receipt has come. */
  private boolean fail(
      OutboundRecord outbound, Message message, MessageState end, String reason, Tried tried) {
    Optional<Boolean> isFinished =
        persist(outbound.assignment(), () -> finished.submit(List.of(message.id())).getFirst());
    if (isFinished.isEmpty()) {
      return false;
    }
    if (isFinished.get()) {
      observer.dropped(message);
      return true;
    }
    // The same in both, so that a replay of the letter repeats this failure and no other.
    Instant at = clock.instant();
    if (!park(outbound, reason, tried, at)) {
      return false;
    }
    observer.failed(message);
    return record(outbound.assignment(), outcome(message, end, at, reason, tried.attempt()));
  }

  private MessageLog.Delivery outcome(
      Message message, MessageState state, Instant at, String reason, Optional<UUID> attempt) {
    return new MessageLog.Delivery(
        message.id(), state, at, provider.name(), List.of(), Optional.of(reason), attempt);
  }

  /**
   * Puts a record aside because of an error that would come again.
   *
   * @return as {@link #deliver} does
   */
  boolean abandon(OutboundRecord outbound, Throwable failure) {
    return park(outbound, "internal error: " + failure, Tried.NOT, clock.instant());
  }

  private boolean park(OutboundRecord outbound, String reason, Tried tried, Instant at) {
    Optional<Boolean> parked =
        persist(
            outbound.assignment(),
            () -> {
              deadLetters.add(outbound, reason, tried, provider.name(), at);
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
        taken.providerIds().stream().allMatch(ProviderIds::isStored)
            ? taken.providerIds()
            : List.of(),
        Optional.empty());
  }

  private boolean record(Assignment assignment, MessageLog.Delivery delivery) {
    return persist(assignment, () -> recording.submit(List.of(delivery)).getFirst()).isPresent();
  }

  /**
   * Records that the provider has not taken the message, so that any sender may hand it over. A
   * message of which it has parts stays handed over: another sender would submit them again.
   */
  private boolean notTaken(Assignment assignment, Message message, Attempts attempts) {
    attempts.isPartlyTaken = provider.hasPartOf(message.id());
    if (attempts.isPartlyTaken) {
      return true;
    }
    return persist(assignment, () -> notTaken.submit(List.of(attempts.logged)).getFirst())
        .isPresent();
  }

  private List<Boolean> notTaken(List<MessageLog.Attempt> attempts) {
    messages.notTaken(attempts);
    return attempts.stream().map(attempt -> true).toList();
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
  private <T> Optional<T> persist(Assignment assignment, Supplier<T> step) {
    do {
      try {
        T result = step.get();
        if (isHeldUp.compareAndSet(true, false)) {
          log.info("Messages are delivered again");
        }
        return Optional.of(result);
      } catch (StoreException | KafkaUnavailableException e) {
        if (isHeldUp.compareAndSet(false, true)) {
          log.warn("Messages wait until this step succeeds: {}", e.getMessage());
        }
      }
    } while (assignment.pause(STORE_PAUSE));
    return Optional.empty();
  }
}
