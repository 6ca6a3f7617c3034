package dev.weir.store.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.routes.Route;
import dev.weir.engine.routes.RouteChange;
import dev.weir.engine.routes.Routes;
import dev.weir.engine.routes.Upstream;
import dev.weir.engine.rules.PathPattern;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What everybody who keeps routes must prove. */
public abstract class RoutesKit {
  private static final String ME = "me";

  private final String path = "/" + UUID.randomUUID();

  /** Where routes are kept; others may keep theirs there too. */
  protected abstract Routes routes();

  @Test
  void findsARouteAsItWasMade() {
    for (Upstream.Protocol protocol : Upstream.Protocol.values()) {
      Route.Terms terms =
          new Route.Terms(
              PathPattern.of(path + "/" + protocol + "/{id}/café/**"),
              new Upstream(protocol, protocol == Upstream.Protocol.H2 ? "::1" : "example.org", 81),
              protocol != Upstream.Protocol.HTTPS);
      Route made = done(routes().create(terms, ME)).route();

      assertThat(made.terms()).isEqualTo(terms);
      assertThat(made.version()).isEqualTo(1);
      assertThat(made.updatedAt()).isEqualTo(made.createdAt());
      assertThat(routes().find(made.id())).contains(made);
      assertThat(routes().all()).contains(made);
    }
  }

  @Test
  void aChangeIsTheNextVersionAndAnotherPathIsAllowed() {
    Route made = done(routes().create(terms(path), ME)).route();

    RouteChange.Done changed = done(routes().change(made.id(), 1, terms(path + "/2"), ME));

    assertThat(changed.before()).contains(made);
    assertThat(changed.route().version()).isEqualTo(2);
    assertThat(changed.route().path()).isEqualTo(path + "/2");
    assertThat(changed.route().createdAt()).isEqualTo(made.createdAt());
    assertThat(routes().find(made.id())).contains(changed.route());
    assertThat(routes().create(terms(path), ME)).isInstanceOf(RouteChange.Done.class);
  }

  @Test
  void whoKnowsAnOlderVersionChangesNothing() {
    Route made = done(routes().create(terms(path), ME)).route();
    Route current = done(routes().change(made.id(), Routes.ANY_VERSION, terms(path), ME)).route();

    assertThat(routes().change(made.id(), 1, terms(path + "/2"), ME))
        .isEqualTo(new RouteChange.Stale(current));
    assertThat(routes().remove(made.id(), 1, ME)).isEqualTo(new RouteChange.Stale(current));
    assertThat(routes().find(made.id())).contains(current);
  }

  @Test
  void aPathBelongsToOneRouteUntilThatIsRemoved() {
    Route made = done(routes().create(terms(path), ME)).route();
    Route other = done(routes().create(terms(path + "/2"), ME)).route();

    assertThat(routes().create(terms(path), ME)).isInstanceOf(RouteChange.PathTaken.class);
    assertThat(routes().change(other.id(), Routes.ANY_VERSION, terms(path), ME))
        .isInstanceOf(RouteChange.PathTaken.class);

    assertThat(done(routes().remove(made.id(), 1, ME)).before()).contains(made);
    assertThat(done(routes().create(terms(path), ME)).route().id()).isNotEqualTo(made.id());
  }

  @Test
  void whatWasRemovedIsUnknown() {
    Route made = done(routes().create(terms(path), ME)).route();
    routes().remove(made.id(), Routes.ANY_VERSION, ME);

    assertThat(routes().find(made.id())).isEmpty();
    assertThat(routes().all()).doesNotContain(made);
    assertThat(routes().change(made.id(), Routes.ANY_VERSION, terms(path), ME))
        .isInstanceOf(RouteChange.Unknown.class);
    assertThat(routes().remove(made.id(), Routes.ANY_VERSION, ME))
        .isInstanceOf(RouteChange.Unknown.class);
  }

  private static Route.Terms terms(String path) {
    return Route.Terms.of(path, "http://127.0.0.1:9000");
  }

  private static RouteChange.Done done(RouteChange change) {
    assertThat(change).isInstanceOf(RouteChange.Done.class);
    return (RouteChange.Done) change;
  }
}
