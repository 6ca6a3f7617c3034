package dev.weir.notifications;

import dev.weir.StoreException;
import dev.weir.internal.Batcher;
import dev.weir.internal.Micros;
import dev.weir.notifications.messages.DeferredMessages;
import dev.weir.notifications.messages.HotCounts;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.SendLedger;
import dev.weir.notifications.messages.SendRequest;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.notifications.messages.UserLimits;
import dev.weir.notifications.messages.UserState;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages within the limits of their users.
 *
 * <p>A message takes its place and is stored in the outbox in one step, and only then goes to the
 * broker. If the broker refuses it for certain, place and message are withdrawn in one step. If it
 * is not known whether the broker has it, it stays in the outbox and the {@link Republisher}
 * publishes it. So after any crash, what was counted is what is sent.
 *
 * <p>Callers block and are meant to be virtual threads; requests that wait at the same time share
 * the calls to the stores, and go to the broker together. Thread-safe.
 */
public final class Notifications {
  private static final int MAX_BATCH = 256;
  private static final int MAX_WAITING = 20_000;

  private final UserLimits limits;
  private final SendLedger ledger;
  private final DeferredMessages deferred;
  private final Publisher publisher;
  private final BrokerHealth health;
  private final HotFilter hot;
  private final Outbox outbox;
  private final MessageIds ids;
  private final SendObserver observer;
  private final Batcher<SendRequest, Placed<SendResult.Placing>> placing;
  private final BusyLanes busy;
  private final KnownUsers knownUsers = new KnownUsers();

  /**
   * What the database returned.
   *
   * @param publishing the result of the broker; null unless the message was accepted
   */
  private record Placed<R extends SendResult.Placing>(
      R result, @Nullable CompletableFuture<PublishResult> publishing) {}

  private Notifications(Builder builder) {
    this.limits = builder.limits;
    this.ledger = builder.ledger;
    this.deferred = builder.deferred;
    this.outbox = builder.outbox;
    this.publisher = builder.publisher;
    this.hot = builder.hot.orElseGet(HotFilter::none);
    this.health = builder.health;
    this.ids = new MessageIds(builder.clock);
    this.observer = builder.observer;
    this.busy = new BusyLanes(builder.maxStoreWait);
    this.placing =
        new Batcher<>(this::place, MAX_BATCH, MAX_WAITING)
            .withMaxWait(builder.maxStoreWait)
            .withThread("weir-place");
  }

  /** Returns a builder of the send path on its stores and a broker. */
  public static Builder builder(
      UserLimits limits,
      SendLedger ledger,
      DeferredMessages deferred,
      Outbox outbox,
      Publisher publisher) {
    return new Builder(limits, ledger, deferred, outbox, publisher);
  }

  /** Settings of a send path. */
  public static final class Builder {
    private static final Duration DEFAULT_MAX_STORE_WAIT = Duration.ofSeconds(3);

    private final UserLimits limits;
    private final SendLedger ledger;
    private final DeferredMessages deferred;
    private final Outbox outbox;
    private final Publisher publisher;
    private Optional<HotFilter> hot = Optional.empty();
    private BrokerHealth health = new BrokerHealth();
    private InstantSource clock = InstantSource.system();
    private Duration maxStoreWait = DEFAULT_MAX_STORE_WAIT;
    private SendObserver observer = SendObserver.NONE;

    private Builder(
        UserLimits limits,
        SendLedger ledger,
        DeferredMessages deferred,
        Outbox outbox,
        Publisher publisher) {
      this.limits = limits;
      this.ledger = ledger;
      this.deferred = deferred;
      this.outbox = outbox;
      this.publisher = publisher;
    }

    /** Refuses most requests over the limit without the database. None by default. */
    public Builder hot(HotFilter filter) {
      this.hot = Optional.of(filter);
      return this;
    }

    /** What is known about the broker, if others share it. */
    public Builder health(BrokerHealth shared) {
      this.health = shared;
      return this;
    }

    /** The clock of message ids; the system's by default. */
    public Builder clock(InstantSource source) {
      this.clock = source;
      return this;
    }

    /** The maximum time for which a request waits until the database takes it; 3 s by default. */
    public Builder maxStoreWait(Duration max) {
      this.maxStoreWait = max;
      return this;
    }

    public Builder observer(SendObserver receiver) {
      this.observer = receiver;
      return this;
    }

