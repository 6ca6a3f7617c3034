package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.routes.Route;
import dev.weir.engine.routes.RouteBook;
import dev.weir.engine.routes.RouteChange;
import dev.weir.engine.routes.Routes;
import dev.weir.engine.rules.RequestPath;
import dev.weir.store.tck.RoutesKit;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class JdbcRoutesTest extends RoutesKit {
  private final Database database = Database.get();
  private final JdbcRoutes routes = new JdbcRoutes(database.pool(), StoreClock.OF_THE_DATABASE);

  @Override
  protected Routes routes() {
    return routes;
  }

  @Test
  void aChangeReachesTheBookOfAnotherNodeAtOnce() throws Exception {
    JdbcRoutes otherNode = new JdbcRoutes(database.otherPool(), StoreClock.OF_THE_DATABASE);
    RouteBook book = new RouteBook(List.of(), routes);
    String path = "/" + UUID.randomUUID();
    RequestPath asked = RequestPath.of(path);
    try (ChangeListener listener =
        new ChangeListener(
            database.pool(),
            Map.of(
                Channel.ROUTE,
                new ChangeListener.Hearer() {
                  @Override
                  public void changed(String id) {
                    book.refresh();
                  }

                  @Override
                  public void allChanged() {
                    book.refresh();
                  }
                }))) {
      assertThat(listener.awaitListening(Duration.ofSeconds(30))).isTrue();
      RouteChange.Done made =
          (RouteChange.Done) otherNode.create(Route.Terms.of(path, "http://127.0.0.1:9000"), "me");
      // The test's time limit is the bound.
      while (book.find(asked) == null) {
        Thread.onSpinWait();
      }
      otherNode.remove(made.route().id(), 1, "me");
      while (book.find(asked) != null) {
        Thread.onSpinWait();
      }
    }
  }
}
