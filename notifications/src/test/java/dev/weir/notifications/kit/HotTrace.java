package dev.weir.notifications.kit;

import dev.weir.notifications.messages.UserLimit.Algorithm;
import dev.weir.notifications.messages.UserLimit.CostBy;
import java.util.List;

/** A generated sequence of what happens to a user. */
public record HotTrace(List<Step> steps) {
  sealed interface Step {
    record Configure(int rateLimit, Algorithm algorithm, CostBy costBy) implements Step {}

    record Send(int parts) implements Step {}

    record Withdraw() implements Step {}

    /** The filter loses everything it knows of the user. */
    record Lose() implements Step {}

    record MoveClock(long micros) implements Step {}
  }
}
