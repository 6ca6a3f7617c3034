package dev.weir.notifications.kit;

import dev.weir.internal.Micros;
import dev.weir.notifications.messages.DeferredMessages;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.MessageRecord;
import dev.weir.notifications.messages.MessageState;
import dev.weir.notifications.messages.SendLedger;
import dev.weir.notifications.messages.SendRequest;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.notifications.messages.UserLimits;
import dev.weir.notifications.messages.UserState;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The model of a store of messages: every step searches all messages, one caller at a time. It is
 * what claims compare a store with.
 */
final class NaiveMessages implements UserLimits, SendLedger, DeferredMessages {
  private final InstantSource clock;
  private final Map<Long, NaiveUser> users = new TreeMap<>();
  private final Map<UUID, NaiveMessage> messages = new LinkedHashMap<>();

  /** Until when no deferred message of a user is due, because there is no place. */
  private final Map<Long, Long> waits = new HashMap<>();

  NaiveMessages(InstantSource clock) {
    this.clock = clock;
  }

  MessageStore asStore() {
    return new MessageStore(this, this, new NaiveLog(this), this);
  }

  long now() {
    return Micros.ceil(clock.instant());
  }

  Optional<NaiveMessage> message(UUID id) {
    return Optional.ofNullable(messages.get(id));
  }

  Stream<NaiveMessage> messages() {
    return List.copyOf(messages.values()).stream();
  }

  void remove(NaiveMessage message) {
    messages.remove(message.message.id());
  }

  @Override
  public synchronized UserState configure(UserLimit limit) {
    @Nullable NaiveUser known = users.get(limit.userId());
    if (known == null) {
      users.put(limit.userId(), new NaiveUser(limit, now()));
    } else {
      known.configure(limit, now());
    }
    wake(limit.userId());
    return find(limit.userId()).orElseThrow();
  }

  /** There may be a place earlier than was known. */
  private void wake(long userId) {
    waits.computeIfPresent(userId, (any, until) -> Math.min(until, now()));
  }

  @Override
  public synchronized Optional<UserState> find(long userId) {
    return Optional.ofNullable(users.get(userId)).map(user -> user.state(now()));
  }

  @Override
  public synchronized List<UserState> list(long afterUserId, int max) {
    if (max < 1 || max > MAX_PAGE) {
      throw new IllegalArgumentException("max must be from 1 to %d".formatted(MAX_PAGE));
    }
    return users.entrySet().stream()
        .filter(user -> user.getKey() > afterUserId)
        .limit(max)
        .map(user -> user.getValue().state(now()))
        .toList();
  }

  @Override
  public synchronized List<SendResult.Placing> place(List<SendRequest> requests) {
    return requests.stream().map(this::place).toList();
  }

  private SendResult.Placing place(SendRequest request) {
    Message message = request.message();
    @Nullable NaiveUser user = users.get(message.userId());
    if (user == null) {
      return new SendResult.UnknownUser(message.userId());
    }
    Optional<NaiveMessage> known = known(request);
    if (known.isPresent()) {
      return repeated(known.get(), request, user.state(now()));
    }
    NaiveUser.Placed placed = user.place(message, now());
    if (placed.result() instanceof SendResult.Accepted accepted) {
      NaiveMessage added =
          new NaiveMessage(message, request.idempotencyKey(), MessageState.ACCEPTED, now());
      added.take(placed.taken().orElseThrow(), accepted);
      added.outbox = Optional.of(new NaiveMessage.Outbox(now(), 0, false));
      messages.put(message.id(), added);
    }
    return placed.result();
  }

  private Optional<NaiveMessage> known(SendRequest request) {
    return messages()
        .filter(
            known ->
                request.idempotencyKey().isPresent()
                    && known.key.equals(request.idempotencyKey())
                    && known.message.userId() == request.message().userId())
        .findFirst()
        .or(() -> message(request.message().id()));
  }

  private static SendResult.Known repeated(
      NaiveMessage known, SendRequest request, UserState state) {
    boolean isSame =
        known.message.userId() == request.message().userId()
            && known.message.text().equals(request.message().text());
    if (!isSame) {
      return new SendResult.KeyReused();
    }
    if (known.state == MessageState.DEFERRED || known.state == MessageState.CANCELLED) {
      return new SendResult.Deferred(known.record(), state);
    }
    if (known.state == MessageState.FAILED) {
      return new SendResult.Failed(known.record(), state);
    }
    known.outbox = known.outbox.map(NaiveMessage.Outbox::shared);
    return new SendResult.Repeated(known.message, known.outbox.isEmpty(), state);
  }

  @Override
  public synchronized void published(List<UUID> ids) {
    ids.forEach(id -> message(id).ifPresent(known -> known.outbox = Optional.empty()));
  }

  @Override
  public synchronized List<Withdrawn> withdraw(List<UUID> ids) {
    List<Message> withdrawn = new ArrayList<>();
    for (UUID id : ids) {
      Optional<NaiveMessage> known =
          message(id).filter(each -> each.outbox.filter(outbox -> !outbox.isShared()).isPresent());
      if (known.isPresent()) {
        owner(known.get()).withdraw(known.get().taken.orElseThrow(), now());
        wake(known.get().message.userId());
        remove(known.get());
        withdrawn.add(known.get().message);
      }
    }
    return withdrawn.stream()
        .map(message -> new Withdrawn(message.id(), find(message.userId()).orElseThrow()))
        .toList();
  }

