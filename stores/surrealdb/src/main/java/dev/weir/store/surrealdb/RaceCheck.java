package dev.weir.store.surrealdb;

import dev.weir.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * A short race of several writers for the tokens of one record, by the statement on which every
 * limit in SurrealDB depends: a conditional update. A storage engine that does not detect all
 * conflicts grants more tokens than there are.
 */
final class RaceCheck {
  private static final int WRITERS = 8;
  private static final long TOKENS = 400;

  /** A server that has just started may pass the first race for lack of speed. */
  private static final int RACES = 3;

  private final Database database;
  private final SurrealDbSettings settings;

  /** Runs queries, and repeats them after conflicts. */
  @FunctionalInterface
  interface Database {
    Value run(Query query);
  }

  RaceCheck(Database database, SurrealDbSettings settings) {
    this.database = database;
    this.settings = settings;
  }

  /** Returns true if more tokens were granted than there are. */
  boolean isAnomalous() {
    for (int race = 0; race < RACES; race++) {
      String name = UUID.randomUUID().toString();
      Map<String, Object> id = Map.of("id", name);
      database.run(
          Query.call(Query.Script.RACE_START, settings, Map.of("id", name, "tokens", TOKENS)));
      try {
        if (granted(Query.call(Query.Script.RACE_TAKE, settings, id)) != TOKENS) {
          return true;
        }
      } finally {
        database.run(Query.call(Query.Script.RACE_END, settings, id));
      }
    }
    return false;
  }

  private long granted(Query take) {
    List<FutureTask<Long>> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      FutureTask<Long> writer = new FutureTask<>(() -> takeAll(take));
      Thread.ofVirtual().start(writer);
      writers.add(writer);
    }
    long granted = 0;
    for (FutureTask<Long> writer : writers) {
      granted += result(writer);
    }
    return granted;
  }

  private long takeAll(Query take) {
    long taken = 0;
    while (!database.run(take).items().isEmpty()) {
      taken++;
    }
    return taken;
  }

  private static long result(FutureTask<Long> writer) {
    try {
      return writer.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw RpcClient.failure(StoreException.Outcome.NONE, "was not checked: interrupted");
    }
  }
}
