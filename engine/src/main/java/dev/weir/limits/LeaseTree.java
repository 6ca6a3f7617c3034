package dev.weir.limits;

import java.util.Comparator;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * An ordered set of leases in a weight-balanced tree (Nievergelt and Reingold, 1973; the balance
 * parameters are those of Hirai and Yamamoto, 2011). Immutable: a change returns a new tree that
 * shares most of its nodes with this one, so thousands of leases cost little more than a few.
 */
final class LeaseTree {
  /** A subtree has at most this many times the weight of its sibling. */
  private static final int DELTA = 3;

  /**
   * A single rotation suffices if the inner subtree has less than this many times the weight of the
   * outer one.
   */
  private static final int RATIO = 2;

  private static final Tree EMPTY = new Empty();

  private final Comparator<Lease> order;
  private final Tree root;

  private LeaseTree(Comparator<Lease> order, Tree root) {
    this.order = order;
    this.root = root;
  }

  static LeaseTree empty(Comparator<Lease> order) {
    return new LeaseTree(order, EMPTY);
  }

  private sealed interface Tree {
    /** Returns the number of leases in this tree. */
    int size();

    /** Returns the number of places that they hold. */
    int places();
  }

  private record Empty() implements Tree {
    @Override
    public int size() {
      return 0;
    }

    @Override
    public int places() {
      return 0;
    }
  }

  /** A lease and the subtrees of the leases before and after it. */
  private record Node(Lease lease, Tree before, Tree after, int size, int places) implements Tree {
    static Node of(Lease lease, Tree before, Tree after) {
      return new Node(
          lease,
          before,
          after,
          1 + before.size() + after.size(),
          lease.places() + before.places() + after.places());
    }
  }

  int size() {
    return root.size();
  }

  /** Returns the number of places that all leases hold. */
  int places() {
    return root.places();
  }

  /** Returns the lease that compares as equal to {@code like}. */
  Optional<Lease> find(Lease like) {
    Tree tree = root;
    while (tree instanceof Node node) {
      int side = order.compare(like, node.lease());
      if (side == 0) {
        return Optional.of(node.lease());
      }
      tree = side < 0 ? node.before() : node.after();
    }
    return Optional.empty();
  }

  Optional<Lease> first() {
    return root instanceof Node node ? Optional.of(first(node)) : Optional.empty();
  }

  /** Returns the first lease at which the places, added up in order, reach {@code places}. */
  Optional<Lease> reaching(int places) {
    int left = places;
    Tree tree = root;
    while (tree instanceof Node node) {
      int before = node.before().places();
      if (left <= before) {
        tree = node.before();
      } else if (left <= before + node.lease().places()) {
        return Optional.of(node.lease());
      } else {
        left -= before + node.lease().places();
        tree = node.after();
      }
    }
    return Optional.empty();
  }

  void forEach(Consumer<Lease> action) {
    forEach(root, action);
  }

  private static void forEach(Tree tree, Consumer<Lease> action) {
    if (tree instanceof Node node) {
      forEach(node.before(), action);
      action.accept(node.lease());
      forEach(node.after(), action);
    }
  }

  /** Returns this tree with one more lease, which must not compare as equal to any other. */
  LeaseTree with(Lease lease) {
    return new LeaseTree(order, with(root, lease));
  }

  private Tree with(Tree tree, Lease lease) {
    if (!(tree instanceof Node node)) {
      return Node.of(lease, EMPTY, EMPTY);
    }
    return order.compare(lease, node.lease()) < 0
        ? balanced(node.lease(), with(node.before(), lease), node.after())
        : balanced(node.lease(), node.before(), with(node.after(), lease));
  }

  /**
   * Returns this tree without the lease that compares as equal to {@code lease}, if there is one.
   */
  LeaseTree without(Lease lease) {
    return new LeaseTree(order, without(root, lease));
  }

  private Tree without(Tree tree, Lease lease) {
    if (!(tree instanceof Node node)) {
      return EMPTY;
    }
    int side = order.compare(lease, node.lease());
    if (side < 0) {
      return balanced(node.lease(), without(node.before(), lease), node.after());
    }
    if (side > 0) {
      return balanced(node.lease(), node.before(), without(node.after(), lease));
    }
    return node.after() instanceof Node after
        ? balanced(first(after), node.before(), withoutFirst(after))
        : node.before();
  }

  private static Lease first(Node node) {
    Node first = node;
    while (first.before() instanceof Node earlier) {
      first = earlier;
    }
    return first.lease();
  }

  private static Tree withoutFirst(Node node) {
    return node.before() instanceof Node before
        ? balanced(node.lease(), withoutFirst(before), node.after())
        : node.after();
  }

  /** Joins two subtrees, one of which may be too heavy by one lease. */
  private static Tree balanced(Lease lease, Tree before, Tree after) {
    if (after instanceof Node heavy && isTooHeavy(heavy, before)) {
      return rotatedLeft(lease, before, heavy);
    }
    if (before instanceof Node heavy && isTooHeavy(heavy, after)) {
      return rotatedRight(lease, heavy, after);
    }
    return Node.of(lease, before, after);
  }

  private static boolean isTooHeavy(Node one, Tree sibling) {
    return weight(one) > DELTA * weight(sibling);
  }

  private static int weight(Tree tree) {
    return tree.size() + 1;
  }

  private static Tree rotatedLeft(Lease lease, Tree before, Node after) {
    if (after.before() instanceof Node inner && weight(inner) >= RATIO * weight(after.after())) {
      return Node.of(
          inner.lease(),
          Node.of(lease, before, inner.before()),
          Node.of(after.lease(), inner.after(), after.after()));
    }
    return Node.of(after.lease(), Node.of(lease, before, after.before()), after.after());
  }

  private static Tree rotatedRight(Lease lease, Node before, Tree after) {
    if (before.after() instanceof Node inner && weight(inner) >= RATIO * weight(before.before())) {
      return Node.of(
          inner.lease(),
          Node.of(before.lease(), before.before(), inner.before()),
          Node.of(lease, inner.after(), after));
    }
    return Node.of(before.lease(), before.before(), Node.of(lease, before.after(), after));
  }
}
