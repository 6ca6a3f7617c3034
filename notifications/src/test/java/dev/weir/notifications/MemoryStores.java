package dev.weir.notifications;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.limits.Decision;
import dev.weir.limits.Limit;
import dev.weir.limits.Usage;
import dev.weir.notifications.messages.DeferredMessages;
import dev.weir.notifications.messages.DeliveryGuarantee;
import dev.weir.notifications.messages.HandOver;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.MessageLog;
import dev.weir.notifications.messages.MessageQuery;
import dev.weir.notifications.messages.MessageRecord;
import dev.weir.notifications.messages.MessageState;
import dev.weir.notifications.messages.SendLedger;
import dev.weir.notifications.messages.SendRequest;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.notifications.messages.UserLimits;
import dev.weir.notifications.messages.UserState;
import dev.weir.slots.planning.internal.OpenTimes;
import dev.weir.store.tck.SettableClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** All stores of messages in memory, as plainly as possible, with a clock that tests set. */
public final class MemoryStores implements UserLimits, SendLedger, MessageLog, DeferredMessages {
  public static final Instant START = Instant.parse("2026-03-01T12:00:00Z");

  public final SettableClock clock = new SettableClock(START);

  private final MemoryUsers users = new MemoryUsers(clock);
  private final Set<Long> locked = new HashSet<>();
  private final Map<UUID, MemoryMessage> rows = new LinkedHashMap<>();
  private final MemoryOutbox outbox = new MemoryOutbox(clock);
  private boolean isDown;
  private Optional<Runnable> onLostAnswer = Optional.empty();
  private int places;
  private int failedCalls;
  private int asked;

  /** Lets every call fail, or no longer. */
  public synchronized void setDown(boolean down) {
    isDown = down;
  }

  /**
   * Lets the answer to the next hand-over be lost, although it is recorded.
   *
   * @param meanwhile is done before the caller can try it again
   */
  public synchronized void loseAnswer(Runnable meanwhile) {
    onLostAnswer = Optional.of(meanwhile);
  }

  /** Waits until a call has failed because the stores are down. */
  public synchronized void awaitFailedCall() {
    if (!await(() -> failedCalls > 0, Duration.ofMinutes(2))) {
      throw new AssertionError("the stores were not called");
    }
  }

  /** Waits until the sender has asked for this number of messages; returns false if it does not. */
  public synchronized boolean awaitAsked(int messages, Duration max) {
    return await(() -> asked >= messages, max);
  }

  /** Waits until a message has a state. */
  public synchronized void awaitState(UUID message, MessageState state) {
    if (!await(() -> rows.get(message).state == state, Duration.ofMinutes(2))) {
      throw new AssertionError(message + " is " + rows.get(message).state + ", not " + state);
    }
  }

