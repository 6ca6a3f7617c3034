package dev.weir.notifications.kit;

import static dev.weir.notifications.kit.MessageScene.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.SendLedger.Claimed;
import dev.weir.notifications.messages.SendLedger.Withdrawn;
import dev.weir.notifications.messages.SendResult;
import dev.weir.store.tck.internal.Crowd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Claims about many callers on two nodes: counts and messages agree whatever they do. */
interface MessageCrowdClaims extends MessageClaims {
  int CALLERS = 48;
  long USER = 7;

  /** The outcome of a race is random, so shrinking to a smaller one proves nothing. */
  @Property(
      tries = 40,
      seed = "20260614",
      edgeCases = EdgeCasesMode.NONE,
      shrinking = ShrinkingMode.OFF)
  default void oneOfManyCallersGetsTheLastPlace(
      @ForAll @IntRange(min = 1, max = 5) int limit,
      @ForAll @IntRange(min = 2, max = 32) int callers) {
    MessageScene scene = messageScene();
    scene.limit(USER, limit);
    for (int i = 1; i < limit; i++) {
      scene.accept(request(1_000 + i, USER));
    }

    List<SendResult.Placing> results =
        Crowd.concurrently(
            callers,
            caller -> scene.node(caller).ledger().place(List.of(request(caller, USER))).getFirst());

    assertThat(accepted(results)).hasSize(1);
    assertThat(results.stream().filter(SendResult.Limited.class::isInstance)).hasSize(callers - 1);
    assertThat(scene.count(USER)).isEqualTo(limit);
  }

  @Test
  default void placesOfManyUsersAreGivenOnceEach() {
    MessageScene scene = messageScene();
    for (long user = 0; user < 8; user++) {
      scene.limit(user, 3);
    }

    List<SendResult.Placing> results =
        Crowd.concurrently(
                CALLERS,
                caller ->
                    scene
                        .node(caller)
                        .ledger()
                        .place(
                            List.of(
                                request(2 * caller, caller % 8),
                                request(2 * caller + 1, (caller + 5) % 8))))
            .stream()
            .flatMap(List::stream)
            .toList();

    assertThat(accepted(results)).hasSize(24);
    for (long user = 0; user < 8; user++) {
      assertThat(scene.count(user)).isEqualTo(3);
    }
    assertThat(outbox(scene)).containsExactlyInAnyOrderElementsOf(idsOf(accepted(results)));
  }

  @Test
  default void keyFromConcurrentCallersTakesOnePlace() {
    MessageScene scene = messageScene();
    scene.limit(USER, 10);

    List<SendResult.Placing> results =
        Crowd.concurrently(
            CALLERS,
            caller ->
                scene
                    .node(caller)
                    .ledger()
                    .place(List.of(request(caller, USER, "the same")))
                    .getFirst());

    Message placed = accepted(results).toList().getFirst().message();
    assertThat(results.stream().filter(SendResult.Repeated.class::isInstance))
        .hasSize(CALLERS - 1)
        .allSatisfy(
            result -> assertThat(((SendResult.Repeated) result).message()).isEqualTo(placed));
    assertThat(scene.count(USER)).isEqualTo(1);
    assertThat(outbox(scene)).containsExactly(placed.id());
  }

  @Test
  default void idFromConcurrentCallersTakesOnePlace() {
    MessageScene scene = messageScene();
    scene.limit(USER, 10);

    List<SendResult.Placing> results =
        Crowd.concurrently(
            CALLERS,
            caller -> scene.node(caller).ledger().place(List.of(request(0, USER))).getFirst());

    assertThat(accepted(results)).hasSize(1);
    assertThat(results.stream().filter(SendResult.Repeated.class::isInstance)).hasSize(CALLERS - 1);
    assertThat(scene.count(USER)).isEqualTo(1);
  }

