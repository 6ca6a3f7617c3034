package dev.weir.server.refusals;

import dev.weir.StoreException;
import dev.weir.http.json.Snippet;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.limits.Lease;
import dev.weir.limits.LeaseDecision;
import dev.weir.rules.text.RateLimitFields;
import java.util.HashMap;
import java.util.Map;

/** Problems for leases that cannot be acquired, renewed or released. */
public final class LeaseProblems {
  private LeaseProblems() {}

  /** Returns the renewed lease. Throws if it does not exist or its store is unavailable. */
  public static Lease requireRenewed(LeaseDecision.Renewal decision, String leaseId) {
    return switch (decision) {
      case LeaseDecision.Held held -> held.lease();
      case LeaseDecision.Unchecked unchecked -> unchecked.lease();
      case LeaseDecision.Gone gone ->
          throw new ProblemException(
              Problem.of(
                  404,
                  "unknown-lease",
                  "The lease \"%s\" has ended or never existed.".formatted(Snippet.of(leaseId))));
      case LeaseDecision.Unavailable gone ->
          throw unavailable(
              gone,
              "The lease was not renewed; it lasts at least until its expiresAt.",
              "Whether the lease was renewed is not known; it lasts at least until its expiresAt.");
    };
  }

  /** Throws if the store is unavailable: the lease may still be held then. */
  public static void requireReleased(LeaseDecision.Release released) {
    requireReleased(released, false);
  }

  /**
   * Throws if the store is unavailable.
   *
   * @param isBegun true if something else of the same request was given back before: it would be
   *     given back twice if the request were repeated because nothing was done
   */
  public static void requireReleased(LeaseDecision.Release released, boolean isBegun) {
    if (released instanceof LeaseDecision.Unavailable gone) {
      throw unavailable(
          new LeaseDecision.Unavailable(gone.retryAfterMicros(), gone.mayBeDone() || isBegun),
          "The lease was not ended; it ends at its expiresAt.",
          "Whether the lease has ended is not known; it ends at its expiresAt at the latest.");
    }
  }

  /**
   * Returns the problem for an unavailable store.
   *
   * @param none the detail if the store was not called
   * @param unknown the detail if the store may have been called, and only its response is missing
   */
  public static ProblemException unavailable(
      LeaseDecision.Unavailable gone, String none, String unknown) {
    Map<String, String> headers = new HashMap<>();
    RateLimitFields.addRetryAfter(headers::put, gone.retryAfterMicros());
    return new ProblemException(
        Problem.storeUnavailable(
            StoreException.Outcome.of(gone.mayBeDone()),
            "The store of leases does not answer. " + (gone.mayBeDone() ? unknown : none)),
        headers);
  }
}
