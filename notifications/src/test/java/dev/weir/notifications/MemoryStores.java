package dev.weir.notifications;

import dev.weir.StoreException;
import dev.weir.engine.notifications.DeferredMessages;
import dev.weir.engine.notifications.DeliveryGuarantee;
import dev.weir.engine.notifications.HandOver;
import dev.weir.engine.notifications.Message;
import dev.weir.engine.notifications.MessageLog;
import dev.weir.engine.notifications.MessageQuery;
import dev.weir.engine.notifications.MessageRecord;
import dev.weir.engine.notifications.MessageState;
import dev.weir.engine.notifications.SendLedger;
import dev.weir.engine.notifications.SendRequest;
import dev.weir.engine.notifications.SendResult;
import dev.weir.engine.notifications.UserLimit;
import dev.weir.engine.notifications.UserLimits;
import dev.weir.engine.notifications.UserState;
import dev.weir.internal.Micros;
import dev.weir.limits.Decision;
import dev.weir.limits.Limit;
import dev.weir.limits.Usage;
import dev.weir.slots.planning.internal.OpenTimes;
import dev.weir.store.tck.SettableClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** All stores of messages in memory, as plainly as possible, with a clock that tests set. */
public final class MemoryStores implements UserLimits, SendLedger, MessageLog, DeferredMessages {
  public static final Instant START = Instant.parse("2026-03-01T12:00:00Z");

  public final SettableClock clock = new SettableClock(START);

  private final Map<Long, UserState> users = new HashMap<>();
  private final Set<Long> locked = new HashSet<>();
  private final Map<UUID, Row> rows = new LinkedHashMap<>();
  private final Map<UUID, Waiting> outbox = new LinkedHashMap<>();
  private boolean isDown;
  private Optional<Runnable> onLostAnswer = Optional.empty();
  private int places;
  private int failedCalls;
  private int asked;

  private static final class Row {
    final Message message;
    final Instant createdAt;
    Optional<String> key;
    MessageState state;
    Instant changedAt;
    Optional<Instant> dueAt = Optional.empty();
    Optional<String> provider = Optional.empty();
    Optional<UUID> attempt = Optional.empty();
    Optional<String> providerId = Optional.empty();
    Optional<String> reason = Optional.empty();
    long cost;
    long takenAtMicros;
    boolean isUnpublishable;
    boolean isReported;

    Row(Message message, Optional<String> key, MessageState state, Instant now) {
      this.message = message;
      this.key = key;
      this.state = state;
      this.createdAt = now;
      this.changedAt = now;
    }

    MessageRecord record() {
      return new MessageRecord(message, state, createdAt, changedAt, dueAt, reason);
    }
  }

  private static final class Waiting {
    final Instant since;
    Instant claimedUntil = Instant.MIN;
    boolean isHandedOutAgain;

