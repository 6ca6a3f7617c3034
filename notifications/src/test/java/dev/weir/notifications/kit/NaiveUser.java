package dev.weir.notifications.kit;

import dev.weir.internal.Micros;
import dev.weir.limits.Decision;
import dev.weir.limits.Limit;
import dev.weir.limits.Usage;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.notifications.messages.UserState;
import dev.weir.slots.planning.internal.OpenTimes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A user of the model. It keeps no count: the usage is the sum of the messages that were counted
 * and not withdrawn, of the current window and the one before.
 */
final class NaiveUser {
  private final List<Taken> taken = new ArrayList<>();
  private UserLimit limit;
  private long configuredAtMicros;
  private long version = 1;
  private long revision = 1;

  /** The time that the usage of the latest window refers to, see each limit of core. */
  private long startMicros = Micros.EARLIEST;

  /**
   * What a message has taken. Two messages may have taken the same, so it is compared by identity.
   */
  static final class Taken {
    private final long windowMicros;
    final long cost;

    private Taken(long windowMicros, long cost) {
      this.windowMicros = windowMicros;
      this.cost = cost;
    }
  }

  /** A decision, and what was taken if the message was accepted. */
  record Placed(SendResult.Counted result, Optional<Taken> taken) {
    static Placed refused(SendResult.Counted result) {
      return new Placed(result, Optional.empty());
    }
  }

  NaiveUser(UserLimit limit, long nowMicros) {
    this.limit = limit;
    this.configuredAtMicros = nowMicros;
  }

  void configure(UserLimit next, long nowMicros) {
    limit = next;
    configuredAtMicros = nowMicros;
    version++;
    revision++;
    startMicros = Micros.EARLIEST;
    taken.clear();
  }

  Placed place(Message message, long nowMicros) {
    correct(nowMicros);
    UserState state = state(nowMicros);
    long cost = limit.cost(message.parts());
    if (cost > limit.rateLimit()) {
      return Placed.refused(new SendResult.TooExpensive(state, cost));
    }
    long opensAt = OpenTimes.at(limit.openHours(), nowMicros).fromMicros();
    if (opensAt > nowMicros) {
      return Placed.refused(new SendResult.Closed(state, opensAt));
    }
    Limit.Step step = limit.limit().decide(state.usage(), cost, state.atMicros());
    return switch (step.decision()) {
      case Decision.Refused refused -> Placed.refused(new SendResult.Limited(state, refused));
      case Decision.Allowed allowed -> {
        startMicros = state.usage().atMicros();
        Taken place = new Taken(windowOf(startMicros), cost);
        taken.add(place);
        revision++;
        yield new Placed(
            new SendResult.Accepted(message, state(nowMicros), allowed), Optional.of(place));
      }
    };
  }

  void withdraw(Taken place, long nowMicros) {
    correct(nowMicros);
    if (taken.contains(place)) {
      startMicros = state(nowMicros).usage().atMicros();
      boolean hadBefore = takenBefore(startMicros) > 0;
      taken.remove(place);
      if (hadBefore && takenBefore(startMicros) == 0) {
        startMicros = windowOf(startMicros);
      }
      revision++;
    }
  }

  /**
   * Counts what was taken under a clock that was far ahead as of now. None of it can be given back.
   */
  private void correct(long nowMicros) {
    if (isTooFarAhead(nowMicros)) {
      long carried = takenInAll();
      taken.clear();
      startMicros = Micros.EARLIEST;
      if (carried > 0) {
        startMicros = nowMicros;
        taken.add(new Taken(windowOf(nowMicros), carried));
      }
      version++;
      revision++;
    }
  }

  private boolean isTooFarAhead(long nowMicros) {
    long start = takenInAll() == 0 ? startMicros : windowOf(startMicros);
    return start - nowMicros > Math.max(lengthMicros(), Limit.MAX_AHEAD_MICROS);
  }

  /** Returns what was taken in the latest window, and in a sliding one that before it. */
  private long takenInAll() {
    return takenIn(windowOf(startMicros))
        + switch (limit.algorithm()) {
          case FIXED_WINDOW -> 0;
          case SLIDING_WINDOW -> takenBefore(startMicros);
        };
  }

  UserState state(long nowMicros) {
    long timeMicros = nowMicros;
    Usage usage;
    if (isTooFarAhead(nowMicros)) {
      usage = new Usage(nowMicros, takenInAll(), 0, lengthMicros());
    } else {
      // A window that begins never begins before the last one, even if the clock has stepped back.
      timeMicros = takenInAll() == 0 ? Math.max(nowMicros, startMicros) : nowMicros;
      usage = usage(timeMicros);
    }
    return new UserState(
        limit,
        version,
        revision,
        usage,
        timeMicros,
        Math.max(configuredAtMicros, usage.isNone() ? freeSince() : usage.atMicros()));
  }

  /** Returns when the windows had ended in which something was taken. */
  private long freeSince() {
    boolean isSliding = limit.algorithm() == UserLimit.Algorithm.SLIDING_WINDOW;
    if (takenIn(windowOf(startMicros)) > 0) {
      return startMicros + (isSliding ? 2 : 1) * lengthMicros();
    }
    return isSliding && takenBefore(startMicros) > 0 ? startMicros + lengthMicros() : startMicros;
  }

  private Usage usage(long nowMicros) {
    return switch (limit.algorithm()) {
      case FIXED_WINDOW -> {
        long used = takenIn(startMicros);
        boolean isOver = used == 0 || nowMicros >= startMicros + lengthMicros();
        long length = lengthMicros();
        yield isOver ? new Usage(nowMicros, 0, 0, length) : new Usage(startMicros, used, 0, length);
      }
      case SLIDING_WINDOW -> {
        long former = windowOf(startMicros);
        long start = Math.max(windowOf(nowMicros), former);
        long used = takenIn(start);
        long before = takenBefore(start);
        long at = startMicros;
        if (used == 0 && before == 0) {
          at = nowMicros;
        } else if (start > former) {
          // What was taken since then is now in the window before.
          at = (takenBefore(former) == 0 ? startMicros : former) + lengthMicros();
        }
        yield new Usage(at, used, before, lengthMicros());
      }
    };
  }

  /** Returns what identifies the window of a time: its start. */
  private long windowOf(long micros) {
    return switch (limit.algorithm()) {
      case FIXED_WINDOW -> micros;
      case SLIDING_WINDOW -> Math.floorDiv(micros, lengthMicros()) * lengthMicros();
    };
  }

  /** Returns what was taken in the sliding window before that of a time. */
  private long takenBefore(long micros) {
    return takenIn(windowOf(micros) - lengthMicros());
  }

  private long takenIn(long windowMicros) {
    return taken.stream()
        .filter(each -> each.windowMicros == windowMicros)
        .mapToLong(each -> each.cost)
        .sum();
  }

  private long lengthMicros() {
    return Micros.floor(limit.timeWindow());
  }
}
