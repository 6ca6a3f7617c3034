package dev.weir.notifications;

import dev.weir.internal.Micros;
import dev.weir.limits.Usage;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.notifications.messages.UserState;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The users of {@link MemoryStores}, their limits and what they have used. */
final class MemoryUsers {
  private final Map<Long, UserState> users = new HashMap<>();
  private final InstantSource clock;

  MemoryUsers(InstantSource clock) {
    this.clock = clock;
  }

  @Nullable UserState get(long userId) {
    return users.get(userId);
  }

  UserState configure(UserLimit limit) {
    UserState known = users.get(limit.userId());
    UserState next =
        new UserState(
            limit,
            known == null ? 1 : known.version() + 1,
            known == null ? 1 : known.revision() + 1,
            Usage.NONE,
            nowMicros(),
            nowMicros());
    users.put(limit.userId(), next);
    return next;
  }

  List<UserState> list(long afterUserId, int max) {
    return users.values().stream()
        .filter(state -> state.limit().userId() > afterUserId)
        .sorted(Comparator.comparing(state -> state.limit().userId()))
        .limit(max)
        .map(this::atPresent)
        .toList();
  }

  UserState changed(UserState user, Usage usage) {
    UserState next =
        new UserState(
            user.limit(),
            user.version(),
            user.revision() + 1,
            usage,
            nowMicros(),
            usage.atMicros());
    users.put(user.limit().userId(), next);
    return next;
  }

  UserState atPresent(UserState state) {
    return new UserState(
        state.limit(),
        state.version(),
        state.revision(),
        state.usage(),
        nowMicros(),
        state.refreshedAtMicros());
  }

  private long nowMicros() {
    return Micros.ceil(clock.instant());
  }
}
