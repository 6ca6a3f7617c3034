package dev.weir.store.jdbc.rules.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.register.Change;
import dev.weir.routes.internal.Route;
import dev.weir.routes.internal.RouteTable;
import dev.weir.routes.internal.Routes;
import dev.weir.rules.matching.RequestPath;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.ChangeListener;
import dev.weir.store.jdbc.internal.Channel;
import dev.weir.store.tck.internal.Await;
import dev.weir.store.tck.rules.internal.RoutesKit;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class JdbcRoutesTest extends RoutesKit {
  private final Database database = Database.get();
  private final JdbcRoutes routes = new JdbcRoutes(database.pool(), StoreClock.DATABASE);

  @Override
  protected Routes register() {
    return routes;
  }

  @Test
  void aChangeReachesTheBookOfAnotherNodeAtOnce() throws Exception {
    JdbcRoutes otherNode = new JdbcRoutes(database.otherPool(), StoreClock.DATABASE);
    RouteTable table = new RouteTable(List.of(), routes);
    RequestPath path = RequestPath.of("/" + UUID.randomUUID());
    try (ChangeListener listener = database.listener(Channel.ROUTE, table::refresh)) {
      assertThat(listener.awaitListening(Database.MAX_WAIT)).isTrue();
      Change.Done<Route> made = (Change.Done<Route>) otherNode.create(titled(path.text()), "me");
      Await.until(() -> table.find(path) != null);
      otherNode.remove(made.entry().id(), 1, "me");
      Await.until(() -> table.find(path) == null);
    }
  }
}
