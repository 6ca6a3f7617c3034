package dev.weir.torture.faults;

import dev.weir.torture.history.Loss;
import dev.weir.torture.stage.Stage;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/** Something that goes wrong for a while. */
public interface Fault {
  /** Two faults of different lanes may be inflicted at the same time. */
  enum Lane {
    PROCESSES,
    VERSIONS,
    WAYS
  }

  Lane lane();

  /** The word for its kind. */
  default String name() {
    return getClass().getSimpleName();
  }

  /** Whether it can be inflicted there. */
  default boolean isPossible(Stage stage) {
    return true;
  }

  /** What a store loses of what it has counted there. */
  default Loss loss(Stage stage) {
    return Loss.NONE;
  }

  /** Inflicts it, and ends it before this returns. Returns what it was, for the report. */
  String inflict(Stage stage, SplittableRandom random) throws IOException;

  /**
   * All kinds of faults.
   *
   * @param ways a part of the names of the ways on which they come; all ways if this is empty
   */
  static List<Fault> all(String ways) {
    return List.of(
        new KillNode(),
        new SuspendNode(),
        new ChangeVersion(),
        new KillDatabase(),
        new SuspendDatabase(),
        new FailOverDatabase(),
        new RestoreDatabase(),
        new FillDisk(),
        new KillRedis(),
        new SuspendRedis(),
        new EmptyRedis(),
        new OldRedis(),
        new KillRedisMember(),
        new SuspendRedisMember(),
        new EmptyRedisPrimary(),
        new HandOverRedis(),
        new PromoteReplica(),
        new PromoteOldReplica(),
        new ReplaceSuspendedRedis(),
        new KillKafka(),
        new CutWay(ways),
        new SilenceWay(ways),
        new SwallowReplies(ways),
        new DelayWay(ways),
        new ShiftClock());
  }

  /** Lets a random time pass, and returns how long it was. */
  static Duration pause(SplittableRandom random, int minMillis, int maxMillis) {
    Duration time = Duration.ofMillis(random.nextInt(minMillis, maxMillis));
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return time;
  }

  /** Returns one of them. */
  static <T> T any(List<T> choices, SplittableRandom random) {
    return choices.get(random.nextInt(choices.size()));
  }
}