    Waiting(Instant since) {
      this.since = since;
    }
  }

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
    return new HashSet<>(outbox.keySet());
  }

  /** Returns the messages that are counted, deferred ones excluded. */
  public synchronized Set<UUID> counted() {
    Set<UUID> counted = new HashSet<>();
    for (Row row : rows.values()) {
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
          message.id(), new Row(message, Optional.empty(), MessageState.ACCEPTED, clock.instant()));
    }
  }

  @Override
  public synchronized UserState configure(UserLimit limit) {
    requireUp();
    UserState known = users.get(limit.userId());
    UserState next =
        new UserState(
            limit,
            known == null ? 1 : known.version() + 1,
            known == null ? 1 : known.revision() + 1,
            Usage.NONE,
            nowMicros(),
            nowMicros());
    users.put(limit.userId(), next);
    return next;
  }

  @Override
  public synchronized Optional<UserState> find(long userId) {
    requireUp();
    return Optional.ofNullable(users.get(userId)).map(this::atPresent);
  }

  @Override
  public synchronized List<UserState> list(long afterUserId, int max) {
    requireUp();
    return users.values().stream()
        .filter(state -> state.limit().userId() > afterUserId)
        .sorted((a, b) -> Long.compare(a.limit().userId(), b.limit().userId()))
        .limit(max)
        .map(this::atPresent)
        .toList();
  }

  @Override
  public synchronized List<SendResult> place(List<SendRequest> requests) {
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

  private SendResult place(SendRequest request) {
    if (locked.contains(request.message().userId())) {
      return new SendResult.Busy(request.message().userId());
    }
    UserState user = users.get(request.message().userId());
    if (user == null) {
      return new SendResult.UnknownUser(request.message().userId());
    }
    Optional<Row> earlier = earlier(request);
    if (earlier.isPresent()) {
      return repeated(request, earlier.get());
    }
    long opens = OpenTimes.at(user.limit().openHours(), nowMicros()).fromMicros();
    if (opens > nowMicros()) {
      return new SendResult.Closed(atPresent(user), opens);
    }
    return take(new Row(request.message(), request.idempotencyKey(), null, clock.instant()));
  }

  private SendResult take(Row row) {
    UserState user = users.get(row.message.userId());
    Limit limit = user.limit().limit();
    long cost = user.limit().cost(row.message.parts());
    if (cost > limit.maxCost()) {
      return new SendResult.TooExpensive(atPresent(user), cost);
    }
    Limit.Step step = limit.decide(user.usage(), cost, nowMicros());
    return switch (step.decision()) {
      case Decision.Refused refused -> new SendResult.Limited(atPresent(user), refused);
      case Decision.Allowed allowed -> {
        UserState next = changed(user, step.next());
        row.state = MessageState.ACCEPTED;
        row.cost = cost;
        row.takenAtMicros = nowMicros();
        rows.put(row.message.id(), row);
        outbox.put(row.message.id(), new Waiting(clock.instant()));
        yield new SendResult.Accepted(row.message, next, allowed);
      }
    };
  }

  private Optional<Row> earlier(SendRequest request) {
    return rows.values().stream()
        .filter(row -> row.message.userId() == request.message().userId())
        .filter(row -> row.key.isPresent() && row.key.equals(request.idempotencyKey()))
        .findFirst();
  }

  private SendResult repeated(SendRequest request, Row row) {
    UserState user = atPresent(users.get(row.message.userId()));
    if (!row.message.text().equals(request.message().text())) {
      return new SendResult.KeyReused();
    }
    if (row.state == MessageState.DEFERRED || row.state == MessageState.CANCELLED) {
      return new SendResult.Deferred(row.record(), user);
    }
    if (row.state == MessageState.FAILED) {
      return new SendResult.Failed(row.record(), user);
    }
    Waiting waiting = outbox.get(row.message.id());
    if (waiting != null) {
      waiting.isHandedOutAgain = true;
    }
    return new SendResult.Repeated(row.message, waiting == null, user);
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
      Waiting waiting = outbox.get(id);
      if (waiting != null && !waiting.isHandedOutAgain) {
        outbox.remove(id);
        withdrawn.add(giveBack(rows.remove(id)));
      }
    }
    return withdrawn;
  }

  private Withdrawn giveBack(Row row) {
    UserState user = users.get(row.message.userId());
    Usage usage =
        user.limit().limit().refund(user.usage(), row.cost, row.takenAtMicros, nowMicros());
    return new Withdrawn(row.message.id(), changed(user, usage));
  }

  @Override
  public synchronized List<Withdrawn> fail(List<Unpublishable> messages) {
    requireUp();
    List<Withdrawn> failed = new ArrayList<>();
    for (Unpublishable each : messages) {
      Row row = rows.get(each.message());
      if (outbox.remove(each.message()) != null && row.state == MessageState.ACCEPTED) {
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
    List<Claimed> claimed = new ArrayList<>();
    Instant now = clock.instant();
    outbox.forEach(
        (id, waiting) -> {
          if (claimed.size() < max
              && !waiting.since.plus(minAge).isAfter(now)
              && !waiting.claimedUntil.isAfter(now)) {
            waiting.claimedUntil = now.plus(claim);
            waiting.isHandedOutAgain = true;
            claimed.add(new Claimed(rows.get(id).message, rows.get(id).cost));
          }
        });
    return claimed;
  }

  @Override
  public synchronized Optional<MessageRecord> find(UUID message) {
    requireUp();
    return Optional.ofNullable(rows.get(message)).map(Row::record);
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
      Row row = rows.get(id);
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
        attempts.stream()
            .map(attempt -> handOver(rows.get(attempt.message()), attempt, guarantee))
            .toList();
    if (onLostAnswer.isPresent()) {
      Runnable meanwhile = onLostAnswer.get();
      onLostAnswer = Optional.empty();
      meanwhile.run();
      throw new StoreException(StoreException.Outcome.UNKNOWN, "the answer was lost");
    }
    return results;
  }

  private HandOver handOver(@Nullable Row row, Attempt attempt, DeliveryGuarantee guarantee) {
    if (row == null) {
      return new HandOver.Unlogged();
    }
    HandOver result =
        switch (row.state) {
          case ACCEPTED -> new HandOver.Begun();
          case UNKNOWN ->
              row.attempt.equals(Optional.of(attempt.id()))
                  ? new HandOver.Begun()
                  : HandOver.again(guarantee, Duration.between(row.changedAt, clock.instant()));
          case SENT, DELIVERED, FAILED, CANCELLED -> new HandOver.Finished();
          case DEFERRED -> new HandOver.Unlogged();
        };
    if (result instanceof HandOver.Begun) {
      row.state = MessageState.UNKNOWN;
      row.attempt = Optional.of(attempt.id());
      row.changedAt = clock.instant();
    }
    return result;
  }

  @Override
  public synchronized void notTaken(List<Attempt> attempts) {
    requireUp();
    for (Attempt attempt : attempts) {
      Row row = rows.get(attempt.message());
      if (row != null
          && row.state == MessageState.UNKNOWN
          && row.attempt.equals(Optional.of(attempt.id()))) {
        row.state = MessageState.ACCEPTED;
        row.attempt = Optional.empty();
      }
    }
  }

  @Override
  public synchronized void record(List<Delivery> deliveries) {
    requireUp();
    for (Delivery delivery : deliveries) {
      Row row = rows.get(delivery.message());
      if (row != null
          && (row.state == MessageState.ACCEPTED
              || row.state == MessageState.UNKNOWN
              || row.state == MessageState.SENT)) {
        row.state = delivery.state();
        row.attempt = delivery.attempt();
        row.changedAt = delivery.at();
        row.provider = Optional.of(delivery.provider());
        row.providerId = delivery.providerIds().stream().findFirst();
        row.reason = delivery.reason();
        notifyAll();
      }
    }
  }

  @Override
  public synchronized boolean receipt(
      String provider, String providerId, MessageState state, Instant at) {
    requireUp();
    for (Row row : rows.values()) {
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
    Row row = rows.get(receipt.message());
    if (row == null) {
      return ReceiptResult.UNKNOWN;
    }
    if (row.state == MessageState.DELIVERED || row.isReported) {
      return row.state == receipt.state() ? ReceiptResult.REPEATED : ReceiptResult.CONTRADICTED;
    }
    if (row.state != receipt.state()) {
      row.changedAt = clock.instant();
      row.attempt = Optional.empty();
    }
    row.state = receipt.state();
    row.isReported = true;
    return ReceiptResult.RECORDED;
  }

  @Override
  public synchronized Set<UUID> reopen(List<UUID> messages, Instant failedBy) {
    requireUp();
    Set<UUID> reopened = new HashSet<>();
    for (UUID id : messages) {
      Row row = rows.get(id);
      if (row != null && !row.changedAt.isAfter(failedBy) && isReopened(row)) {
        reopened.add(id);
      }
    }
    return reopened;
  }

  @Override
  public synchronized boolean reopen(Attempt failed) {
    requireUp();
    Row row = rows.get(failed.message());
    return row != null && row.attempt.equals(Optional.of(failed.id())) && isReopened(row);
  }

  private static boolean isReopened(Row row) {
    if ((row.state != MessageState.FAILED && row.state != MessageState.UNKNOWN)
        || row.isUnpublishable) {
      return false;
    }
    row.state = MessageState.ACCEPTED;
    row.attempt = Optional.empty();
    row.isReported = false;
    return true;
  }

  @Override
  public synchronized int removeOlder(Duration retention, int max) {
    throw new UnsupportedOperationException("no test needs it");
  }

  @Override
  public synchronized SendResult defer(SendRequest request, Instant dueAt) {
    requireUp();
    UserState user = users.get(request.message().userId());
    if (user == null) {
      return new SendResult.UnknownUser(request.message().userId());
    }
    Optional<Row> earlier = earlier(request);
    if (earlier.isPresent()) {
      return repeated(request, earlier.get());
    }
    Row row =
        new Row(
            request.message(), request.idempotencyKey(), MessageState.DEFERRED, clock.instant());
    row.dueAt = Optional.of(dueAt);
    rows.put(row.message.id(), row);
    return new SendResult.Deferred(row.record(), atPresent(user));
  }

  @Override
  public synchronized List<MessageRecord> due(int max) {
    requireUp();
    return rows.values().stream()
        .filter(row -> row.state == MessageState.DEFERRED && isDue(row))
        .limit(max)
        .map(Row::record)
        .toList();
  }

  private boolean isDue(Row row) {
    return !row.dueAt.orElseThrow().isAfter(clock.instant());
  }

  @Override
  public synchronized List<SendResult.Accepted> release(List<UUID> messages) {
    requireUp();
    List<SendResult.Accepted> released = new ArrayList<>();
    for (UUID id : messages) {
      Row row = rows.get(id);
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
    Row row = rows.get(message);
    if (row == null) {
      return Cancelled.UNKNOWN;
    }
    if (row.state == MessageState.DEFERRED) {
      row.state = MessageState.CANCELLED;
    }
    return row.state == MessageState.CANCELLED ? Cancelled.DONE : Cancelled.TOO_LATE;
  }

  private UserState changed(UserState user, Usage usage) {
    UserState next =
        new UserState(
            user.limit(),
            user.version(),
            user.revision() + 1,
            usage,
            nowMicros(),
            usage.atMicros());
    users.put(user.limit().userId(), next);
    return next;
  }

  private UserState atPresent(UserState state) {
    return new UserState(
        state.limit(),
        state.version(),
        state.revision(),
        state.usage(),
        nowMicros(),
        state.refreshedAtMicros());
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
