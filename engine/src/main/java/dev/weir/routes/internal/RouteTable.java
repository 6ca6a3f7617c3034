package dev.weir.routes.internal;

import dev.weir.rules.internal.PathTree;
import dev.weir.rules.matching.PathPattern;
import dev.weir.rules.matching.RequestPath;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All routes known to this node, from its settings and from the register. Of the routes whose
 * pattern matches a path, the most specific one is used; of two with the same pattern, the one from
 * the register. Thread-safe.
 */
public final class RouteTable {
  /** Orders patterns by specificity, the more specific one being greater. */
  private static final Comparator<PathPattern> BY_SPECIFICITY =
      Comparator.<PathPattern>comparingInt(pattern -> pattern.segments().size())
          .thenComparingLong(RouteTable::literals)
          .thenComparing(pattern -> !pattern.isDeep());

  private final List<RouteSpec> settings;
  private final Routes routes;
  private volatile PathTree<RouteSpec> byPath = new PathTree<>();
  private volatile Set<String> patterns = Set.of();

  /** Reads all routes. */
  public RouteTable(List<RouteSpec> settings, Routes routes) {
    this.settings = List.copyOf(settings);
    this.routes = routes;
    refresh();
  }

  /** Returns the route of a request, or null if there is none. */
  public @Nullable RouteSpec find(RequestPath path) {
    Best best = new Best();
    byPath.find(path, best::offer);
    return best.spec;
  }

  /** Returns the patterns of all active routes, as they were written. */
  public Set<String> patterns() {
    return patterns;
  }

  private static final class Best {
    private @Nullable RouteSpec spec;

    void offer(RouteSpec other) {
      if (spec == null
          || isSame(other.path(), spec.path())
          || BY_SPECIFICITY.compare(other.path(), spec.path()) > 0) {
        spec = other;
      }
    }

    private static boolean isSame(PathPattern one, PathPattern other) {
      return one.isDeep() == other.isDeep() && one.segments().equals(other.segments());
    }
  }

  private static long literals(PathPattern pattern) {
    return pattern.segments().stream()
        .filter(segment -> segment instanceof PathPattern.Segment.Literal)
        .count();
  }

  /** Reads all routes again. If the store is unavailable, the known routes remain in use. */
  public synchronized void refresh() {
    List<RouteSpec> all = new ArrayList<>(settings);
    // Routes from the register come later, so they win if the pattern is the same.
    routes.all().stream().map(Route::spec).filter(RouteSpec::isActive).forEach(all::add);
    PathTree<RouteSpec> tree = new PathTree<>();
    all.forEach(spec -> tree.add(spec.path(), spec));
    byPath = tree;
    patterns = all.stream().map(spec -> spec.path().text()).collect(Collectors.toSet());
  }
}