    public Notifications build() {
      return new Notifications(this);
    }
  }

  /**
   * Creates or replaces a user's limit, and resets the usage. Messages will follow, so the broker
   * is connected to, or started, in the background.
   */
  public UserState configure(UserLimit limit) {
    UserState state = limits.configure(limit);
    hot.configured(state);
    publisher.prepare();
    return state;
  }

  /**
   * Sends a message.
   *
   * @param text not blank, up to {@link MessageParts#MAX_PARTS} parts
   * @param idempotencyKey makes it safe to repeat the request: one message, one count
   * @throws IllegalArgumentException if the text or the key is invalid
   * @throws StoreException if the database does not decide; its outcome says whether the message
   *     may be sent
   */
  public SendResult.Answer send(
      long userId,
      String text,
      Optional<String> idempotencyKey,
      SendRequest.WhenClosed whenClosed) {
    Message message = new Message(ids.next(), userId, text, MessageParts.of(text).count());
    SendRequest request = new SendRequest(message, idempotencyKey, whenClosed);
    SendResult.Answer outcome;
    try {
      outcome = send(request);
    } catch (StoreException e) {
      observer.undecided(message);
      throw e;
    }
    observer.answered(message, outcome);
    return outcome;
  }

  private SendResult.Answer send(SendRequest request) {
    if (request.idempotencyKey().isPresent()) {
      // What became of an earlier request is known to the database only.
      return decide(request, HotCounts.Passed.UNKNOWN);
    }
    if (health.isDown()) {
      return refused(request.message().userId());
    }
    return switch (hot.check(request.message())) {
      case HotCounts.Refusal refusal ->
          new SendResult.LimitedEarly(refusal.limit(), refusal.decision());
      case HotCounts.Passed passed -> decide(request, passed);
    };
  }

  /** Answers a request while the broker is down, without a place. */
  private SendResult.Answer refused(long userId) {
    boolean isUnknown;
    try {
      isUnknown = !isKnown(userId);
    } catch (StoreException e) {
      // The message is not sent in either case.
      isUnknown = false;
    }
    return isUnknown ? new SendResult.UnknownUser(userId) : refused(health.reason());
  }

  private boolean isKnown(long userId) {
    if (knownUsers.contains(userId)) {
      return true;
    }
    boolean isFound = limits.find(userId).isPresent();
    if (isFound) {
      knownUsers.add(userId);
    }
    return isFound;
  }

  private SendResult.Answer refused(String reason) {
    return new SendResult.BrokerRefused(reason, publisher.isStarting());
  }

  /** Places requests in one step, and begins to publish all messages that have taken a place. */
  private List<Placed<SendResult.Placing>> place(List<SendRequest> requests) {
    List<SendResult.Placing> results = ledger.place(requests);
    List<Message> accepted = new ArrayList<>(results.size());
    for (SendResult.Placing result : results) {
      if (result instanceof SendResult.Accepted first) {
        accepted.add(first.message());
      }
    }
    Iterator<CompletableFuture<PublishResult>> publishing = begin(accepted).iterator();
    List<Placed<SendResult.Placing>> placed = new ArrayList<>(results.size());
    for (SendResult.Placing result : results) {
      placed.add(
          new Placed<>(result, result instanceof SendResult.Accepted ? publishing.next() : null));
    }
    return placed;
  }

  private List<CompletableFuture<PublishResult>> begin(List<Message> messages) {
    if (messages.isEmpty()) {
      return List.of();
    }
    if (health.isDown()) {
      PublishResult refused = new PublishResult.Refused(health.reason());
      return Collections.nCopies(messages.size(), CompletableFuture.completedFuture(refused));
    }
    return publisher.begin(messages).stream().map(result -> result.thenApply(this::noted)).toList();
  }

  private PublishResult noted(PublishResult result) {
    health.failedBy(result);
    return result;
  }

