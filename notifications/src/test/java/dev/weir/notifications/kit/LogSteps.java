package dev.weir.notifications.kit;

import static dev.weir.notifications.kit.MessageScene.id;
import static dev.weir.notifications.kit.MessageScene.request;

import dev.weir.notifications.messages.DeliveryGuarantee;
import dev.weir.notifications.messages.HandOver;
import dev.weir.notifications.messages.MessageLog.Attempt;
import dev.weir.notifications.messages.MessageLog.Delivery;
import dev.weir.notifications.messages.MessageLog.ReceiptResult;
import dev.weir.notifications.messages.MessageRecord;
import dev.weir.notifications.messages.MessageState;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;

/** What claims about the log do to the messages of a scene. */
final class LogSteps {
  static final long WRITER = 104;
  static final DeliveryGuarantee AT_MOST_ONCE = new DeliveryGuarantee.AtMostOnce();

  private LogSteps() {}

  /** Returns the scene with messages of {@link #WRITER} that are published. */
  static MessageScene publishedScene(MessageScene scene, int messages) {
    scene.limit(WRITER, 100);
    for (int i = 0; i < messages; i++) {
      scene.accept(request(i, WRITER));
      scene.node.ledger().published(List.of(id(i)));
    }
    return scene;
  }

  static void record(MessageScene scene, int message, MessageState state) {
    scene.node.log().record(List.of(delivery(scene, message, state)));
  }

  static Delivery delivery(MessageScene scene, int message, MessageState state) {
    return new Delivery(
        id(message),
        state,
        scene.clock.instant(),
        "p",
        state == MessageState.SENT ? List.of("same") : List.of(),
        state == MessageState.FAILED || state == MessageState.UNKNOWN
            ? Optional.of("no such number")
            : Optional.empty());
  }

  static boolean receipt(
      MessageScene scene, String provider, String providerId, MessageState state) {
    return scene.otherNode.log().receipt(provider, providerId, state, scene.clock.instant());
  }

  static ReceiptResult report(MessageScene scene, int message, MessageState state) {
    return scene.otherNode.log().receipt(delivery(scene, message, state));
  }

  static Set<UUID> reopened(MessageScene scene, int... messages) {
    List<UUID> ids = IntStream.of(messages).mapToObj(MessageScene::id).toList();
    return scene.node.log().reopen(ids, scene.clock.instant());
  }

  static MessageRecord found(MessageScene scene, int message) {
    return scene.otherNode.log().find(id(message)).orElseThrow();
  }

  static List<HandOver> handOver(MessageScene scene, DeliveryGuarantee guarantee, int... messages) {
    List<Attempt> attempts =
        IntStream.of(messages).mapToObj(MessageScene::id).map(Attempt::of).toList();
    return scene.node.log().handOver(attempts, "p", guarantee);
  }

  static HandOver handOver(MessageScene scene, Attempt attempt) {
    return scene.node.log().handOver(List.of(attempt), "p", AT_MOST_ONCE).getFirst();
  }

  static void recordParts(MessageScene scene, int message, String... ids) {
    scene
        .node
        .log()
        .record(
            List.of(
                new Delivery(
                    id(message),
                    MessageState.SENT,
                    scene.clock.instant(),
                    "p",
                    List.of(ids),
                    Optional.empty())));
  }
}
