package dev.weir.store.jdbc.slots.internal;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.engine.slots.AssignRequest;
import dev.weir.engine.slots.ForecastResult;
import dev.weir.engine.slots.SlotConfig;
import dev.weir.engine.slots.SlotRequest;
import dev.weir.store.jdbc.Database;
import dev.weir.store.tck.slots.Node;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/** A node in a separate process that executes one operation at noon and prints the result. */
final class SmallHeap {
  private SmallHeap() {}

  enum Work {
    RECLAIM,
    ASSIGN,
    FORECAST
  }

  /** Arguments: the database, the operation, the configuration, a time. */
  public static void main(String[] arguments) {
    try (HikariDataSource pool = Database.openPool(arguments[0])) {
      Node node = Database.node(pool, InstantSource.fixed(Account.NOON));
      SlotConfig config = node.configs().inForce(arguments[2]).orElseThrow();
      System.out.println(
          switch (Work.valueOf(arguments[1])) {
            case RECLAIM -> node.upkeep().reclaim(Account.NOON, 2_000);
            case ASSIGN -> assigned(node, config, Instant.parse(arguments[3]));
            case FORECAST -> {
              ForecastResult outlook =
                  node.ledger().forecast(config, Instant.parse(arguments[3]), 1);
              yield ((ForecastResult.Completion) outlook).windowStart();
            }
          });
    }
  }

  private static Instant assigned(Node node, SlotConfig config, Instant time) {
    SlotRequest request = new SlotRequest(config.name() + "/late", config.name(), time);
    return Account.slot(
            node.ledger().assign(List.of(new AssignRequest(request, config))).getFirst())
        .windowStart();
  }
}
