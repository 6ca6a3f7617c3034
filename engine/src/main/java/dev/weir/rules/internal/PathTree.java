package dev.weir.rules.internal;

import dev.weir.rules.matching.PathPattern;
import dev.weir.rules.matching.RequestPath;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An index of path patterns. The cost of a look-up depends on the length of the path and the number
 * of matching patterns, not on the number of other patterns. Thread-safe for readers once all
 * patterns have been added.
 *
 * @param <V> the value of a pattern
 */
public final class PathTree<V> {
  private final Branch<V> root = new Branch<>();

  private static final class Branch<V> {
    final Map<String, Branch<V>> literals = new HashMap<>();
    @Nullable Branch<V> any;
    final List<V> here = new ArrayList<>(0);
    final List<V> deep = new ArrayList<>(0);
  }

  /** Adds a pattern. Must be called before the tree is shared. */
  public void add(PathPattern pattern, V value) {
    Branch<V> branch = root;
    for (PathPattern.Segment segment : pattern.segments()) {
      branch =
          switch (segment) {
            case PathPattern.Segment.Literal literal ->
                branch.literals.computeIfAbsent(literal.text(), absent -> new Branch<>());
            case PathPattern.Segment.Any any -> any(branch);
          };
    }
    (pattern.isDeep() ? branch.deep : branch.here).add(value);
  }

  private static <V> Branch<V> any(Branch<V> branch) {
    Branch<V> any = branch.any;
    if (any == null) {
      any = new Branch<>();
      branch.any = any;
    }
    return any;
  }

  /**
   * Passes the values of all patterns that match a path to {@code found}, in no particular order.
   *
   * @return the number of visited branches
   */
  public int find(RequestPath path, Consumer<V> found) {
    return find(root, path.segments(), 0, found);
  }

  private static <V> int find(
      Branch<V> branch, List<String> segments, int depth, Consumer<V> found) {
    branch.deep.forEach(found);
    if (depth == segments.size()) {
      branch.here.forEach(found);
      return 1;
    }
    int visited = 1;
    Branch<V> literal = branch.literals.get(segments.get(depth));
    if (literal != null) {
      visited += find(literal, segments, depth + 1, found);
    }
    if (branch.any != null) {
      visited += find(branch.any, segments, depth + 1, found);
    }
    return visited;
  }
}
