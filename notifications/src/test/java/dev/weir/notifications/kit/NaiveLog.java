package dev.weir.notifications.kit;

import dev.weir.internal.Micros;
import dev.weir.notifications.messages.DeliveryGuarantee;
import dev.weir.notifications.messages.HandOver;
import dev.weir.notifications.messages.MessageLog;
import dev.weir.notifications.messages.MessageQuery;
import dev.weir.notifications.messages.MessageQuery.Cursor;
import dev.weir.notifications.messages.MessageRecord;
import dev.weir.notifications.messages.MessageState;
import dev.weir.notifications.messages.MessageStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** The log of the model. */
final class NaiveLog implements MessageLog {
  /** The bits of ids are without a sign, unlike those of {@link UUID#compareTo}. */
  private static final Comparator<Cursor> ORDER =
      Comparator.comparingLong(Cursor::createdAtMicros)
          .thenComparing(
              cursor -> cursor.messageId().getMostSignificantBits(), Long::compareUnsigned)
          .thenComparing(
              cursor -> cursor.messageId().getLeastSignificantBits(), Long::compareUnsigned)
          .reversed();

  private final NaiveMessages model;

  NaiveLog(NaiveMessages model) {
    this.model = model;
  }

  @Override
  public Optional<MessageRecord> find(UUID message) {
    synchronized (model) {
      return model.message(message).map(NaiveMessage::record);
    }
  }

  @Override
  public MessageQuery.Page list(MessageQuery query) {
    synchronized (model) {
      List<MessageStatus> rest =
          model
              .messages()
              .map(known -> known.record().status())
              .filter(known -> query.userId().orElse(known.userId()) == known.userId())
              .filter(known -> query.state().orElse(known.state()) == known.state())
              .filter(known -> !known.createdAt().isBefore(query.from()))
              .filter(known -> known.createdAt().isBefore(query.before()))
              .filter(known -> ORDER.compare(place(known), query.after()) > 0)
              .sorted(Comparator.comparing(NaiveLog::place, ORDER))
              .toList();
      List<MessageStatus> page = rest.subList(0, Math.min(query.max(), rest.size()));
      return new MessageQuery.Page(
          page, page.size() < query.max() ? Optional.empty() : Optional.of(place(page.getLast())));
    }
  }

  private static Cursor place(MessageStatus known) {
    return Cursor.of(known.createdAt(), known.id());
  }

  @Override
  public Set<UUID> finished(List<UUID> ids) {
    Set<UUID> finished = new HashSet<>(ids);
    synchronized (model) {
      finished.removeIf(
          id -> model.message(id).filter(known -> known.state.isFinished()).isEmpty());
    }
    return finished;
  }

  @Override
  public List<HandOver> handOver(
      List<Attempt> attempts, String provider, DeliveryGuarantee guarantee) {
    List<HandOver> results = new ArrayList<>();
    synchronized (model) {
      for (Attempt attempt : attempts) {
        results.add(
            model
                .message(attempt.message())
                .map(known -> handOver(known, attempt, provider, guarantee))
                .orElseGet(HandOver.Unlogged::new));
      }
    }
    return results;
  }

  private HandOver handOver(
      NaiveMessage known, Attempt attempt, String provider, DeliveryGuarantee guarantee) {
    HandOver result =
        switch (known.state) {
          case ACCEPTED -> new HandOver.Begun();
          case UNKNOWN ->
              known.attempt.equals(Optional.of(attempt.id())) && !known.isAttemptEnded
                  ? new HandOver.Begun()
                  : HandOver.again(
                      guarantee, Micros.duration(Math.max(0, model.now() - known.changedAt)));
          case SENT, DELIVERED, FAILED, CANCELLED -> new HandOver.Finished();
          case DEFERRED -> new HandOver.Unlogged();
        };
    if (result instanceof HandOver.Begun) {
      known.moveTo(MessageState.UNKNOWN, model.now(), Optional.empty());
      known.provider = provider;
      known.attempt = Optional.of(attempt.id());
    }
    return result;
  }

  @Override
  public void notTaken(List<Attempt> attempts) {
    synchronized (model) {
      for (Attempt attempt : attempts) {
        model
            .message(attempt.message())
            .filter(known -> known.state == MessageState.UNKNOWN)
            .filter(known -> known.attempt.equals(Optional.of(attempt.id())))
            .filter(known -> !known.isAttemptEnded)
            .ifPresent(known -> known.moveTo(MessageState.ACCEPTED, model.now(), Optional.empty()));
      }
    }
  }

  @Override
  public void record(List<Delivery> deliveries) {
    synchronized (model) {
      deliveries.forEach(
          delivery ->
              model.message(delivery.message()).ifPresent(known -> record(known, delivery)));
    }
  }

