package dev.weir.server.refusals;

import dev.weir.StoreException;
import dev.weir.http.fields.Fields;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.http.problems.QuotaExceeded;
import dev.weir.limits.AcquireResult;
import dev.weir.rules.TooManyRulesException;
import dev.weir.rules.Verdict;
import dev.weir.rules.text.RateLimitFields;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Problems of requests that limits refuse, or that are not decided because a store is away. */
public final class LimitProblems {
  private LimitProblems() {}

  /**
   * Returns the problem of a request that rules refuse: they are exceeded, or it is not known
   * whether they are because their store is unavailable.
   */
  public static Problem of(Verdict.Refused refused) {
    if (refused.mode() == AcquireResult.Mode.CLOSED) {
      return closed(
          refused.violated(),
          refused.retryAfterMicros(),
          StoreException.Outcome.of(refused.isOutcomeUnknown()));
    }
    return refused.isUndecided()
        ? unknown("Whether this was counted is unknown; a repeated request may be counted again.")
        : exceeded(refused);
  }

  private static Problem exceeded(Verdict.Refused refused) {
    List<String> violated = refused.violated();
    return QuotaExceeded.by(
        violated,
        "Limit exceeded: %s. Try again in %d s."
            .formatted(
                String.join(", ", violated.stream().map(name -> '"' + name + '"').toList()),
                RateLimitFields.seconds(refused.retryAfterMicros())));
  }

  /** Returns the problem of a request that more rules cover than can be decided. */
  public static Problem tooManyRules(TooManyRulesException failure) {
    return Problem.of(503, "too-many-rules", failure.getMessage() + ". Nothing was counted.");
  }

  /**
   * Returns the problem of a request for limits that are closed while their store is unavailable.
   * Not 429: that would say that the limit is exceeded, and nothing is known about it.
   *
   * @param outcome whether the store may have counted the request, because only its response is
   *     missing
   */
  public static Problem closed(
      List<String> limits, long retryAfterMicros, StoreException.Outcome outcome) {
    return Problem.storeUnavailable(
            outcome,
            "The store of limits does not answer, and without it %s %s closed. %s try again in %d s."
                .formatted(
                    limits.stream().map(name -> '"' + name + '"').collect(Collectors.joining(", ")),
                    limits.size() == 1 ? "is" : "are",
                    switch (outcome) {
                      case NONE -> "Nothing was counted;";
                      case UNKNOWN ->
                          "Whether this was counted is unknown, and a repeated request may be"
                              + " counted again;";
                    },
                    RateLimitFields.seconds(retryAfterMicros)))
        .with(json -> json.writeStringField("mode", Fields.lower(AcquireResult.Mode.CLOSED)));
  }

  /**
   * Returns the problem of a request that the store may have counted, because only its response is
   * missing.
   *
   * @param advice what the caller can do
   */
  public static ProblemException outcomeUnknown(long retryAfterMicros, String advice) {
    Map<String, String> headers = new HashMap<>();
    RateLimitFields.addRetryAfter(headers::put, retryAfterMicros);
    return new ProblemException(unknown(advice), headers);
  }

  private static Problem unknown(String advice) {
    return Problem.storeUnavailable(
        StoreException.Outcome.UNKNOWN,
        "The store of limits did not answer in time, or the connection to it broke. " + advice);
  }
}
