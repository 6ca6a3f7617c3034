package dev.weir.http.problems;

import java.util.List;

/** Creates the problem of a request that exceeds what its caller may use. */
public final class QuotaExceeded {
  /** The registered problem type. */
  private static final String TYPE =
      "https://iana.org/assignments/http-problem-types#quota-exceeded";

  private QuotaExceeded() {}

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