  @Override
  public synchronized List<Withdrawn> fail(List<Unpublishable> unpublishable) {
    List<Message> failed = new ArrayList<>();
    for (Unpublishable each : unpublishable) {
      Optional<NaiveMessage> known =
          message(each.message()).filter(waiting -> waiting.outbox.isPresent());
      known.ifPresent(waiting -> waiting.outbox = Optional.empty());
      known
          .filter(waiting -> waiting.state == MessageState.ACCEPTED)
          .ifPresent(
              waiting -> {
                owner(waiting).withdraw(waiting.taken.orElseThrow(), now());
                wake(waiting.message.userId());
                waiting.fail(now(), each.reason());
                failed.add(waiting.message);
              });
    }
    return failed.stream()
        .map(message -> new Withdrawn(message.id(), find(message.userId()).orElseThrow()))
        .toList();
  }

  @Override
  public synchronized List<Claimed> claimUnpublished(Duration minAge, Duration claim, int max) {
    record Waiting(NaiveMessage known, NaiveMessage.Outbox outbox) {}
    List<Waiting> claimed =
        messages()
            .flatMap(known -> known.outbox.stream().map(outbox -> new Waiting(known, outbox)))
            .filter(each -> each.outbox().since() <= now() - Micros.floor(minAge))
            .filter(each -> each.outbox().claimedUntil() <= now())
            .sorted(
                Comparator.comparingLong((Waiting each) -> each.outbox().since())
                    .thenComparing(each -> each.known().id()))
            .limit(max)
            .toList();
    for (Waiting each : claimed) {
      each.known().outbox = Optional.of(each.outbox().claimed(now() + Micros.floor(claim)));
    }
    return claimed.stream()
        .map(each -> new Claimed(each.known().message, each.known().taken.orElseThrow().cost))
        .toList();
  }

  @Override
  public synchronized SendResult.Deferring defer(SendRequest request, Instant dueAt) {
    Message message = request.message();
    Optional<UserState> user = find(message.userId());
    if (user.isEmpty()) {
      return new SendResult.UnknownUser(message.userId());
    }
    Optional<NaiveMessage> known = known(request);
    if (known.isPresent()) {
      return repeated(known.get(), request, user.get());
    }
    NaiveMessage deferred =
        new NaiveMessage(message, request.idempotencyKey(), MessageState.DEFERRED, now());
    deferred.dueAt = Optional.of(Micros.clamped(dueAt));
    waits.merge(message.userId(), Micros.clamped(dueAt), Math::min);
    messages.put(message.id(), deferred);
    return new SendResult.Deferred(deferred.record(), user.get());
  }

  @Override
  public synchronized List<MessageRecord> due(int max) {
    Map<NaiveMessage, Long> due = new HashMap<>();
    messages()
        .filter(each -> waits.getOrDefault(each.message.userId(), Micros.EARLIEST) <= now())
        .forEach(each -> each.dueAt.filter(at -> at <= now()).ifPresent(at -> due.put(each, at)));
    return due.entrySet().stream()
        .sorted(
            Map.Entry.<NaiveMessage, Long>comparingByValue()
                .thenComparing(each -> each.getKey().id()))
        .limit(max)
        .map(each -> each.getKey().record())
        .toList();
  }

  @Override
  public synchronized List<SendResult.Accepted> release(List<UUID> ids) {
    List<SendResult.Accepted> released = new ArrayList<>();
    List<NaiveMessage> due =
        ids.stream()
            .distinct()
            .flatMap(id -> message(id).stream())
            .filter(known -> known.dueAt.filter(at -> at <= now()).isPresent())
            .toList();
    due.forEach(known -> waits.remove(known.message.userId()));
    due.forEach(known -> release(known).ifPresent(released::add));
    return released;
  }

  private void waitUntil(NaiveMessage known, long micros) {
    waits.merge(known.message.userId(), Math.min(micros, Micros.LATEST), Math::min);
  }

  private Optional<SendResult.Accepted> release(NaiveMessage known) {
    NaiveUser.Placed placed = owner(known).place(known.message, now());
    switch (placed.result()) {
      case SendResult.Accepted accepted -> {
        known.moveTo(MessageState.ACCEPTED, now(), Optional.empty());
        known.dueAt = Optional.empty();
        known.take(placed.taken().orElseThrow(), accepted);
        known.outbox = Optional.of(new NaiveMessage.Outbox(now(), 0, true));
        return Optional.of(accepted);
      }
      case SendResult.Limited limited ->
          waitUntil(known, now() + limited.decision().retryAfterMicros());
      case SendResult.Closed closed -> waitUntil(known, closed.opensAtMicros());
      case SendResult.TooExpensive tooExpensive -> {
        known.dueAt = Optional.empty();
        known.fail(now(), "costs " + tooExpensive.cost());
      }
    }
    return Optional.empty();
  }

  private NaiveUser owner(NaiveMessage known) {
    return Objects.requireNonNull(users.get(known.message.userId()));
  }

  @Override
  public synchronized Cancelled cancel(UUID id) {
    Optional<NaiveMessage> known = message(id);
    if (known.isEmpty()) {
      return Cancelled.UNKNOWN;
    }
    if (known.get().state == MessageState.DEFERRED) {
      known.get().dueAt = Optional.empty();
      known.get().moveTo(MessageState.CANCELLED, now(), Optional.empty());
    }
    return known.get().state == MessageState.CANCELLED ? Cancelled.DONE : Cancelled.TOO_LATE;
  }
}
