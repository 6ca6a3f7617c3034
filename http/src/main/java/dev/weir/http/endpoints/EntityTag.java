package dev.weir.http.endpoints;

import java.time.Instant;

/**
 * What identifies a version: its number, and when it was created. After a database was restored,
 * numbers of lost versions are given again, at another time.
 */
public record EntityTag(int version, Instant at) {
  /** Returns the value of the header {@code ETag}. */
  public String header() {
    return "\"" + value() + "\"";
  }

  /** Returns the tag without quotes. It can be made from the members of the JSON, too. */
  String value() {
    return version + "-" + at;
  }
}
