package dev.weir.server.notifications;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.notifications.messages.UserLimit;
import dev.weir.server.faults.MessageTables;
import dev.weir.server.http.Http;
import dev.weir.store.tck.internal.Crowd;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.GenerationMode;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** What is counted, and when it is refused. */
interface CountingLaws extends NotificationLaws {
  /**
   * Property 3: the first message after the end of a window begins the next one, with the count 1.
   * Before that, the count goes on.
   */
  @Property(tries = 100, generation = GenerationMode.RANDOMIZED)
  default void elapsedWindowResetsTheCount(
      @ForAll @IntRange(min = 1, max = 3) int limit,
      @ForAll @IntRange(min = 1, max = 3) int before,
      @ForAll UserLimit.Algorithm algorithm,
      @ForAll @IntRange(min = 20, max = 60) int minutes,
      @ForAll boolean hasElapsed,
      @ForAll @IntRange(min = 0, max = 29) int more)
      throws SQLException {
    long user = stage().newUser();
    boolean isSliding = algorithm == UserLimit.Algorithm.SLIDING_WINDOW;
    Duration window = isSliding ? UserLimit.MAX_WINDOW : Duration.ofMinutes(minutes);
    stage().addUser(user, limit, window, algorithm);
    int sent = Math.min(before, limit);
    for (int i = 0; i < sent; i++) {
      assertThat(stage().send(user, "before").status()).isEqualTo(200);
      if (i == 0 && !isSliding) {
        stage().awaitLearned(user);
      }
    }
    // Sliding windows are aligned, so only whole ones can pass; the one before the current counts.
    Duration rest = Duration.ofSeconds(isSliding ? 0 : more);
    pass(user, hasElapsed ? window.multipliedBy(isSliding ? 2 : 1).plus(rest) : rest);

    Http.Answer answer = stage().send(user, "after");

    if (hasElapsed) {
      assertThat(answer.status()).isEqualTo(200);
      assertThat(stage().used(user)).isEqualTo(1);
      assertThat(stage().node().get("/api/config/" + user).ok().intAt("currentCount")).isEqualTo(1);
    } else {
      assertThat(answer.status()).isEqualTo(sent < limit ? 200 : 429);
      assertThat(stage().used(user)).isEqualTo(Math.min(sent + 1, limit));
    }
  }

  /** Lets time pass for a user, in PostgreSQL and in Redis. */
  private void pass(long user, Duration time) throws SQLException {
    MessageTables.User stored = stage().user(user);
    boolean isFixed = stored.algorithm().equals("fixed_window");
    if (stored.used() == stored.rateLimit() || isFixed) {
      if (!isFixed) {
        stage().awaitLearned(user);
      }
      assertThat(stage().entries().move(user, time)).isTrue();
    }
    stage().tables().move(user, time);
  }

  /** Property 4, also for messages that cost several units. */
  @Property(tries = 100, generation = GenerationMode.RANDOMIZED)
  default void messageIsSentIfAndOnlyIfTheCountIsBelowTheLimit(
      @ForAll @IntRange(min = 1, max = 6) int limit,
      @ForAll UserLimit.Algorithm algorithm,
      @ForAll UserLimit.CostBy costBy,
      @ForAll("parts") List<Integer> messages) {
    long user = stage().newUser();
    // So long that no aligned window ends meanwhile.
    stage()
        .node()
        .post(
            "/api/config",
            """
            {"userId":%d,"rateLimit":%d,"timeWindow":%d,"algorithm":"%s","cost":"%s"}
            """
                .formatted(user, limit, UserLimit.MAX_WINDOW.toMinutes(), algorithm, costBy))
        .ok();
    int count = 0;
    for (int parts : messages) {
      int cost = costBy == UserLimit.CostBy.PARTS ? parts : 1;
      Http.Answer answer = stage().send(user, "x".repeat(parts == 1 ? 1 : parts * 153));
      if (cost > limit) {
        answer.wrong("message");
      } else if (count + cost <= limit) {
        count += cost;
        assertThat(answer.ok().textAt("result")).isEqualTo("Message Sent Successfully");
        assertThat(answer.intAt("parts")).isEqualTo(parts);
      } else {
        assertThat(answer.status()).isEqualTo(429);
        assertThat(answer.textAt("title")).isEqualTo("Rate Limit Exceeded");
        assertThat(Long.parseLong(answer.header("retry-after").orElseThrow()))
            .isBetween(1L, 2 * UserLimit.MAX_WINDOW.toSeconds());
      }
      assertThat(stage().used(user)).isEqualTo(count);
    }
  }

  @Provide
  default Arbitrary<List<Integer>> parts() {
    return Arbitraries.integers().between(1, 3).list().ofMinSize(1).ofMaxSize(8);
  }

  /** Property 6, also on two nodes, and also if Redis has just lost the entry. */
  @Property(tries = 100, generation = GenerationMode.RANDOMIZED)
  default void ofManyCallersForOnePlaceExactlyOnePasses(
      @ForAll @IntRange(min = 0, max = 2) int taken,
      @ForAll @IntRange(min = 2, max = 8) int callers,
      @ForAll boolean isForgotten) {
    long user = stage().newUser();
    stage().configure(user, taken + 1).ok();
    for (int i = 0; i < taken; i++) {
      assertThat(stage().send(user, "before").status()).isEqualTo(200);
    }
    if (isForgotten) {
      stage().entries().remove(user);
    }
    List<Integer> statuses =
        Crowd.concurrently(
            callers,
            caller ->
                NotificationStage.send(
                        caller % 2 == 0 ? stage().node() : stage().otherNode(), user, "race")
                    .status());
    assertThat(statuses).containsOnlyOnce(200).allMatch(status -> status == 200 || status == 429);
    assertThat(stage().used(user)).isEqualTo(taken + 1);
    assertThat(stage().topic().readOf(user)).hasSize(taken + 1);
  }
}
