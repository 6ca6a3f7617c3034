package dev.weir.notifications.kit;

import dev.weir.notifications.kit.MessageStep.Ask;
import dev.weir.notifications.messages.DeliveryGuarantee;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.MessageLog.Attempt;
import dev.weir.notifications.messages.MessageLog.Delivery;
import dev.weir.notifications.messages.MessageRecord;
import dev.weir.notifications.messages.MessageState;
import dev.weir.notifications.messages.SendLedger.Claimed;
import dev.weir.notifications.messages.SendLedger.Unpublishable;
import dev.weir.notifications.messages.SendRequest;
import dev.weir.notifications.messages.SendRequest.WhenClosed;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.notifications.messages.UserState;
import dev.weir.slots.Calendar;
import dev.weir.slots.OpeningHours;
import dev.weir.store.tck.SettableClock;
import dev.weir.store.tck.internal.NastyNames;
import dev.weir.store.tck.slots.Scene;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** An empty store, used from two nodes, and short methods for what tests do with it. */
final class MessageScene {
  private static final String PROVIDER = "a provider";
  private static final Duration MINUTE = Duration.ofMinutes(1);

  final SettableClock clock;
  final MessageStore node;
  final MessageStore otherNode;

  private MessageScene(SettableClock clock, Supplier<MessageStore> nodes) {
    this.clock = clock;
    this.node = nodes.get();
    this.otherNode = nodes.get();
  }

  static MessageScene of(Function<InstantSource, Supplier<MessageStore>> storeBy) {
    SettableClock clock = new SettableClock(Scene.NOON);
    return new MessageScene(clock, storeBy.apply(clock));
  }

  /** Returns one of the two nodes, by the number of a caller. */
  MessageStore node(int caller) {
    return caller % 2 == 0 ? node : otherNode;
  }

  void moveSeconds(long seconds) {
    clock.move(Duration.ofSeconds(seconds));
  }

  /** Returns the id of a message; ids are ordered as their numbers are. */
  static UUID id(int message) {
    return new UUID(0x0192_0000_0000_7000L, message);
  }

  static List<UUID> ids(List<Integer> messages) {
    return messages.stream().map(MessageScene::id).toList();
  }

  static List<Attempt> attempts(List<Integer> messages, int attempt) {
    return messages.stream()
        .map(message -> new Attempt(id(message), new UUID(1, attempt)))
        .toList();
  }

  static Message message(int message, long user) {
    return new Message(id(message), user, "Hello", 1);
  }

  static SendRequest request(int message, long user) {
    return new SendRequest(message(message, user), Optional.empty(), WhenClosed.REFUSE);
  }

  static SendRequest request(int message, long user, String key) {
    return new SendRequest(message(message, user), Optional.of(key), WhenClosed.REFUSE);
  }

  static SendRequest request(Ask ask) {
    String text = "text " + NastyNames.ALL.get(ask.text());
    return new SendRequest(
        new Message(id(ask.message()), ask.user(), text, ask.parts()),
        ask.key() == MessageStep.NO_KEY
            ? Optional.empty()
            : Optional.of(NastyNames.ALL.get(ask.key())),
        WhenClosed.DEFER);
  }

  /** Configures a user with a limit of messages in fixed windows of a minute. */
  UserState limit(long user, long rateLimit) {
    return node.limits().configure(UserLimit.of(user, rateLimit, MINUTE));
  }

  SendResult.Placing place(SendRequest request) {
    return node.ledger().place(List.of(request)).getFirst();
  }

  SendResult.Accepted accept(SendRequest request) {
    return (SendResult.Accepted) place(request);
  }

  long count(long user) {
    return otherNode.limits().find(user).orElseThrow().currentCount();
  }

  static Calendar firstMinutesOfEachHour() {
    List<OpeningHours.Hours> hours =
        IntStream.range(0, 24)
            .mapToObj(hour -> new OpeningHours.Hours(hour * 3_600, hour * 3_600 + 120))
            .toList();
    Map<DayOfWeek, List<OpeningHours.Hours>> week = new EnumMap<>(DayOfWeek.class);
    for (DayOfWeek day : DayOfWeek.values()) {
      week.put(day, hours);
    }
    return new OpeningHours(ZoneOffset.UTC, week, Set.of());
  }

