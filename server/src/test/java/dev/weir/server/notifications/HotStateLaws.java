package dev.weir.server.notifications;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.notifications.messages.UserLimit;
import dev.weir.server.faults.MessageTables;
import dev.weir.server.http.Http;
import dev.weir.store.tck.internal.Crowd;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.GenerationMode;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;

/** What Redis does, and what its loss does not do. */
interface HotStateLaws extends NotificationLaws {
  /** Property 9, its first half: a user over the limit is refused while nobody can read a limit. */
  @Property(tries = 100, generation = GenerationMode.RANDOMIZED)
  default void hotStateRefusesWithoutTheDatabase(
      @ForAll @IntRange(min = 1, max = 3) int limit,
      @ForAll @IntRange(min = 1, max = 3) int refusals)
      throws SQLException {
    long user = stage().newUser();
    stage().addUser(user, limit, Duration.ofHours(1), UserLimit.Algorithm.FIXED_WINDOW);
    for (int i = 0; i < limit; i++) {
      assertThat(stage().send(user, "before").status()).isEqualTo(200);
      if (i == 0) {
        stage().awaitLearned(user);
      }
    }
    // The entry may count too little; a refusal by the database corrects it before its answer.
    assertThat(stage().send(user, "over").status()).isEqualTo(429);
    MessageTables.User before = stage().user(user);
    try (Connection lock = stage().tables().lockUsers()) {
      for (int i = 0; i < refusals; i++) {
        Http node = i % 2 == 0 ? stage().node() : stage().otherNode();
        assertThat(isFull(before)).isTrue();
        Http.Answer refused = NotificationStage.send(node, user, "refused");
        assertThat(refused.status()).as(refused.text()).isEqualTo(429);
        assertThat(Integer.parseInt(refused.header("retry-after").orElseThrow()))
            .isBetween(1, 3_600);
      }
      lock.rollback();
    }
    assertThat(stage().user(user)).isEqualTo(before);
  }

  private boolean isFull(MessageTables.User user) {
    return stage().entries().confirm(user.userId()).equals(Long.toString(user.rateLimit()));
  }

  /** Property 9, its second half: a lost entry comes back with the next message. */
  @Property(tries = 100, generation = GenerationMode.RANDOMIZED)
  default void missRepopulatesTheHotState(
      @ForAll @IntRange(min = 1, max = 4) int limit,
      @ForAll @IntRange(min = 0, max = 4) int before) {
    long user = stage().newUser();
    stage().addUser(user, limit, Duration.ofHours(1), UserLimit.Algorithm.FIXED_WINDOW);
    int sent = Math.min(before, limit);
    for (int i = 0; i < sent; i++) {
      assertThat(stage().send(user, "before").status()).isEqualTo(200);
      if (i == 0) {
        // What is on its way to Redis must not be taken for what the miss has brought.
        stage().awaitLearned(user);
      }
    }
    stage().entries().remove(user);

    Http.Answer answer = stage().send(user, "miss");

    assertThat(answer.status()).isEqualTo(sent < limit ? 200 : 429);
    // Only the database knows the quota, which is in this field.
    assertThat(answer.header("ratelimit-policy")).isPresent();
    stage().awaitLearned(user);
  }

  /** How Redis is lost. */
  enum Loss {
    /** All that it knows. */
    DATA,
    CONNECTIONS,
    /** Until the next case, or longer. */
    PROCESS,
    /** It comes back before the messages. */
    RESTART
  }

  /** Property 11: amid messages to both nodes, and nobody is refused for want of Redis. */
  @Property(tries = 100, generation = GenerationMode.RANDOMIZED)
  default void lossOfRedisLetsNobodyPastTheLimit(
      @ForAll("losses") Loss loss,
      @ForAll @IntRange(min = 1, max = 5) int limit,
      @ForAll @IntRange(min = 2, max = 8) int callers,
      @ForAll @IntRange(min = 0, max = 3) int moment) {
    stage().startRedis();
    long user = stage().newUser();
    stage().configure(user, limit).ok();
    List<Callable<Integer>> crowd = new ArrayList<>();
    for (int i = 0; i < callers; i++) {
      Http node = i % 2 == 0 ? stage().node() : stage().otherNode();
      crowd.add(() -> NotificationStage.send(node, user, "message").status());
    }
    crowd.add(Math.min(moment, callers), () -> lose(loss));
    List<Integer> statuses = Crowd.concurrently(crowd);
    assertThat(statuses).allMatch(status -> status == 0 || status == 200 || status == 429);
    int sent = (int) statuses.stream().filter(status -> status == 200).count();
    assertThat(sent).isBetween(1, limit);
    while (sendAfter(user)) {
      sent++;
      assertThat(sent).isLessThanOrEqualTo(limit);
    }
    assertThat(sent).isEqualTo(limit);
    assertThat(stage().used(user)).isEqualTo(limit);
    assertThat(stage().topic().readOf(user)).hasSize(limit);
  }

  private int lose(Loss loss) {
    switch (loss) {
      case DATA -> stage().entries().removeAll();
      case CONNECTIONS -> stage().hangUpRedis();
      case PROCESS -> stage().killRedis();
      case RESTART -> {
        stage().killRedis();
        stage().startRedis();
      }
    }
    return 0;
  }

  /** Returns false if the database refuses. */
  private boolean sendAfter(long user) {
    while (true) {
      Http.Answer answer = stage().send(user, "after");
      if (answer.status() == 200) {
        return true;
      }
      assertThat(answer.status()).isEqualTo(429);
      if (answer.header("ratelimit-policy").isPresent()) {
        return false;
      }
      // A command that was repeated after the loss may have counted twice, for a few seconds.
      stage().entries().remove(user);
    }
  }

  @Provide
  default Arbitrary<Loss> losses() {
    return Arbitraries.frequencyOf(
        Tuple.of(5, Arbitraries.just(Loss.DATA)),
        Tuple.of(3, Arbitraries.just(Loss.CONNECTIONS)),
        Tuple.of(1, Arbitraries.just(Loss.PROCESS)),
        Tuple.of(1, Arbitraries.just(Loss.RESTART)));
  }
}
