package dev.weir.store.jdbc.slots.internal;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.slots.AssignRequest;
import dev.weir.slots.ForecastResult;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotRequest;
import dev.weir.store.jdbc.Database;
import dev.weir.store.tck.slots.Node;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/** A node in a separate process that executes operations at noon and prints their results. */
final class SmallHeap {
  private SmallHeap() {}

  enum Work {
    RECLAIM,
    ASSIGN,
    FORECAST
  }

  /** Arguments: the database, the configuration, a time, the operations. */
  public static void main(String[] arguments) {
    for (String work : arguments[3].split(",", -1)) {
      // Each has a new node, which has read nothing yet.
      try (HikariDataSource pool = Database.openPool(arguments[0])) {
        Node node = Database.node(pool, InstantSource.fixed(Account.NOON));
        SlotConfig config = node.configs().inForce(arguments[1]).orElseThrow();
        System.out.println(result(Work.valueOf(work), node, config, Instant.parse(arguments[2])));
      }
    }
  }

  private static Object result(Work work, Node node, SlotConfig config, Instant time) {
    return switch (work) {
      case RECLAIM -> node.upkeep().reclaim(Account.NOON, 2_000);
      case ASSIGN -> assigned(node, config, time);
      case FORECAST -> {
        ForecastResult forecast = node.ledger().forecast(config, time, 1);
        yield ((ForecastResult.Completion) forecast).windowStart();
      }
    };
  }

  private static Instant assigned(Node node, SlotConfig config, Instant time) {
    SlotRequest request = new SlotRequest(config.name() + "/late", config.name(), time);
    return Account.slot(
            node.ledger().assign(List.of(new AssignRequest(request, config))).getFirst())
        .windowStart();
  }
}