  /** Executes a step; returns its result without what a store may choose. */
  Object run(MessageStore on, MessageStep step) {
    return switch (step) {
      case MessageStep.Configure configure -> on.limits().configure(limit(configure));
      case MessageStep.Place place ->
          on.ledger().place(place.asks().stream().map(MessageScene::request).toList()).stream()
              .map(MessageScene::normal)
              .toList();
      case MessageStep.Published published -> {
        on.ledger().published(ids(published.messages()));
        yield "published";
      }
      case MessageStep.Withdraw withdraw ->
          Set.copyOf(on.ledger().withdraw(ids(withdraw.messages())));
      case MessageStep.Fail fail ->
          Set.copyOf(
              on.ledger()
                  .fail(
                      ids(fail.messages()).stream()
                          .map(id -> new Unpublishable(id, "too large"))
                          .toList()));
      case MessageStep.Claim claim ->
          on.ledger()
              .claimUnpublished(
                  Duration.ofSeconds(claim.minAgeSeconds()),
                  Duration.ofSeconds(claim.claimSeconds()),
                  claim.max());
      case MessageStep.Defer defer ->
          normal(
              on.deferred()
                  .defer(request(defer.ask()), clock.instant().plusSeconds(defer.dueInSeconds())));
      case MessageStep.Due due ->
          on.deferred().due(due.max()).stream().map(MessageScene::normal).toList();
      case MessageStep.Release release -> on.deferred().release(ids(release.messages()));
      case MessageStep.Cancel cancel -> on.deferred().cancel(id(cancel.message()));
      case MessageStep.HandOver handOver ->
          on.log()
              .handOver(
                  attempts(handOver.messages(), handOver.attempt()),
                  PROVIDER,
                  guarantee(handOver.repeatAfterSeconds()));
      case MessageStep.NotTaken notTaken -> {
        on.log().notTaken(attempts(notTaken.messages(), notTaken.attempt()));
        yield "not taken";
      }
      case MessageStep.Deliver deliver -> {
        on.log().record(deliveries(deliver));
        yield "recorded";
      }
      case MessageStep.Receipt receipt ->
          on.log()
              .receipt(PROVIDER, providerId(receipt.message()), receipt.state(), clock.instant());
      case MessageStep.Report report ->
          on.log()
              .receipt(
                  deliveries(new MessageStep.Deliver(List.of(report.message()), report.state()))
                      .getFirst());
      case MessageStep.GiveUp end -> {
        on.log()
            .record(attempts(end.messages(), end.attempt()).stream().map(this::givenUp).toList());
        yield "recorded";
      }
      case MessageStep.ReopenAttempt reopen ->
          on.log().reopen(attempts(List.of(reopen.message()), reopen.attempt()).getFirst());
      case MessageStep.Reopen reopen -> on.log().reopen(ids(reopen.messages()), clock.instant());
      case MessageStep.Remove remove ->
          on.log().removeOlder(Duration.ofSeconds(remove.minAgeSeconds()), 1_000);
    };
  }

  private static DeliveryGuarantee guarantee(int repeatAfterSeconds) {
    return repeatAfterSeconds == MessageStep.HandOver.NEVER
        ? new DeliveryGuarantee.AtMostOnce()
        : new DeliveryGuarantee.AtLeastOnce(Duration.ofSeconds(repeatAfterSeconds));
  }

  private static UserLimit limit(MessageStep.Configure configure) {
    return new UserLimit(
        configure.user(),
        configure.rateLimit(),
        Duration.ofSeconds(configure.windowSeconds()),
        configure.algorithm(),
        configure.costBy(),
        configure.hasHours() ? firstMinutesOfEachHour() : Calendar.ALWAYS);
  }

  private List<Delivery> deliveries(MessageStep.Deliver deliver) {
    return deliver.messages().stream()
        .map(
            message ->
                new Delivery(
                    id(message),
                    deliver.state(),
                    clock.instant(),
                    PROVIDER,
                    List.of(providerId(message)),
                    deliver.state() == MessageState.FAILED
                            || deliver.state() == MessageState.UNKNOWN
                        ? Optional.of("no such number")
                        : Optional.empty()))
        .toList();
  }

  Delivery givenUp(Attempt attempt) {
    return new Delivery(
        attempt.message(),
        MessageState.FAILED,
        clock.instant(),
        PROVIDER,
        List.of(),
        Optional.of("no such number"),
        Optional.of(attempt.id()));
  }

  private static String providerId(int message) {
    return "id of " + message;
  }

  private static SendResult normal(SendResult result) {
    if (result instanceof SendResult.Failed failed) {
      return new SendResult.Failed(normal(failed.record()), failed.state());
    }
    return result instanceof SendResult.Deferred deferred
        ? new SendResult.Deferred(normal(deferred.record()), deferred.state())
        : result;
  }

  /** Each store has its own words for reasons. */
  private static MessageRecord normal(MessageRecord record) {
    return new MessageRecord(
        record.message(),
        record.state(),
        record.createdAt(),
        record.changedAt(),
        record.dueAt(),
        record.reason().map(reason -> "a reason"));
  }

  /** Returns all that can be read without changing anything. */
  List<Object> observe(MessageStore on) {
    List<Object> seen = new ArrayList<>();
    for (int user = 0; user < MessageStep.USERS; user++) {
      seen.add(on.limits().find(user));
    }
    List<UUID> all = IntStream.range(0, MessageStep.MESSAGES).mapToObj(MessageScene::id).toList();
    for (UUID id : all) {
      seen.add(on.log().find(id).map(MessageScene::normal));
    }
    seen.add(on.log().finished(all));
    seen.add(MessageListClaims.listed(on, OptionalLong.empty(), Optional.empty(), 3));
    seen.add(
        MessageListClaims.listed(on, OptionalLong.of(1), Optional.of(MessageState.ACCEPTED), 2));
    seen.add(on.deferred().due(MessageStep.MESSAGES).stream().map(MessageScene::normal).toList());
    return seen;
  }

  /** Returns the whole outbox, regardless of claims. It is claimed afterwards. */
  List<Claimed> outbox(MessageStore on) {
    clock.move(Duration.ofDays(1));
    return on.ledger().claimUnpublished(Duration.ZERO, MINUTE, MessageStep.MESSAGES);
  }
}
