package dev.weir.limits.memory;

import dev.weir.StoreException;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import java.time.Duration;

/** Repeats nothing: every request has a new id, until there is no room for another. */
final class RequestIdsInSmallHeap {
  private static final int MAX_REQUESTS = 2_000_000;

  private RequestIdsInSmallHeap() {}

  /** Prints how many ids were remembered when the store was full. */
  public static void main(String[] arguments) {
    Policy policy = Policy.of("p", FixedWindow.of(MAX_REQUESTS, Duration.ofHours(1)));
    AcquireRequest request = AcquireRequest.of(LimitRequest.of(policy, "k"));
    try (MemoryLimitStore store = new MemoryLimitStore()) {
      for (int i = 0; i < MAX_REQUESTS; i++) {
        try {
          store.decide(request.withRequestId("0123456789abcdef-0123456789abcdef-" + i));
        } catch (StoreException e) {
          System.out.println(e.isFull() ? i : -1);
          return;
        }
      }
    }
    System.out.println(MAX_REQUESTS);
  }
}