  @Test
  default void claimsOfManyNodesAreDisjoint() {
    MessageScene scene = messageScene();
    scene.limit(USER, 1_000);
    List<UUID> all = IntStream.range(0, 60).mapToObj(MessageScene::id).toList();
    scene.node.ledger().place(IntStream.range(0, 60).mapToObj(i -> request(i, USER)).toList());

    List<UUID> claimed = new ArrayList<>();
    Duration minute = Duration.ofMinutes(1);
    // Claims skip what others hold at that moment, so several rounds may be needed.
    for (int round = 0; claimed.size() < 60; round++) {
      assertThat(round).isLessThan(60);
      Crowd.concurrently(
              6, caller -> scene.node(caller).ledger().claimUnpublished(Duration.ZERO, minute, 10))
          .forEach(messages -> messages.forEach(each -> claimed.add(each.message().id())));
    }

    assertThat(claimed).containsExactlyInAnyOrderElementsOf(all);
  }

  /**
   * Callers place, repeat, publish, withdraw and claim; whatever the order, the count is the number
   * of messages that were accepted and not withdrawn, and each of them was published or is still in
   * the outbox.
   */
  @Property(
      tries = 10,
      seed = "20260615",
      edgeCases = EdgeCasesMode.NONE,
      shrinking = ShrinkingMode.OFF)
  default void countsEqualMessages(@ForAll long seed) {
    MessageScene scene = messageScene();
    scene.limit(0, 40);
    scene.limit(1, 1_000);
    Tally tally = new Tally();

    Crowd.concurrently(
        16,
        caller -> {
          tally.muddle(scene.node(caller), caller, new Random(seed + caller));
          return true;
        });

    for (long user = 0; user < 2; user++) {
      long counted = user;
      assertThat(scene.count(user))
          .isEqualTo(tally.kept().filter(message -> message.userId() == counted).count());
    }
    Set<UUID> notPublished = new HashSet<>();
    tally
        .kept()
        .map(Message::id)
        .filter(id -> !tally.published.contains(id))
        .forEach(notPublished::add);
    assertThat(outbox(scene)).containsExactlyInAnyOrderElementsOf(notPublished);
    tally.kept().forEach(message -> assertThat(scene.node.log().find(message.id())).isPresent());
    tally.withdrawn.forEach(id -> assertThat(scene.node.log().find(id)).isEmpty());
  }

  private static Stream<SendResult.Accepted> accepted(List<SendResult.Placing> results) {
    return results.stream()
        .filter(SendResult.Accepted.class::isInstance)
        .map(SendResult.Accepted.class::cast);
  }

  private static List<UUID> idsOf(Stream<SendResult.Accepted> accepted) {
    return accepted.map(each -> each.message().id()).toList();
  }

  private static List<UUID> outbox(MessageScene scene) {
    scene.moveSeconds(3_600);
    return scene.node.ledger().claimUnpublished(Duration.ZERO, Duration.ZERO, 10_000).stream()
        .map(each -> each.message().id())
        .toList();
  }

  /** What callers were told. */
  final class Tally {
    final Set<Message> accepted = ConcurrentHashMap.newKeySet();
    final Set<UUID> published = ConcurrentHashMap.newKeySet();
    final Set<UUID> withdrawn = ConcurrentHashMap.newKeySet();

    void muddle(MessageStore node, int caller, Random random) {
      List<UUID> mine = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        long user = random.nextInt(2);
        int number = 100 * caller + i;
        SendResult result =
            node.ledger()
                .place(
                    List.of(
                        random.nextBoolean()
                            ? request(number, user)
                            : request(number, user, "key " + random.nextInt(20))))
                .getFirst();
        if (result instanceof SendResult.Accepted placed) {
          accepted.add(placed.message());
          mine.add(placed.message().id());
        }
        if (!mine.isEmpty()) {
          end(node, mine.remove(random.nextInt(mine.size())), random);
        }
      }
    }

    private void end(MessageStore node, UUID id, Random random) {
      switch (random.nextInt(4)) {
        case 0 -> {
          node.ledger().published(List.of(id));
          published.add(id);
        }
        case 1 -> {}
        case 2 -> {
          for (Claimed claimed :
              node.ledger().claimUnpublished(Duration.ZERO, Duration.ofMinutes(1), 2)) {
            node.ledger().published(List.of(claimed.message().id()));
            published.add(claimed.message().id());
          }
        }
        default ->
            node.ledger().withdraw(List.of(id)).stream()
                .map(Withdrawn::message)
                .forEach(withdrawn::add);
      }
    }

    Stream<Message> kept() {
      return accepted.stream().filter(message -> !withdrawn.contains(message.id()));
    }
  }
}