  private static void record(NaiveMessage known, Delivery delivery) {
    if (mayMove(known.state, delivery.state())) {
      boolean isUnknown = delivery.state() == MessageState.UNKNOWN;
      Optional<UUID> before = isUnknown ? known.attempt : Optional.empty();
      known.moveTo(delivery.state(), Micros.clamped(delivery.at()), delivery.reason());
      known.attempt = delivery.attempt().or(() -> before);
      known.isAttemptEnded = isUnknown;
      known.provider = delivery.provider();
      if (!delivery.providerIds().isEmpty()
          && (delivery.providerIds().size() == 1 || delivery.state() == MessageState.SENT)) {
        known.providerIds = delivery.providerIds();
        known.partStates.clear();
      }
    }
  }

  private static boolean mayMove(MessageState from, MessageState to) {
    return switch (from) {
      case ACCEPTED, UNKNOWN -> true;
      case SENT -> to == MessageState.DELIVERED || to == MessageState.FAILED;
      case DEFERRED, DELIVERED, FAILED, CANCELLED -> false;
    };
  }

  @Override
  public boolean receipt(String provider, String providerId, MessageState state, Instant at) {
    synchronized (model) {
      Optional<NaiveMessage> newest =
          model
              .messages()
              .filter(known -> known.provider.equals(provider))
              .filter(known -> known.providerIds.contains(providerId))
              .max(Comparator.comparingLong(known -> known.createdAt));
      newest
          .filter(known -> decides(known, known.providerIds.indexOf(providerId), state))
          .ifPresent(
              known -> {
                ReceiptResult unused =
                    report(
                        known,
                        new Delivery(
                            known.message.id(),
                            state,
                            at,
                            provider,
                            List.of(),
                            state == MessageState.FAILED
                                ? Optional.of("reported by " + provider)
                                : Optional.empty()));
              });
      return newest.isPresent();
    }
  }

  private static boolean decides(NaiveMessage known, int part, MessageState state) {
    if (known.providerIds.size() == 1) {
      return true;
    }
    if (known.partStates.putIfAbsent(part, state) != null) {
      return false;
    }
    return state == MessageState.FAILED
        || (known.partStates.size() == known.providerIds.size()
            && !known.partStates.containsValue(MessageState.FAILED));
  }

  @Override
  public ReceiptResult receipt(Delivery receipt) {
    synchronized (model) {
      return model
          .message(receipt.message())
          .map(known -> report(known, receipt))
          .orElse(ReceiptResult.UNKNOWN);
    }
  }

  private ReceiptResult report(NaiveMessage known, Delivery receipt) {
    if (known.taken.isEmpty()) {
      return ReceiptResult.NOT_SENT;
    }
    boolean isOpen =
        switch (known.state) {
          case ACCEPTED, UNKNOWN, SENT -> true;
          case FAILED -> !known.isReported;
          case DELIVERED, DEFERRED, CANCELLED -> false;
        };
    if (!isOpen) {
      return known.state == receipt.state() ? ReceiptResult.REPEATED : ReceiptResult.CONTRADICTED;
    }
    boolean isSame = known.state == receipt.state();
    Optional<UUID> attempt = isSame ? known.attempt : Optional.empty();
    known.moveTo(receipt.state(), isSame ? known.changedAt : model.now(), receipt.reason());
    known.attempt = attempt;
    known.provider = receipt.provider();
    known.isReported = true;
    return ReceiptResult.RECORDED;
  }

  @Override
  public Set<UUID> reopen(List<UUID> ids, Instant failedBy) {
    Set<UUID> reopened = new HashSet<>();
    synchronized (model) {
      for (UUID id : ids) {
        model
            .message(id)
            .filter(known -> known.changedAt <= Micros.clamped(failedBy))
            .filter(this::isReopened)
            .ifPresent(known -> reopened.add(id));
      }
    }
    return reopened;
  }

  @Override
  public boolean reopen(Attempt failed) {
    synchronized (model) {
      return model
          .message(failed.message())
          .filter(known -> known.attempt.equals(Optional.of(failed.id())))
          .filter(this::isReopened)
          .isPresent();
    }
  }

  private boolean isReopened(NaiveMessage known) {
    boolean isEnded = known.state == MessageState.FAILED || known.state == MessageState.UNKNOWN;
    if (isEnded && known.taken.isPresent()) {
      known.moveTo(MessageState.ACCEPTED, model.now(), Optional.empty());
      known.isReported = false;
      return true;
    }
    return false;
  }

  @Override
  public int removeOlder(Duration retention, int max) {
    synchronized (model) {
      long before = model.now() - Micros.floor(retention);
      List<NaiveMessage> old =
          model
              .messages()
              .filter(known -> known.createdAt < before && known.changedAt < before)
              .filter(known -> known.takenAt.orElse(known.changedAt) < before)
              .filter(known -> known.outbox.isEmpty())
              .filter(known -> known.state.isFinished() || known.state == MessageState.UNKNOWN)
              .sorted(Comparator.comparingLong(known -> known.createdAt))
              .limit(max)
              .toList();
      old.forEach(model::remove);
      return old.size();
    }
  }
}
