package dev.weir.store.surrealdb;

import dev.weir.internal.Micros;
import dev.weir.limits.internal.LimitUpkeep;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** Upkeep of buckets, request ids and leases in SurrealDB. */
final class SurrealDbUpkeep implements LimitUpkeep {
  private static final String LOCK = "sweep";

  /** A node that stops meanwhile keeps the others from sweeping for this time. */
  private static final Duration LOCK_SPAN = Duration.ofMinutes(2);

  /** Keeps expired records this long, so that a clock that steps back by less still finds them. */
  private static final Duration GRACE = Duration.ofMinutes(1);

  /** Max records of a kind in one transaction. */
  private static final int PORTION = 100;

  private final SurrealDb database;
  private final StoreClock clock;
  private final String owner = UUID.randomUUID().toString();

  SurrealDbUpkeep(SurrealDb database) {
    this(database, StoreClock.SURREALDB);
  }

  SurrealDbUpkeep(SurrealDb database, StoreClock clock) {
    this.database = database;
    this.clock = clock;
  }

  /** Returns the query that takes a lock, or ends it with a span of zero. */
  static Query lock(SurrealDbSettings settings, String name, String owner, Duration span) {
    return Query.call(
        Query.Script.LOCK,
        settings,
        Map.of("name", name, "owner", owner, "span", Micros.floor(span)));
  }

  @Override
  public boolean runExclusively(Runnable work) {
    if (!database.run(lock(database.settings(), LOCK, owner, LOCK_SPAN)).flag()) {
      return false;
    }
    work.run();
    database.run(lock(database.settings(), LOCK, owner, Duration.ZERO));
    return true;
  }

  @Override
  public int removeExpired(int max) {
    int removed = 0;
    int last = PORTION;
    while (last == PORTION && removed < max) {
      last = removePortion();
      removed += last;
    }
    return Math.min(removed, max);
  }

  private int removePortion() {
    Map<String, Object> call = new LinkedHashMap<>();
    call.put("max", (long) PORTION);
    call.put("grace", Micros.floor(GRACE));
    clock.addTo(call);
    Query query = Query.call(Query.Script.SWEEP, database.settings(), call);
    return Math.toIntExact(database.run(query).number());
  }
}
