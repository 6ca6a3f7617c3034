package dev.weir.server.wiring;

import dev.weir.engine.routes.RouteTable;
import dev.weir.engine.routes.Routes;
import dev.weir.store.jdbc.ChangeListener;

/**
 * The routes of the gateway.
 *
 * @param kept the routes that can be changed while the node runs
 * @param table these and the routes of the settings, as this node knows them
 */
record RouteParts(Routes kept, RouteTable table) {
  ChangeListener.Hearer hearer() {
    return LimitParts.hearer(id -> table.refresh(), table::refresh);
  }

  /** Registers what the endpoints of routes ask for. */
  void addTo(Beans beans) {
    beans.add(kept).add(table);
  }
}
