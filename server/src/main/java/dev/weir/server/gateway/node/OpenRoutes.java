package dev.weir.server.gateway.node;

import dev.weir.node.capability.OpeningNode;
import dev.weir.node.stores.Database;
import dev.weir.routes.internal.MemoryRoutes;
import dev.weir.routes.internal.RouteSpec;
import dev.weir.routes.internal.RouteTable;
import dev.weir.routes.internal.Routes;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Channel;
import dev.weir.store.jdbc.rules.internal.JdbcRoutes;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * The routes of the gateway.
 *
 * @param kept the routes that can be changed while the node runs
 * @param table these and the routes of the settings, as cached on this node
 */
public record OpenRoutes(Routes kept, RouteTable table) {
  /**
   * Opens the store of routes.
   *
   * @param fixed the routes of the settings
   * @param database stores the other routes; if empty, they are kept in memory
   */
  public static OpenRoutes open(List<RouteSpec> fixed, Optional<Database> database) {
    Routes kept =
        database
            .<Routes>map(used -> new JdbcRoutes(used.dialect(), used.pool(), StoreClock.DATABASE))
            .orElseGet(() -> new MemoryRoutes(InstantSource.system()));
    return new OpenRoutes(kept, new RouteTable(fixed, kept));
  }

  /** Registers the parts that the endpoints of routes inject. */
  public void addTo(OpeningNode node) {
    node.bean(kept);
    node.bean(table);
    node.onChange(Channel.ROUTE, id -> table.refresh(), table::refresh);
  }
}
