package dev.weir.engine.rules;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Patterns of paths, so laid out that finding those of a path costs as much as the path is long and
 * has patterns, however many others there are.
 *
 * @param <V> what stands behind a pattern
 */
public final class PathTree<V> {
  private final Branch<V> root = new Branch<>();

  private static final class Branch<V> {
    final Map<String, Branch<V>> literals = new HashMap<>();
    @Nullable Branch<V> any;
    final List<V> here = new ArrayList<>(0);
    final List<V> deep = new ArrayList<>(0);
  }

  /** To be called before the tree is shared. */
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
   * Tells of all whose pattern a path has, in no order.
   *
   * @return how many branches were looked at
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
    int looked = 1;
    Branch<V> literal = branch.literals.get(segments.get(depth));
    if (literal != null) {
      looked += find(literal, segments, depth + 1, found);
    }
    if (branch.any != null) {
      looked += find(branch.any, segments, depth + 1, found);
    }
    return looked;
  }
}
