package dev.weir.torture.limits;

import java.util.Locale;

/** The rules of the load. Windows are so long that nothing expires within a round. */
enum LimitRule {
  FIXED(15, "\"windowSeconds\":36000"),
  SLIDING(15, "\"algorithm\":\"SLIDING_WINDOW\",\"windowSeconds\":864000"),
  /** Refills while it is used. */
  BUCKET(12, "\"algorithm\":\"TOKEN_BUCKET\",\"refillRate\":0.5"),
  /** Checked together with {@link #SECOND}, and never alone. */
  FIRST(14, "\"windowSeconds\":36000"),
  SECOND(10, "\"windowSeconds\":36000"),
  /** Every request has an id, and is repeated. */
  ONCE(15, "\"windowSeconds\":36000"),
  /** Its numbers and its window change meanwhile. */
  CHANGING(12, "\"windowSeconds\":36000"),
  /** Each key has one caller, which comes back after {@code retryAfter}. */
  SOLE(2, "\"windowSeconds\":2"),
  /** PostgreSQL counts while Redis is unavailable. */
  FALLBACK(12, "\"windowSeconds\":36000,\"onStoreFailure\":\"fallback\""),
  /** Grants are given back. */
  REFUNDED(40, "\"windowSeconds\":36000"),
  /** Most requests only peek. */
  PEEKED(10, "\"windowSeconds\":36000"),
  /** Each key has one caller, which comes back too early. */
  EARLY(2, "\"windowSeconds\":2"),
  /** Each node grants a third while the store is unavailable. */
  LOCAL(12, "\"windowSeconds\":36000,\"onStoreFailure\":\"local\""),
  OPEN(12, "\"windowSeconds\":36000,\"onStoreFailure\":\"open\""),
  LEASED(3, "\"algorithm\":\"CONCURRENCY\",\"leaseTtl\":\"PT4S\"");

  /** Of a token bucket, in a second. */
  static final double REFILL_RATE = 0.5;

  private final int limit;
  private final String more;

  LimitRule(int limit, String more) {
    this.limit = limit;
    this.more = more;
  }

  int limit() {
    return limit;
  }

  String name(String round) {
    return round + "-" + name().toLowerCase(Locale.ROOT);
  }

  String json(String round) {
    String field =
        switch (this) {
          case BUCKET -> "capacity";
          case LEASED -> "maxConcurrent";
          case FIXED,
              SLIDING,
              FIRST,
              SECOND,
              ONCE,
              CHANGING,
              SOLE,
              FALLBACK,
              REFUNDED,
              PEEKED,
              EARLY,
              LOCAL,
              OPEN ->
              "allowedRequests";
        };
    return "{\"name\":\"%s\",\"%s\":%d,%s}".formatted(name(round), field, limit, more);
  }

  /** A fixed window with other numbers. */
  String json(String round, int otherLimit, int windowSeconds) {
    return "{\"name\":\"%s\",\"allowedRequests\":%d,\"windowSeconds\":%d}"
        .formatted(name(round), otherLimit, windowSeconds);
  }

  /** The request for one key. */
  String request(String round, String key, String more) {
    return "{\"rule\":\"%s\",\"key\":\"%s\"%s}".formatted(name(round), key, more);
  }

  /** What a check of it is about. */
  String subject(String key) {
    return name() + "/" + key;
  }
}
