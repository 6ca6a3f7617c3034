package dev.weir.server.http;

import dev.weir.rules.Verdict;
import dev.weir.rules.text.RateLimitFields;
import java.util.List;

/** Creates the problem of a request that a limit refuses. */
public final class QuotaExceeded {
  /** The registered problem type. */
  private static final String TYPE =
      "https://iana.org/assignments/http-problem-types#quota-exceeded";

  private QuotaExceeded() {}

  /** Returns the problem of a request that rules refuse. */
  public static Problem by(Verdict.Refused refused) {
    List<String> violated = refused.violated();
    return by(
        violated,
        "Limit exceeded: %s. Try again in %d s."
            .formatted(
                String.join(", ", violated.stream().map(name -> '"' + name + '"').toList()),
                RateLimitFields.seconds(refused.retryAfterMicros())));
  }

  /** Returns the problem of a request that exceeds these policies. */
  public static Problem by(List<String> violated, String detail) {
    return Problem.of(429, TYPE, detail)
        .with(
            json -> {
              json.writeArrayFieldStart("violated-policies");
              for (String name : violated) {
                json.writeString(name);
              }
              json.writeEndArray();
            });
  }
}
