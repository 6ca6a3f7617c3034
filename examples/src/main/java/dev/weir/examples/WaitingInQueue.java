package dev.weir.examples;

import dev.weir.limits.FixedWindow;
import dev.weir.limits.Leases;
import dev.weir.limits.Limiter;
import dev.weir.limits.Policy;
import dev.weir.limits.Queue;
import dev.weir.limits.QueuedLimiter;
import java.time.Duration;

/**
 * Lets calls beyond a limit wait for a moment: up to two at a time, 50 ms apart. Only a call that
 * finds the queue full is refused.
 *
 * <p>Calls wait on their own threads, which should be virtual ones.
 */
public final class WaitingInQueue {
  private WaitingInQueue() {}

  public static void main(String... args) throws InterruptedException {
    Policy mails = Policy.of("mails", FixedWindow.of(1, Duration.ofMinutes(1)));
    Queue queue = Queue.of(2, Duration.ofMillis(50));
    try (Limiter limiter = Limiter.inMemory();
        Leases places = Leases.inMemory()) {
      QueuedLimiter queued = new QueuedLimiter(limiter, places, queue);
      for (int mail = 1; mail <= 3; mail++) {
        boolean isAllowed = queued.acquireWaiting(mails, "anna");
        System.out.printf("mail %d: %s%n", mail, isAllowed ? "sent" : "refused");
      }
    }
  }
}
