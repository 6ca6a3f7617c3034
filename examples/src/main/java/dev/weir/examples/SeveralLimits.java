package dev.weir.examples;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Limiter;
import dev.weir.limits.Policy;
import java.time.Duration;
import java.util.List;

/**
 * Asks several limits in one atomic step: a call must be within the limit of its user and within
 * that of the user's organisation. If one refuses, nothing is taken of the other.
 */
public final class SeveralLimits {
  private SeveralLimits() {}

  public static void main(String... args) {
    Policy user = Policy.of("user", FixedWindow.of(2, Duration.ofMinutes(1)));
    Policy organisation = Policy.of("organisation", FixedWindow.of(3, Duration.ofMinutes(1)));
    try (Limiter limiter = Limiter.inMemory()) {
      for (String name : List.of("anna", "anna", "anna", "bert", "bert")) {
        AcquireRequest both =
            AcquireRequest.all(
                List.of(LimitRequest.of(user, name), LimitRequest.of(organisation, "acme")));
        boolean isAllowed = limiter.acquire(both).isAllowed();
        System.out.printf("%s: %s%n", name, isAllowed ? "allowed" : "refused");
      }
    }
  }
}
