package dev.weir.notifications.kit;

import static dev.weir.notifications.kit.MessageScene.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.internal.Micros;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.notifications.messages.UserLimits;
import dev.weir.notifications.messages.UserState;
import dev.weir.slots.Calendar;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.LongStream;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

/** Claims about the limits of users. */
interface UserLimitClaims extends MessageClaims {
  long READER = 107;

  @Property(tries = 40, seed = "20260616", edgeCases = EdgeCasesMode.MIXIN)
  default void limitIsFoundAsItWasConfigured(
      @ForAll @LongRange(min = 0) long userId,
      @ForAll @LongRange(min = 1, max = UserLimit.MAX_RATE_LIMIT) long rateLimit,
      @ForAll @LongRange(min = 1, max = 366 * 24 * 60) long minutes,
      @ForAll UserLimit.Algorithm algorithm,
      @ForAll UserLimit.CostBy costBy,
      @ForAll boolean hasHours) {
    MessageScene scene = messageScene();
    UserLimit limit =
        new UserLimit(
            userId,
            rateLimit,
            Duration.ofMinutes(minutes),
            algorithm,
            costBy,
            hasHours ? MessageScene.firstMinutesOfEachHour() : Calendar.ALWAYS);

    UserState configured = scene.node.limits().configure(limit);

    assertThat(configured.limit()).isEqualTo(limit);
    assertThat(configured.currentCount()).isZero();
    assertThat(scene.otherNode.limits().find(userId)).contains(configured);
  }

  @Test
  default void unknownUserHasNoLimit() {
    MessageScene scene = messageScene();

    assertThat(scene.node.limits().find(5)).isEmpty();
    assertThat(scene.place(request(0, 5))).isEqualTo(new SendResult.UnknownUser(5));
  }

  @Test
  default void changeResetsTheCountAndIncrementsVersionAndRevision() {
    MessageScene scene = messageScene();
    UserState first = scene.limit(5, 1);
    UserState counted = scene.accept(request(0, 5)).state();

    UserState changed = scene.otherNode.limits().configure(first.limit());

    assertThat(changed.currentCount()).isZero();
    assertThat(changed.version()).isGreaterThan(first.version());
    assertThat(changed.revision()).isGreaterThan(counted.revision());
    assertThat(counted.revision()).isGreaterThan(first.revision());
    assertThat(scene.place(request(1, 5))).isInstanceOf(SendResult.Accepted.class);
  }

  @Test
  default void usersAreListedInOrderPageByPage() {
    MessageScene scene = messageScene();
    LongStream.of(9, 0, 4, 2, Long.MAX_VALUE).forEach(user -> scene.limit(user, 1));

    assertThat(users(scene.node.limits().list(-1, 3))).containsExactly(0L, 2L, 4L);
    assertThat(users(scene.node.limits().list(4, 3))).containsExactly(9L, Long.MAX_VALUE);
    assertThat(scene.node.limits().list(Long.MAX_VALUE, 3)).isEmpty();
  }

  @Test
  default void pageHasABound() {
    UserLimits limits = messageScene().node.limits();

    assertThatThrownBy(() -> limits.list(0, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> limits.list(0, UserLimits.MAX_PAGE + 1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static List<Long> users(List<UserState> states) {
    return states.stream().map(state -> state.limit().userId()).toList();
  }

  /** It does not move with the reader. */
  @Test
  default void limitSaysWhenItWasLastRefreshed() {
    for (UserLimit.Algorithm algorithm : UserLimit.Algorithm.values()) {
      MessageScene scene = messageScene();
      UserLimit limit =
          new UserLimit(
              READER,
              2,
              Duration.ofMinutes(1),
              algorithm,
              UserLimit.CostBy.MESSAGE,
              Calendar.ALWAYS);
      Instant configured = scene.clock.instant();
      scene.node.limits().configure(limit);
      scene.moveSeconds(600);
      assertThat(refreshed(scene)).isEqualTo(configured);

      Instant counted = scene.clock.instant();
      scene.accept(request(1, READER));
      scene.moveSeconds(30);
      assertThat(refreshed(scene)).isEqualTo(counted);

      int windows = algorithm == UserLimit.Algorithm.SLIDING_WINDOW ? 2 : 1;
      scene.moveSeconds(600);
      assertThat(refreshed(scene)).isEqualTo(counted.plusSeconds(60L * windows));
      scene.moveSeconds(600);
      assertThat(refreshed(scene)).isEqualTo(counted.plusSeconds(60L * windows));

      Instant again = scene.clock.instant();
      scene.node.limits().configure(limit);
      scene.moveSeconds(5);
      assertThat(refreshed(scene)).isEqualTo(again);
    }
  }

  private static Instant refreshed(MessageScene scene) {
    return Micros.instant(scene.otherNode.limits().find(READER).orElseThrow().refreshedAtMicros());
  }
}
