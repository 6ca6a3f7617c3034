package dev.weir.notifications.kit;

import static dev.weir.notifications.kit.MessageScene.id;
import static dev.weir.notifications.kit.MessageScene.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.internal.Micros;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.MessageLog.Delivery;
import dev.weir.notifications.messages.MessageQuery;
import dev.weir.notifications.messages.MessageQuery.Cursor;
import dev.weir.notifications.messages.MessageRecord;
import dev.weir.notifications.messages.MessageState;
import dev.weir.notifications.messages.MessageStatus;
import dev.weir.notifications.messages.SendRequest;
import dev.weir.store.tck.internal.Crowd;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Claims about lists of messages. */
interface MessageListClaims extends MessageClaims {
  long SENDER = 105;
  long NEIGHBOUR = 106;

  @Test
  default void messagesAreListedByUserStateAndTimeNewestFirst() {
    MessageScene scene = messageScene();
    scene.limit(SENDER, 100);
    scene.limit(NEIGHBOUR, 100);
    Instant first = scene.clock.instant();
    scene.accept(request(0, SENDER));
    scene.accept(request(1, NEIGHBOUR));
    scene.moveSeconds(1);
    Instant second = scene.clock.instant();
    scene.accept(request(2, SENDER));
    scene.node.deferred().defer(request(3, SENDER), second.plusSeconds(60));
    scene.moveSeconds(1);
    scene.accept(request(4, NEIGHBOUR));
    failed(scene, 2);

    assertThat(ids(listed(scene.otherNode, OptionalLong.empty(), Optional.empty(), 2)))
        .containsExactly(id(4), id(3), id(2), id(1), id(0));
    assertThat(ids(listed(scene.otherNode, OptionalLong.of(SENDER), Optional.empty(), 2)))
        .containsExactly(id(3), id(2), id(0));
    assertThat(ids(listed(scene.node, OptionalLong.empty(), state(MessageState.FAILED), 1)))
        .containsExactly(id(2));
    assertThat(ids(listed(scene.node, OptionalLong.of(NEIGHBOUR), state(MessageState.FAILED), 1)))
        .isEmpty();
    assertThat(ids(listed(scene.node, OptionalLong.of(SENDER), state(MessageState.ACCEPTED), 1)))
        .containsExactly(id(0));
    assertThat(ids(page(scene, first, second))).containsExactly(id(1), id(0));
    assertThat(ids(page(scene, second, scene.clock.instant()))).containsExactly(id(3), id(2));
    assertThat(page(scene, Micros.instant(Micros.EARLIEST), Micros.instant(Micros.LATEST)))
        .isEqualTo(
            IntStream.of(4, 3, 2, 1, 0)
                .mapToObj(each -> scene.node.log().find(id(each)).orElseThrow())
                .map(MessageRecord::status)
                .toList());
  }

  @Test
  default void idsOfOneTimeAreOrderedByTheirBytes() {
    MessageScene scene = messageScene();
    scene.limit(SENDER, 100);
    List<UUID> ascending =
        List.of(new UUID(0, 1), new UUID(1, -1), new UUID(-1, 0), new UUID(-1, -2));
    for (UUID each : ascending) {
      scene.accept(
          new SendRequest(
              new Message(each, SENDER, "Hello", 1),
              Optional.empty(),
              SendRequest.WhenClosed.REFUSE));
    }

    for (int max = 1; max <= 5; max++) {
      assertThat(ids(listed(scene.node, OptionalLong.of(SENDER), Optional.empty(), max)))
          .isEqualTo(ascending.reversed());
    }
  }

  /** However messages come and go between two pages. */
  @Test
  default void pagesHaveEachMessageOnceWhileOthersAreAddedAndRemoved() {
    MessageScene scene = messageScene();
    scene.limit(SENDER, 1_000_000);
    int known = 60;
    for (int i = 0; i < known; i++) {
      scene.accept(request(i, SENDER));
      if (i % 7 == 0) {
        scene.moveSeconds(1);
      }
    }
    for (int removed = 0; removed < 10; removed++) {
      scene.node.ledger().published(List.of(id(removed)));
      failed(scene, removed);
    }
    AtomicInteger next = new AtomicInteger(1_000);
    int readers = 3;

    List<List<MessageStatus>> read =
        Crowd.concurrently(
            3 + readers,
            caller -> {
              if (caller < readers) {
                Optional<MessageState> state =
                    caller == 0 ? Optional.empty() : state(MessageState.ACCEPTED);
                return listed(scene.node(caller), OptionalLong.of(SENDER), state, 1 + caller);
              }
              for (int i = 0; i < 40; i++) {
                int added = next.getAndIncrement();
                boolean unused =
                    scene.node(caller).ledger().place(List.of(request(added, SENDER))).isEmpty();
                if (i == 20) {
                  scene.node(caller).log().removeOlder(Duration.ofSeconds(1), 4);
                }
              }
              return List.of();
            });

    for (List<MessageStatus> each : read.subList(0, readers)) {
      assertThat(ids(each)).doesNotHaveDuplicates();
      Set<UUID> stayed = new HashSet<>();
      for (int i = 10; i < known; i++) {
        stayed.add(id(i));
      }
      assertThat(ids(each)).containsAll(stayed);
    }
  }

  @Test
  default void pageHasABoundedNumberOfMessages() {
    for (int max : List.of(0, MessageQuery.MAX_PAGE + 1)) {
      assertThatThrownBy(() -> query(OptionalLong.empty(), Optional.empty(), Cursor.START, max))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("max must be");
    }
  }

  private static Optional<MessageState> state(MessageState state) {
    return Optional.of(state);
  }

  private static void failed(MessageScene scene, int message) {
    scene
        .node
        .log()
        .record(
            List.of(
                new Delivery(
                    id(message),
                    MessageState.FAILED,
                    scene.clock.instant(),
                    "p",
                    List.of(),
                    Optional.of("no such number"))));
  }

  private static List<MessageStatus> page(MessageScene scene, Instant from, Instant before) {
    return scene
        .otherNode
        .log()
        .list(
            new MessageQuery(
                OptionalLong.empty(), Optional.empty(), from, before, Cursor.START, 100))
        .messages();
  }

  private static MessageQuery query(
      OptionalLong user, Optional<MessageState> state, Cursor after, int max) {
    return new MessageQuery(
        user, state, Micros.instant(Micros.EARLIEST), Micros.instant(Micros.LATEST), after, max);
  }

  /** Returns the messages of all pages. Each store has its own words for reasons. */
  static List<MessageStatus> listed(
      MessageStore on, OptionalLong user, Optional<MessageState> state, int max) {
    List<MessageStatus> all = new ArrayList<>();
    Optional<Cursor> next = Optional.of(Cursor.START);
    while (next.isPresent()) {
      MessageQuery.Page page = on.log().list(query(user, state, next.get(), max));
      assertThat(page.messages()).hasSizeLessThanOrEqualTo(max);
      page.messages().stream().map(MessageListClaims::normal).forEach(all::add);
      next = page.next();
    }
    return all;
  }

  private static MessageStatus normal(MessageStatus message) {
    return new MessageStatus(
        message.id(),
        message.userId(),
        message.parts(),
        message.state(),
        message.createdAt(),
        message.changedAt(),
        message.dueAt(),
        message.reason().map(reason -> "a reason"));
  }

  private static List<UUID> ids(List<MessageStatus> messages) {
    return messages.stream().map(MessageStatus::id).toList();
  }
}