  private boolean await(BooleanSupplier condition, Duration max) {
    long deadline = System.nanoTime() + max.toNanos();
    while (!condition.getAsBoolean()) {
      long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (millis <= 0) {
        return false;
      }
      try {
        wait(millis);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
    return true;
  }

  /** Returns how many requests were decided here. */
  public synchronized int places() {
    return places;
  }

  public synchronized Set<UUID> outbox() {
    return outbox.messages();
  }

  /** Returns the messages that are counted, deferred ones excluded. */
  public synchronized Set<UUID> counted() {
    Set<UUID> counted = new HashSet<>();
    for (MemoryMessage row : rows.values()) {
      if (row.state != MessageState.DEFERRED
          && row.state != MessageState.CANCELLED
          && !row.isUnpublishable) {
        counted.add(row.message.id());
      }
    }
    return counted;
  }

  public synchronized MessageState state(UUID message) {
    return rows.get(message).state;
  }

  /** Adds messages that a test publishes without the send path, so that deliveries are recorded. */
  public synchronized void addPublished(List<Message> messages) {
    for (Message message : messages) {
      rows.put(
          message.id(),
          new MemoryMessage(message, Optional.empty(), MessageState.ACCEPTED, clock.instant()));
    }
  }

  @Override
  public synchronized UserState configure(UserLimit limit) {
    requireUp();
    return users.configure(limit);
  }

  @Override
  public synchronized Optional<UserState> find(long userId) {
    requireUp();
    return Optional.ofNullable(users.get(userId)).map(users::atPresent);
  }

  @Override
  public synchronized List<UserState> list(long afterUserId, int max) {
    requireUp();
    return users.list(afterUserId, max);
  }

  @Override
  public synchronized List<SendResult.Placing> place(List<SendRequest> requests) {
    requireUp();
    places += requests.size();
    return requests.stream().map(this::place).toList();
  }

  /** Makes requests of a user busy, as another transaction does that holds its row. */
  public synchronized void lock(long userId) {
    locked.add(userId);
  }

  public synchronized void unlock(long userId) {
    locked.remove(userId);
  }

  private SendResult.Placing place(SendRequest request) {
    if (locked.contains(request.message().userId())) {
      return new SendResult.Busy(request.message().userId());
    }
    UserState user = users.get(request.message().userId());
    if (user == null) {
      return new SendResult.UnknownUser(request.message().userId());
    }
    Optional<MemoryMessage> earlier = earlier(request);
    if (earlier.isPresent()) {
      return repeated(request, earlier.get());
    }
    long opens = OpenTimes.at(user.limit().openHours(), nowMicros()).fromMicros();
    if (opens > nowMicros()) {
      return new SendResult.Closed(users.atPresent(user), opens);
    }
    return take(
        new MemoryMessage(request.message(), request.idempotencyKey(), null, clock.instant()));
  }

  private SendResult.Counted take(MemoryMessage row) {
    UserState user = users.get(row.message.userId());
    Limit limit = user.limit().limit();
    long cost = user.limit().cost(row.message.parts());
    if (cost > limit.maxCost()) {
      return new SendResult.TooExpensive(users.atPresent(user), cost);
    }
    Limit.Step step = limit.decide(user.usage(), cost, nowMicros());
    return switch (step.decision()) {
      case Decision.Refused refused -> new SendResult.Limited(users.atPresent(user), refused);
      case Decision.Allowed allowed -> {
        UserState next = users.changed(user, step.next());
        row.state = MessageState.ACCEPTED;
        row.cost = cost;
        row.takenAtMicros = nowMicros();
        rows.put(row.message.id(), row);
        outbox.add(row.message.id());
        yield new SendResult.Accepted(row.message, next, allowed);
      }
    };
  }

  private Optional<MemoryMessage> earlier(SendRequest request) {
    return rows.values().stream()
        .filter(row -> row.message.userId() == request.message().userId())
        .filter(row -> row.key.isPresent() && row.key.equals(request.idempotencyKey()))
        .findFirst();
  }

  private SendResult.Known repeated(SendRequest request, MemoryMessage row) {
    UserState user = users.atPresent(users.get(row.message.userId()));
    if (!row.message.text().equals(request.message().text())) {
      return new SendResult.KeyReused();
    }
    if (row.state == MessageState.DEFERRED || row.state == MessageState.CANCELLED) {
      return new SendResult.Deferred(row.record(), user);
    }
    if (row.state == MessageState.FAILED) {
      return new SendResult.Failed(row.record(), user);
    }
    boolean isPublished = !outbox.share(row.message.id());
    return new SendResult.Repeated(row.message, isPublished, user);
  }

  @Override
  public synchronized void published(List<UUID> messages) {
    requireUp();
    messages.forEach(outbox::remove);
  }

  @Override
  public synchronized List<Withdrawn> withdraw(List<UUID> messages) {
    requireUp();
    List<Withdrawn> withdrawn = new ArrayList<>();
    for (UUID id : messages) {
      if (outbox.withdraw(id)) {
        withdrawn.add(giveBack(rows.remove(id)));
      }
    }
    return withdrawn;
  }

  private Withdrawn giveBack(MemoryMessage row) {
    UserState user = users.get(row.message.userId());
    Usage usage =
        user.limit().limit().refund(user.usage(), row.cost, row.takenAtMicros, nowMicros());
    return new Withdrawn(row.message.id(), users.changed(user, usage));
  }

  @Override
  public synchronized List<Withdrawn> fail(List<Unpublishable> messages) {
    requireUp();
    List<Withdrawn> failed = new ArrayList<>();
    for (Unpublishable each : messages) {
      MemoryMessage row = rows.get(each.message());
      if (outbox.remove(each.message()) && row.state == MessageState.ACCEPTED) {
        row.state = MessageState.FAILED;
        row.reason = Optional.of(each.reason());
        row.key = Optional.empty();
        row.isUnpublishable = true;
        failed.add(giveBack(row));
      }
    }
    return failed;
  }

  @Override
  public synchronized List<Claimed> claimUnpublished(Duration minAge, Duration claim, int max) {
    requireUp();
    return outbox.claim(minAge, claim, max).stream()
        .map(rows::get)
        .map(row -> new Claimed(row.message, row.cost))
        .toList();
  }

  @Override
  public synchronized Optional<MessageRecord> find(UUID message) {
    requireUp();
    return Optional.ofNullable(rows.get(message)).map(MemoryMessage::record);
  }

  @Override
  public MessageQuery.Page list(MessageQuery query) {
    throw new UnsupportedOperationException("nothing that is tested with it lists messages");
  }

  @Override
  public synchronized Set<UUID> finished(List<UUID> messages) {
    requireUp();
    asked += messages.size();
    notifyAll();
    Set<UUID> finished = new HashSet<>();
    for (UUID id : messages) {
      MemoryMessage row = rows.get(id);
      if (row != null && row.state.isFinished()) {
        finished.add(id);
      }
    }
    return finished;
  }

  @Override
  public synchronized List<HandOver> handOver(
      List<Attempt> attempts, String provider, DeliveryGuarantee guarantee) {
    requireUp();
    asked += attempts.size();
    notifyAll();
    List<HandOver> results =
        attempts.stream().map(attempt -> handOver(attempt, guarantee)).toList();
    if (onLostAnswer.isPresent()) {
      Runnable meanwhile = onLostAnswer.get();
      onLostAnswer = Optional.empty();
      meanwhile.run();
      throw new StoreException(StoreException.Outcome.UNKNOWN, "the answer was lost");
    }
    return results;
  }

  private HandOver handOver(Attempt attempt, DeliveryGuarantee guarantee) {
    MemoryMessage row = rows.get(attempt.message());
    return row == null
        ? new HandOver.Unlogged()
        : row.handOver(attempt, guarantee, clock.instant());
  }

  @Override
  public synchronized void notTaken(List<Attempt> attempts) {
    requireUp();
    for (Attempt attempt : attempts) {
      MemoryMessage row = rows.get(attempt.message());
      if (row != null) {
        row.notTaken(attempt);
      }
    }
  }

  @Override
  public synchronized void record(List<Delivery> deliveries) {
    requireUp();
    for (Delivery delivery : deliveries) {
      MemoryMessage row = rows.get(delivery.message());
      if (row != null && row.record(delivery)) {
        notifyAll();
      }
    }
  }

  @Override
  public synchronized boolean receipt(
      String provider, String providerId, MessageState state, Instant at) {
    requireUp();
    for (MemoryMessage row : rows.values()) {
      if (row.provider.equals(Optional.of(provider))
          && row.providerId.equals(Optional.of(providerId))) {
        ReceiptResult unused =
            receipt(
                new Delivery(row.message.id(), state, at, provider, List.of(), Optional.empty()));
        return true;
      }
    }
    return false;
  }

  @Override
  public synchronized ReceiptResult receipt(Delivery receipt) {
    requireUp();
    MemoryMessage row = rows.get(receipt.message());
    return row == null ? ReceiptResult.UNKNOWN : row.receipt(receipt.state(), clock.instant());
  }

  @Override
  public synchronized Set<UUID> reopen(List<UUID> messages, Instant failedBy) {
    requireUp();
    Set<UUID> reopened = new HashSet<>();
    for (UUID id : messages) {
      MemoryMessage row = rows.get(id);
      if (row != null && !row.changedAt.isAfter(failedBy) && row.reopen()) {
        reopened.add(id);
      }
    }
    return reopened;
  }

  @Override
  public synchronized boolean reopen(Attempt failed) {
    requireUp();
    MemoryMessage row = rows.get(failed.message());
    return row != null && row.reopen(failed);
  }

  @Override
  public synchronized int removeOlder(Duration retention, int max) {
    throw new UnsupportedOperationException("no test needs it");
  }

  @Override
  public synchronized SendResult.Deferring defer(SendRequest request, Instant dueAt) {
    requireUp();
    UserState user = users.get(request.message().userId());
    if (user == null) {
      return new SendResult.UnknownUser(request.message().userId());
    }
    Optional<MemoryMessage> earlier = earlier(request);
    if (earlier.isPresent()) {
      return repeated(request, earlier.get());
    }
    MemoryMessage row =
        new MemoryMessage(
            request.message(), request.idempotencyKey(), MessageState.DEFERRED, clock.instant());
    row.dueAt = Optional.of(dueAt);
    rows.put(row.message.id(), row);
    return new SendResult.Deferred(row.record(), users.atPresent(user));
  }

  @Override
  public synchronized List<MessageRecord> due(int max) {
    requireUp();
    return rows.values().stream()
        .filter(row -> row.state == MessageState.DEFERRED && isDue(row))
        .limit(max)
        .map(MemoryMessage::record)
        .toList();
  }

  private boolean isDue(MemoryMessage row) {
    return !row.dueAt.orElseThrow().isAfter(clock.instant());
  }

  @Override
  public synchronized List<SendResult.Accepted> release(List<UUID> messages) {
    requireUp();
    List<SendResult.Accepted> released = new ArrayList<>();
    for (UUID id : messages) {
      MemoryMessage row = rows.get(id);
      if (row != null && row.state == MessageState.DEFERRED && isDue(row)) {
        SendResult result = take(row);
        if (result instanceof SendResult.Accepted accepted) {
          released.add(accepted);
        } else if (result instanceof SendResult.Limited limited) {
          long micros = nowMicros() + limited.decision().retryAfterMicros();
          row.dueAt = Optional.of(Micros.instant(micros));
        }
      }
    }
    return released;
  }

  @Override
  public synchronized Cancelled cancel(UUID message) {
    requireUp();
    MemoryMessage row = rows.get(message);
    if (row == null) {
      return Cancelled.UNKNOWN;
    }
    if (row.state == MessageState.DEFERRED) {
      row.state = MessageState.CANCELLED;
    }
    return row.state == MessageState.CANCELLED ? Cancelled.DONE : Cancelled.TOO_LATE;
  }

  private void requireUp() {
    if (isDown) {
      failedCalls++;
      notifyAll();
      throw new StoreException(StoreException.Outcome.NONE, "the store is down");
    }
  }

  private long nowMicros() {
    return Micros.ceil(clock.instant());
  }
}