  private SendResult.Answer decide(SendRequest request, HotCounts.Passed passed) {
    Placed<SendResult.Placed> placed;
    try {
      placed =
          busy.decide(
              request.message().userId(),
              () -> unlessBusy(placing.submit(List.of(request)).getFirst()));
    } catch (StoreException e) {
      hot.undecided(request.message().userId());
      throw e;
    }
    return switch (placed.result()) {
      case SendResult.Accepted accepted -> {
        // Otherwise the entry counts the message already.
        if (passed == HotCounts.Passed.UNKNOWN) {
          hot.learn(accepted.state());
        }
        yield published(accepted, Objects.requireNonNull(placed.publishing()).join());
      }
      case SendResult.Repeated repeated -> {
        hot.learn(repeated.state());
        yield repeated.isPublished()
            ? new SendResult.Sent(repeated.message(), repeated.state(), true)
            : publishAgain(repeated);
      }
      case SendResult.Limited limited -> {
        hot.correct(limited.state());
        yield limited;
      }
      case SendResult.Closed closed -> {
        hot.correct(closed.state());
        yield whenClosed(request, closed);
      }
      case SendResult.TooExpensive expensive -> {
        hot.correct(expensive.state());
        yield expensive;
      }
      case SendResult.Deferred known -> known;
      case SendResult.KeyReused reused -> reused;
      case SendResult.UnknownUser unknown -> unknown;
      case SendResult.Failed failed -> failed;
    };
  }

  private static Optional<Placed<SendResult.Placed>> unlessBusy(
      Placed<SendResult.Placing> placing) {
    return switch (placing.result()) {
      case SendResult.Busy locked -> Optional.empty();
      case SendResult.Placed placed -> Optional.of(new Placed<>(placed, placing.publishing()));
    };
  }

  private SendResult.Answer published(SendResult.Accepted accepted, PublishResult result) {
    Message message = accepted.message();
    return switch (result) {
      case PublishResult.Done done -> {
        outbox.published(message.id());
        yield new SendResult.Sent(message, accepted.state(), false);
      }
      case PublishResult.Refused refused -> withdraw(message, refused.reason());
      case PublishResult.Rejected rejected -> withdraw(message, rejected.reason());
      case PublishResult.Unknown unknown ->
          new SendResult.BrokerUnknown(message.id(), unknown.reason());
    };
  }

  /**
   * Publishes a message of an earlier request, which may be publishing it at this moment. It stays
   * in the outbox unless the broker has it.
   */
  private SendResult.Answer publishAgain(SendResult.Repeated repeated) {
    Message message = repeated.message();
    return switch (begin(List.of(message)).getFirst().join()) {
      case PublishResult.Done done -> {
        outbox.published(message.id());
        observer.publishedLater(message, repeated.state());
        yield new SendResult.Sent(message, repeated.state(), true);
      }
      case PublishResult.Refused refused ->
          new SendResult.BrokerUnknown(message.id(), refused.reason());
      case PublishResult.Rejected rejected ->
          new SendResult.BrokerUnknown(message.id(), rejected.reason());
      case PublishResult.Unknown unknown ->
          new SendResult.BrokerUnknown(message.id(), unknown.reason());
    };
  }

  private SendResult.Answer withdraw(Message message, String reason) {
    Optional<SendLedger.Withdrawn> withdrawn;
    try {
      withdrawn = outbox.withdraw(message.id());
    } catch (StoreException e) {
      // As far as it is known the message is still counted, so it will be published.
      hot.undecided(message.userId());
      return new SendResult.BrokerUnknown(message.id(), reason);
    }
    if (withdrawn.isEmpty()) {
      // A repeated request or another node has the message too, and may have published it.
      return new SendResult.BrokerUnknown(message.id(), reason);
    }
    hot.correct(withdrawn.get().state());
    return refused(reason);
  }

  private SendResult.Answer whenClosed(SendRequest request, SendResult.Closed closed) {
    if (request.whenClosed() == SendRequest.WhenClosed.REFUSE) {
      return closed;
    }
    SendResult.Kept result =
        busy.decide(
            request.message().userId(),
            () -> unlessBusy(deferred.defer(request, Micros.instant(closed.opensAtMicros()))));
    return switch (result) {
      case SendResult.Deferred kept -> kept;
      case SendResult.Repeated repeated ->
          repeated.isPublished()
              ? new SendResult.Sent(repeated.message(), repeated.state(), true)
              : publishAgain(repeated);
      case SendResult.KeyReused reused -> reused;
      case SendResult.UnknownUser unknown -> unknown;
      case SendResult.Failed failed -> failed;
      case SendResult.TooManyDeferred tooMany -> tooMany;
    };
  }

  private static Optional<SendResult.Kept> unlessBusy(SendResult.Deferring deferring) {
    return switch (deferring) {
      case SendResult.Busy locked -> Optional.empty();
      case SendResult.Kept kept -> Optional.of(kept);
    };
  }
}
